// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What may stand after an option: the checks that several commands share, in the same words.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace regatta::command {

/// Says what is wrong with the text of an option; empty: nothing. As `option::check` takes it.
using argument_check = std::function<std::string(const std::string&)>;

/// A whole number, in decimal without leading zeros. The parser itself wraps "-1" round, takes
/// "010" for 8, and its range takes "0x10" for 0.
argument_check whole_number(std::uint64_t lowest, std::uint64_t highest);

/// A number that may have a fraction.
argument_check number(double lowest, double highest);

/// A file that is to be written.
std::string check_file(const std::string& text);

/// A directory that is there.
std::string check_directory(const std::string& text);

/// Refuses a program that does not stand after `--`, which is no word of its own, and a `--`
/// without one, by a `usage_error`.
/// @param words the whole command line. @param command for the example in the message.
void require_program_after_mark(const std::vector<std::string>& program,
                                const std::vector<std::string>& words, std::string_view command);

/// Whether it is digits for a whole number of 64 bits, as in `whole_number`.
bool is_whole_number(const std::string& text, std::uint64_t& number) noexcept;

} // namespace regatta::command
