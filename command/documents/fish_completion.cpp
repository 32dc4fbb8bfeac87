// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "documents/completion.hpp"

namespace regatta::command {
namespace {

constexpr auto escaped_quote = "\\'";

/// `complete` for the command at `path`, with what to complete.
std::string line(const std::string& path, const std::string& what, const std::string& purpose) {
    return "complete -c regatta -n " + quoted("__regatta_at " + path, escaped_quote) + what +
           (purpose.empty() ? "" : " -d " + quoted(purpose, escaped_quote)) + '\n';
}

std::string option_line(const std::string& path, const option_entry& option,
                        const std::vector<known_values>& known) {
    std::string what;
    for (const std::string& name : option.names) {
        what += name[1] == '-' ? " -l " + name.substr(2) : " -s " + name.substr(1);
    }
    switch (kind_of(option, known)) {
    case value_kind::none:
        break;
    case value_kind::file:
        what += " -r -F";
        break;
    case value_kind::directory:
        what += " -x -a '(__fish_complete_directories)'";
        break;
    case value_kind::unknown:
        what += " -x";
        break;
    case value_kind::known:
        // A function of fish completes the last of several names with commas between them.
        what += option.several ? " -x -a '(__fish_complete_list , \"__regatta_words " +
                                     values_of(option, known) + "\")'"
                               : " -x -a " + quoted(values_of(option, known));
        break;
    }
    return line(path, what, option.purpose);
}

constexpr auto head = R"(# fish completion for regatta, made by its build from the parser's options

function __regatta_words
    printf '%s\n' $argv
end

# Whether the words so far call the command that the arguments name; after "--" none.
function __regatta_at
    set -l at regatta
    set -l words (commandline -opc)
    for word in $words[2..-1]
        switch "$at $word"
            case '* --'
                return 1
)";

} // namespace

std::string fish_completion(const command_entry& top, const std::vector<known_values>& known) {
    std::string paths;
    std::string lines;
    for_each_command(top, top.name, [&](const command_entry& command, const std::string& path) {
        if (path != top.name) {
            paths += (paths.empty() ? "            case " : " ") + quoted(path);
        }
        for (const option_entry& option : command.options) {
            lines += option_line(path, option, known);
        }
        for (const command_entry& below : command.commands) {
            lines += line(path, " -a " + below.name, below.purpose);
        }
        for (const option_entry& argument : command.arguments) {
            const std::string values = values_of(argument, known);
            const std::string what = (takes_files(argument, known) ? " -F" : "") +
                                     (values.empty() ? values : " -a " + quoted(values));
            lines += what.empty() ? what : line(path, what, argument.purpose);
        }
    });
    return head + paths + "\n                set at \"$at $word\"\n        end\n    end\n" +
           "    test \"$at\" = \"$argv\"\nend\n\n" +
           "function __regatta_program\n    contains -- -- (commandline -opc)\nend\n\n" +
           "complete -c regatta -f\ncomplete -c regatta -n __regatta_program -F " +
           "-a '(__fish_complete_subcommand)'\n" + lines;
}

} // namespace regatta::command
