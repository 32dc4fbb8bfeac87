// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "report/json_values.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace regatta::race {

json text_or_null(const std::string& text) {
    return text.empty() ? json() : json(text);
}

json to_value(const estimate& e) {
    if (e.count == 0) {
        return nullptr;
    }
    return {{"median", e.median}, {"low", e.low}, {"high", e.high}, {"count", e.count}};
}

json to_value(const sample& one) {
    return {{"round", one.round},
            {"ns", one.ns},
            {"others_ns", one.load.others_ns},
            {"stolen_ns", one.load.stolen_ns},
            {"available_ns", one.load.available_ns},
            {"contaminated", one.load.contaminated}};
}

json to_value(const series& measured) {
    json all = json::array();
    for (const sample& one : measured.samples) {
        all.push_back(to_value(one));
    }
    return all;
}

json settings_value(const std::vector<std::pair<std::string, std::string>>& settings) {
    json value = json::object();
    for (const auto& [name, text] : settings) {
        const bool number = !text.empty() && text.find_first_not_of("0123456789") == text.npos;
        value[name] = number ? json(std::stoull(text)) : json(text);
    }
    return value;
}

std::string command_line(const std::vector<std::string>& words) {
    std::string line;
    for (const std::string& word : words) {
        const bool plain = !word.empty() && std::ranges::all_of(word, [](unsigned char c) {
            return std::isalnum(c) != 0 ||
                   std::string_view("-_./=,:+@%").find(char(c)) != std::string_view::npos;
        });
        line += line.empty() ? "" : " ";
        if (plain) {
            line += word;
            continue;
        }
        line += '\'';
        for (const char c : word) {
            line += c == '\'' ? std::string("'\\''") : std::string(1, c);
        }
        line += '\'';
    }
    return line;
}

json document_head(const char* schema, const provenance& from) {
    return {{"schema", schema},
            {"version", from.machine.version},
            {"time", from.machine.time},
            {"command", command_line(from.command)}};
}

std::string text_of(const json& document) {
    return document.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

} // namespace regatta::race
