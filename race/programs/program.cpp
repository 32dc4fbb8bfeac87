// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "programs/program.hpp"

#include <regatta/base/error.hpp>
#include <regatta/process/subprocess.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>

namespace regatta::race {
namespace {

constexpr std::string_view blanks = " \t\n";
/// What a shell would not take as it is.
constexpr std::string_view special = "|&;<>()$`*?[";
constexpr std::string_view special_in_quotes = "$`";
constexpr std::string_view special_at_begin = "~#"; ///< Of a word.

/// Parts a command into words as a shell does, without all else that a shell does.
class word_reader {
public:
    word_reader(std::string_view text, std::string_view name) : text_(text), name_(name) {}

    std::vector<std::string> read() {
        refuse_assignment();
        for (; at_ < text_.size(); ++at_) {
            const char c = text_[at_];
            if (blanks.find(c) != blanks.npos) {
                end_word();
            } else if (c == '\'' || c == '"') {
                quoted(c);
            } else if (c == '\\') {
                escaped();
            } else {
                refuse_special(c, special);
                refuse_special(c, word_ ? "" : special_at_begin);
                add(c);
            }
        }
        end_word();
        return std::move(words_);
    }

private:
    void quoted(char quote) {
        const std::size_t begin = at_;
        word_ = word_.value_or("");
        for (++at_; at_ < text_.size() && text_[at_] != quote; ++at_) {
            const bool escapes =
                quote == '"' && text_[at_] == '\\' && at_ + 1 < text_.size() &&
                std::string_view("\"\\$`\n").find(text_[at_ + 1]) != std::string::npos;
            if (escapes) {
                escaped();
                continue;
            }
            if (quote == '"') {
                refuse_special(text_[at_], special_in_quotes);
            }
            add(text_[at_]);
        }
        if (at_ == text_.size()) {
            refuse("the quote " + std::string(1, quote) + " at character " +
                   std::to_string(begin + 1) + " of the command has no end");
        }
    }
    void escaped() {
        if (++at_ == text_.size()) {
            refuse("the command ends with a \\ that stands before nothing");
        }
        if (text_[at_] != '\n') { // else the line goes on in the next one
            add(text_[at_]);
        }
    }
    void add(char c) {
        word_ = word_.value_or("");
        *word_ += c;
    }
    void end_word() {
        if (word_) {
            words_.push_back(*std::exchange(word_, {}));
        }
    }
    /// "X=1 program" sets a variable, in a shell.
    void refuse_assignment() const {
        constexpr std::string_view letters =
            "_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
        const auto begin = text_.find_first_not_of(blanks);
        const auto end = text_.find_first_not_of(letters, std::min(begin, text_.size()));
        if (end != text_.npos && end > begin && text_[end] == '=' &&
            (text_[begin] < '0' || text_[begin] > '9')) {
            const std::string variable(text_.substr(begin, end + 1 - begin));
            refuse("no shell reads the command, so \"" + variable + "\" sets nothing; write " +
                   std::string(name_) + "=env " + variable + "...");
        }
    }
    void refuse_special(char c, std::string_view all) const {
        if (all.find(c) != all.npos) {
            refuse(std::string("no shell reads the command, so \"") + c +
                   "\" means nothing in it; quote it, or start a shell: " + std::string(name_) +
                   "=sh -c '...'");
        }
    }
    [[noreturn]] void refuse(const std::string& what) const {
        fail_argument(std::string(name_) + ": " + what);
    }

    std::string_view text_;
    std::string_view name_;
    std::size_t at_ = 0;
    std::optional<std::string> word_; ///< Nothing between two words; "" is one.
    std::vector<std::string> words_;
};

} // namespace

program_command parse_program(std::string_view text) {
    const auto equals = text.find('=');
    const std::string name(text.substr(0, equals));
    if (equals == text.npos || name.find_first_of(blanks) != name.npos) {
        fail_argument("\"" + std::string(text) +
                      "\" has no name; allowed is NAME=COMMAND, where the name has no blank");
    }
    if (name.empty()) {
        fail_argument("\"" + std::string(text) + "\" has an empty name; allowed is NAME=COMMAND");
    }
    program_command program{name, std::string(text.substr(equals + 1)), {}};
    program.words = word_reader(program.text, program.name).read();
    if (program.words.empty() || program.words.front().empty()) {
        fail_argument(name + ": the command is empty; allowed is NAME=COMMAND");
    }
    return program;
}

std::string with_workers(std::string text, unsigned workers) {
    constexpr std::string_view place = "{workers}";
    const std::string number = std::to_string(workers);
    for (auto at = text.find(place); at != text.npos; at = text.find(place, at + number.size())) {
        text.replace(at, place.size(), number);
    }
    return text;
}

std::string why_not_startable(const std::string& program) {
    const std::string path = find_program(program);
    struct stat about {};
    if (path.empty()) {
        return "there is no program \"" + program + "\" in PATH";
    }
    if (::stat(path.c_str(), &about) != 0) {
        return "cannot start " + program + ": " + std::strerror(errno);
    }
    if (!S_ISREG(about.st_mode)) {
        return "cannot start " + program + ": it is not a file";
    }
    return ::access(path.c_str(), X_OK) == 0 ? std::string()
                                             : "cannot start " + program + ": it is not executable";
}

} // namespace regatta::race
