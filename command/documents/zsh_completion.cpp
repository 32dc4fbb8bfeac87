// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "documents/completion.hpp"

namespace regatta::command {
namespace {

/// A text within the brackets or after the colon of an `_arguments` specification.
std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '[' || c == ']' || c == ':' || c == '\\') {
            out += '\\';
        }
        out += c;
    }
    return out;
}

std::string action(const option_entry& option, const std::vector<known_values>& known) {
    switch (kind_of(option, known)) {
    case value_kind::none:
        return {};
    case value_kind::file:
        return "_files";
    case value_kind::directory:
        return "_files -/";
    case value_kind::known:
        return (option.several ? "_values -s , name " : "(") + values_of(option, known) +
               (option.several ? "" : ")");
    case value_kind::unknown:
        break;
    }
    return {};
}

std::string option_specs(const option_entry& option, const std::vector<known_values>& known) {
    std::string excluded;
    for (const auto* list : {&option.names, &option.excludes}) {
        for (const std::string& name : *list) {
            excluded += (excluded.empty() ? "" : " ") + name;
        }
    }
    std::string specs;
    for (const std::string& name : option.names) {
        const std::string may = option.several ? "*" : '(' + excluded + ')';
        std::string spec = may + name + '[' + escaped(option.purpose) + ']';
        if (!option.value.empty()) {
            spec += ':' + escaped(option.value) + ':' + action(option, known);
        }
        specs += " \\\n            " + quoted(spec);
    }
    return specs;
}

/// The first word that is no option: a command below this one, or the first argument.
std::string first_word(const command_entry& command, const std::vector<known_values>& known) {
    std::string choices;
    for (const command_entry& below : command.commands) {
        choices +=
            (choices.empty() ? "" : " ") + below.name + "\\:" + quoted(escaped(below.purpose), "");
    }
    bool files = false;
    if (!command.arguments.empty()) {
        const option_entry& argument = command.arguments.front();
        const std::string values = values_of(argument, known);
        choices += (choices.empty() || values.empty() ? "" : " ") + values;
        files = takes_files(argument, known);
    }
    if (choices.empty() && command.arguments.empty()) {
        return {};
    }
    const std::string name =
        command.arguments.empty() ? "command" : command.arguments.front().names[0];
    const std::string many =
        !command.arguments.empty() && command.arguments.front().several ? "*" : "1";
    const std::string words = "((" + choices + "))";
    std::string action_of_first = choices.empty() ? files ? "_files" : "" : words;
    if (files && !choices.empty()) {
        action_of_first =
            "{_alternative " + quoted("names:name:" + words) + " \"files:file:_files\"}";
    }
    return " \\\n            " + quoted(many + ':' + name + ':' + action_of_first);
}

constexpr auto head = R"(#compdef regatta
# zsh completion for regatta, made by its build from the parser's options

_regatta() {
    local at=regatta last=1 i
    for ((i = 2; i < CURRENT; i++)); do
        if [[ $words[i] == -- ]]; then
            words=("${(@)words[i+1,-1]}")
            ((CURRENT -= i))
            _normal
            return
        fi
        case "$at $words[i]" in
)";

} // namespace

std::string zsh_completion(const command_entry& top, const std::vector<known_values>& known) {
    std::string paths;
    std::string cases;
    for_each_command(top, top.name, [&](const command_entry& command, const std::string& path) {
        if (path != top.name) {
            paths += (paths.empty() ? "        (" : "|") + quoted(path);
        }
        cases += "    (" + quoted(path) + ")\n        _arguments";
        for (const option_entry& option : command.options) {
            cases += option_specs(option, known);
        }
        cases += first_word(command, known) + "\n        ;;\n";
    });
    return head + paths + ") at+=\" $words[i]\" last=$i ;;\n        esac\n    done\n" +
           "    words=(\"${(@)words[last,-1]}\")\n    ((CURRENT -= last - 1))\n    case $at in\n" +
           cases + "    esac\n}\n\n_regatta \"$@\"\n";
}

} // namespace regatta::command
