// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Completion for three shells, from what the parser knows. After "--" each completes a program.

#include "common/command_entry.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace regatta::command {

/// The names that an option or argument takes, where its value does not tell them: of "--scheme"
/// those of all schemes.
struct known_values {
    std::string name;
    std::vector<std::string> values;
    bool or_file = false; ///< Or the name of a file.
};

std::string bash_completion(const command_entry& top, const std::vector<known_values>& known);
std::string zsh_completion(const command_entry& top, const std::vector<known_values>& known);
std::string fish_completion(const command_entry& top, const std::vector<known_values>& known);

/// How the value of an option is completed.
enum class value_kind { none, file, directory, known, unknown };

/// The words that a value may be, with blanks between them: "auto" of "A,B,...|auto".
inline std::string words_in(std::string_view value) {
    std::string words;
    while (!value.empty()) {
        const std::string_view one = value.substr(0, value.find('|'));
        if (one.find_first_not_of("abcdefghijklmnopqrstuvwxyz") == one.npos) {
            words += (words.empty() ? "" : " ") + std::string(one);
        }
        value.remove_prefix(std::min(one.size() + 1, value.size()));
    }
    return words;
}

inline value_kind kind_of(const option_entry& option, const std::vector<known_values>& known) {
    for (const known_values& one : known) {
        if (one.name == option.names.back()) {
            return value_kind::known;
        }
    }
    if (option.value.empty()) {
        return value_kind::none;
    }
    if (!words_in(option.value).empty()) {
        return value_kind::known;
    }
    const bool is_file = option.value.compare(0, 4, "FILE") == 0;
    return is_file                 ? value_kind::file
           : option.value == "DIR" ? value_kind::directory
                                   : value_kind::unknown;
}

/// The values with blanks between them; empty where none are known.
inline std::string values_of(const option_entry& option, const std::vector<known_values>& known) {
    std::string text;
    for (const known_values& one : known) {
        for (const std::string& value : one.values) {
            text += one.name == option.names.back() ? (text.empty() ? "" : " ") + value : "";
        }
    }
    return text.empty() ? words_in(option.value) : text;
}

/// Whether an argument is the name of a file, or may be.
inline bool takes_files(const option_entry& argument, const std::vector<known_values>& known) {
    for (const known_values& one : known) {
        if (one.name == argument.names.back()) {
            return one.or_file;
        }
    }
    return kind_of(argument, known) == value_kind::file;
}

/// A text within single quotes of a shell, with each quote in it written as `quote`.
inline std::string quoted(std::string_view text, const char* quote = "'\\''") {
    std::string out = "'";
    for (const char c : text) {
        if (c == '\'') {
            out += quote;
        } else {
            out += c;
        }
    }
    return out + '\'';
}

/// Calls `visit(command, path)` for the command and those below it; a path is "regatta race".
template<class Visit>
void for_each_command(const command_entry& command, const std::string& path, const Visit& visit) {
    visit(command, path);
    for (const command_entry& below : command.commands) {
        for_each_command(below, path + ' ' + below.name, visit);
    }
}

} // namespace regatta::command
