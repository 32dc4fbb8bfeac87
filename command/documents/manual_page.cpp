// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "documents/manual_page.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace regatta::command {
namespace {

/// As text of roff: dashes stay what one types, and no line begins a request.
std::string escaped(std::string_view text) {
    std::string out;
    bool begins = true;
    for (const char c : text) {
        if (begins && (c == '.' || c == '\'')) {
            out += "\\&";
        }
        begins = c == '\n';
        if (c == '\\') {
            out += "\\e";
        } else if (c == '-') {
            out += "\\-";
        } else if (c == '`') {
            out += "\\(ga";
        } else if (c == '\'') {
            out += "\\(aq";
        } else {
            out += c;
        }
    }
    return out;
}

std::string bold(std::string_view text) {
    return "\\fB" + escaped(text) + "\\fR";
}

std::string italic(std::string_view text) {
    return "\\fI" + escaped(text) + "\\fR";
}

/// "[\fIworkload\fR]", "\fIprogram\fR ...".
std::string argument_text(const option_entry& argument) {
    std::string text = italic(argument.names.front());
    if (argument.several) {
        text += " ...";
    }
    return argument.required ? text : '[' + text + ']';
}

std::string synopsis(const command_entry& command, const std::string& path) {
    std::string text = bold(path) + " [" + italic("options") + ']';
    for (const option_entry& argument : command.arguments) {
        text += ' ' + argument_text(argument);
    }
    text += '\n';
    if (!command.commands.empty()) {
        text += ".br\n" + bold(path) + ' ' + italic("command") + " ...\n";
    }
    return text;
}

std::string option_text(const option_entry& option) {
    std::string text = ".TP\n";
    const bool is_argument = option.names.front().front() != '-';
    for (std::size_t i = 0; i < option.names.size(); ++i) {
        text +=
            (i == 0 ? "" : ", ") + (is_argument ? italic(option.names[i]) : bold(option.names[i]));
    }
    if (!is_argument && !option.value.empty()) {
        text += ' ' + italic(option.value);
    }
    text += '\n' + escaped(option.purpose);
    if (!option.purpose.empty() && option.purpose.back() != '.' && option.purpose.back() != '?') {
        text += '.';
    }
    if (!option.preset.empty()) {
        text += "\nDefault: " + escaped(option.preset) + '.';
    }
    for (const std::string& other : option.excludes) {
        text += "\nNot together with " + bold(other) + '.';
    }
    return text + '\n';
}

/// A paragraph of the help's end: examples, the exit status, or a note; its lines stay as they are.
std::string footer_text(std::string_view paragraph, bool& notes) {
    const auto section = [&](std::string_view label, const char* title) {
        if (paragraph.substr(0, label.size()) != label) {
            return std::string();
        }
        paragraph.remove_prefix(label.size());
        paragraph.remove_prefix(std::min(paragraph.find_first_not_of(" \n"), paragraph.size()));
        return ".SH " + std::string(title) + '\n';
    };
    std::string text = section("Examples:", "EXAMPLES");
    const bool is_example = !text.empty();
    if (!is_example) {
        text = section("Exit status:", "EXIT STATUS") + section("Environment:", "ENVIRONMENT");
        if (text.empty()) {
            text = notes ? ".PP\n" : ".SH NOTES\n";
            notes = true;
        }
        std::string sentence = escaped(paragraph);
        sentence.front() =
            static_cast<char>(std::toupper(static_cast<unsigned char>(sentence.front())));
        return text + sentence + '\n';
    }
    text += ".nf\n";
    while (!paragraph.empty()) {
        const std::size_t end = std::min(paragraph.find('\n'), paragraph.size());
        std::string_view line = paragraph.substr(0, end);
        line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
        text += escaped(line) + '\n';
        paragraph.remove_prefix(std::min(end + 1, paragraph.size()));
    }
    return text + ".fi\n";
}

std::string footer_sections(std::string_view footer) {
    std::string text;
    bool notes = false;
    while (!footer.empty()) {
        const std::size_t end = std::min(footer.find("\n\n"), footer.size());
        if (end != 0) {
            text += footer_text(footer.substr(0, end), notes);
        }
        footer.remove_prefix(std::min(end + 2, footer.size()));
    }
    return text;
}

} // namespace

std::string manual_name(const std::string& path) {
    std::string name = path;
    std::replace(name.begin(), name.end(), ' ', '-');
    return name;
}

std::string manual_page(const command_entry& command, const std::string& path,
                        const page_foot& foot) {
    std::string title = manual_name(path);
    std::string page = ".TH ";
    for (const char c : title) {
        page += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    }
    page += " 1 \"" + foot.date + "\" \"" + foot.version + "\" \"User Commands\"\n.SH NAME\n" +
            escaped(title) + " \\- " + escaped(command.purpose) + "\n.SH SYNOPSIS\n" +
            synopsis(command, path);
    page += ".SH DESCRIPTION\n" + escaped(command.purpose);
    page += command.purpose.back() == '.' || command.purpose.back() == '?' ? "\n" : ".\n";
    for (const option_entry& argument : command.arguments) {
        page += option_text(argument);
    }
    page += ".SH OPTIONS\n";
    for (const option_entry& option : command.options) {
        page += option_text(option);
    }
    if (!command.commands.empty()) {
        page += ".SH COMMANDS\n";
    }
    for (const command_entry& below : command.commands) {
        page += ".TP\n" + bold(path + ' ' + below.name) + '\n' + escaped(below.purpose) +
                ".\nSee " + bold(manual_name(path) + '-' + below.name) + "(1).\n";
    }
    page += footer_sections(command.footer);
    if (path.find(' ') != std::string::npos) {
        page += ".SH ENVIRONMENT\nSee " + bold(path.substr(0, path.find(' '))) + "(1).\n";
        page += ".SH SEE ALSO\n" + bold(manual_name(path.substr(0, path.rfind(' ')))) + "(1)\n";
    }
    return page;
}

} // namespace regatta::command
