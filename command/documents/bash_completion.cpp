// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "documents/completion.hpp"

#include <algorithm>
#include <utility>

namespace regatta::command {
namespace {

/// The pattern of a `case` for an option: "-h | --help".
std::string pattern(const option_entry& option) {
    std::string text;
    for (const std::string& name : option.names) {
        text += (text.empty() ? "" : " | ") + name;
    }
    return text;
}

/// What completes the value of an option; empty: it has none.
std::string action(const option_entry& option, const std::vector<known_values>& known) {
    switch (kind_of(option, known)) {
    case value_kind::none:
        return {};
    case value_kind::file:
        return "_regatta_files -f; return";
    case value_kind::directory:
        return "_regatta_files -d; return";
    case value_kind::known:
        return "_regatta_values " + quoted(values_of(option, known)) + "; return";
    case value_kind::unknown:
        break;
    }
    return "return";
}

/// A case for each action, with the options that have it.
std::string value_cases(const command_entry& command, const std::vector<known_values>& known) {
    std::vector<std::pair<std::string, std::string>> cases; // action, pattern
    for (const option_entry& option : command.options) {
        const std::string does = action(option, known);
        if (does.empty()) {
            continue;
        }
        const auto same = std::find_if(cases.begin(), cases.end(),
                                       [&](const auto& one) { return one.first == does; });
        if (same == cases.end()) {
            cases.emplace_back(does, pattern(option));
        } else {
            same->second += " | " + pattern(option);
        }
    }
    std::string text;
    for (const auto& [does, options] : cases) {
        text += "        " + options + ") " + does + " ;;\n";
    }
    return text.empty() ? text : "        case $prev in\n" + text + "        esac\n";
}

std::string names_of(const command_entry& command) {
    std::string text;
    for (const option_entry& option : command.options) {
        for (const std::string& name : option.names) {
            text += (text.empty() ? "" : " ") + name;
        }
    }
    return text;
}

constexpr auto head = R"(# bash completion for regatta, made by its build from the parser's options

_regatta_files() {
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen "$1" -- "$cur")
}

# The last of several names with commas between them.
_regatta_values() {
    local before=''
    [[ $cur != *,* ]] || before=${cur%,*},
    mapfile -t COMPREPLY < <(compgen -P "$before" -W "$1" -- "${cur##*,}")
}

_regatta() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} at=regatta names='' words='' files='' i
    COMPREPLY=()
    # Bash takes the = between an option and its value for a word.
    if [[ $prev == = ]]; then
        prev=${COMP_WORDS[COMP_CWORD - 2]}
    elif [[ $cur == = ]]; then
        cur=''
    fi
    for ((i = 1; i < COMP_CWORD; i++)); do
        if [[ ${COMP_WORDS[i]} == -- ]]; then
            if ((i + 1 == COMP_CWORD)); then
                mapfile -t COMPREPLY < <(compgen -c -- "$cur")
            else
                _regatta_files -f
            fi
            return
        fi
        case "$at ${COMP_WORDS[i]}" in
)";
constexpr auto tail = R"(    esac
    if [[ $cur == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$names" -- "$cur")
    else
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur"; [[ -z $files ]] || compgen -f -- "$cur")
        [[ -z $files ]] || compopt -o filenames 2>/dev/null
    fi
}
complete -F _regatta regatta
)";

} // namespace

std::string bash_completion(const command_entry& top, const std::vector<known_values>& known) {
    std::string paths;
    std::string cases;
    for_each_command(top, top.name, [&](const command_entry& command, const std::string& path) {
        if (path != top.name) {
            paths += (paths.empty() ? "        " : " | \\\n            ") + quoted(path);
        }
        std::string words;
        bool files = false;
        for (const command_entry& below : command.commands) {
            words += (words.empty() ? "" : " ") + below.name;
        }
        for (const option_entry& argument : command.arguments) {
            const std::string values = values_of(argument, known);
            words += (words.empty() || values.empty() ? "" : " ") + values;
            files = files || takes_files(argument, known);
        }
        cases += "    " + quoted(path) + ")\n        names=" + quoted(names_of(command)) +
                 "\n        words=" + quoted(words) + '\n' + (files ? "        files=yes\n" : "") +
                 value_cases(command, known) + "        ;;\n";
    });
    return head + paths +
           ") at+=\" ${COMP_WORDS[i]}\" ;;\n        esac\n    done\n    case $at in\n" + cases +
           tail;
}

} // namespace regatta::command
