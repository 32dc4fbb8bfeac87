// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The commands below `regatta` and their options. The parser's library is known to subcommand.cpp
/// alone, because each file that includes it costs seconds of compiling.

#include "common/argument_checks.hpp"
#include "common/command_entry.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace regatta::command {

/// What the chosen command does once the whole command line is read; returns the exit status.
using action = std::function<int()>;

/// An option or an argument of a command, by reference.
class option {
public:
    explicit option(CLI::Option* is) noexcept : option_(is) {}

    /// Refuses a text that the check complains of.
    option check(argument_check complaint) const;
    /// How the help names its value: "FILE".
    option type_name(const std::string& name) const;
    /// What the help says it is where it is not typed.
    option default_str(const std::string& text) const;
    option required() const;
    /// The two cannot be typed together.
    option excludes(option other) const;
    /// Several values in one word, apart by this character.
    option delimiter(char between) const;
    /// One value each time that it is typed, and not all words that follow.
    option one_value_each() const;
    /// How often it was typed.
    std::size_t count() const;

private:
    CLI::Option* option_;
};

/// A command, by reference.
class subcommand {
public:
    explicit subcommand(CLI::App* is) noexcept : app_(is) {}

    /// Adds one below it.
    subcommand add_subcommand(const std::string& name, const std::string& purpose) const;
    /// Adds an option ("--json") or an argument ("cpus").
    /// @param value where to put what is typed: a `std::string`, an `std::optional` of one, of
    /// `int`, `unsigned`, `unsigned long` or `double`, or an `std::vector` of `std::string`,
    /// `int`, `unsigned` or `unsigned long`.
    template<class Value>
    option add_option(const std::string& name, Value& value, const std::string& purpose) const;
    option add_flag(const std::string& name, bool& value, const std::string& purpose) const;
    /// One that was added.
    option option_named(const std::string& name) const;
    /// What the help ends with.
    void footer(const std::string& text) const;
    /// Chooses `what` when it was typed, unless a more special one below it has chosen.
    /// Failure: `usage_error` if one below it has, and options of this one were typed, which that
    /// one would not see.
    void runs(action& chosen, action what) const;
    /// What else to do when it was typed, once all is read.
    void final_callback(std::function<void()> then) const;

    std::string name() const;
    /// The names of its options that were typed.
    std::vector<std::string> typed_options() const;
    /// All that its help tells, and that of the commands below it.
    command_entry entry() const;

private:
    CLI::App* app_;
};

/// The whole command line.
class command_line {
public:
    command_line(const std::string& name, const std::string& purpose, const std::string& version);
    command_line(const command_line&) = delete;
    command_line& operator=(const command_line&) = delete;
    ~command_line();

    subcommand top() const noexcept { return subcommand(app_.get()); }
    /// Reads it and calls back. Where help or the version was asked for it is printed; "help race"
    /// is "race --help".
    /// @param words without the program's name.
    /// @returns the exit status, if the process ends with that.
    /// Failure: `usage_error`, with the nearest name for a command or option that is not there;
    /// and what is called back throws.
    std::optional<int> parse(std::vector<std::string> words) const;
    /// The command that the words name, as far as they do: "regatta race isolation".
    std::string command_of(const std::vector<std::string>& words) const;

private:
    std::unique_ptr<CLI::App> app_;
};

} // namespace regatta::command
