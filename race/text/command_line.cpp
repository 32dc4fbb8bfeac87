// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "text/command_line.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace regatta::race {

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

std::string joined(const std::vector<std::string>& words) {
    std::string line;
    for (const std::string& word : words) {
        line += word + ' ';
    }
    return line.substr(0, line.empty() ? 0 : line.size() - 1);
}

} // namespace regatta::race
