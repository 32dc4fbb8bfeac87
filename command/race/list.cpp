// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "race/list.hpp"

#include "schemes/scheme.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>

namespace regatta::command {
namespace {

using race::text_style;

std::string entry(std::string_view name, std::size_t width, std::string_view text,
                  const text_style& style) {
    // The name is one word, so that the text is indented behind it.
    std::string line = "  " + race::coloured(name, "1", style);
    text_style rest = style;
    const std::size_t indent = width + 4;
    if (style.width < indent + 24) {
        rest.width = style.width - 4;
        return line + "\n    " + race::wrapped(text, 4, rest);
    }
    line.append(width - race::columns_of(name) + 2, ' ');
    std::string body = race::wrapped(text, 0, {style.width - static_cast<unsigned>(indent)});
    std::string out;
    for (const char c : body.substr(0, body.size() - 1)) {
        out += c;
        if (c == '\n') {
            out.append(indent, ' ');
        }
    }
    return line + out + '\n';
}

template<class Infos>
std::size_t widest(const Infos& infos) {
    std::size_t width = 0;
    for (const auto& info : infos) {
        width = std::max(width, info.name.size());
    }
    return width;
}

} // namespace

std::string list_text(const race::workload_info& chosen, const text_style& style) {
    const auto work = chosen.make(race::workload_options{});
    std::string out = "Workloads\n";
    for (const race::workload_info& info : race::workloads()) {
        out += entry(info.name, widest(race::workloads()),
                     fmt::format("{}. Options: {}", info.summary, info.options), style);
    }
    out += "\nSchemes\n";
    for (const race::scheme_info& info : race::schemes()) {
        std::string text = fmt::format("{}. Suits {}.", info.summary, info.suits);
        if (const std::string version = info.version(); !version.empty()) {
            text += fmt::format(" {}.", version);
        }
        const std::string missing = info.missing(*work);
        if (!missing.empty()) {
            text += fmt::format(" Skipped here: {}.", missing);
        } else if (info.on_request) {
            text += " Takes part where it is named.";
        }
        out += entry(info.name, widest(race::schemes()), text, style);
    }
    out += entry("regatta", widest(race::schemes()),
                 fmt::format("Another name of {}.", race::find_scheme("regatta")->name), style);
    return out;
}

} // namespace regatta::command
