// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What the kernel's files tell, a line or a value at a time. Whatever cannot be read is empty or
/// absent: no machine has all of them.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace regatta::race {

/// The whole of it.
std::string text_of_file(const std::string& path);

/// The first line, without the blanks around it and without the zero bytes of a device tree.
std::string line_of(const std::string& path);

/// The value behind `key` in lines of "key<separator>value", without blanks and quotation marks.
std::string value_of(const std::string& path, std::string_view key, char separator);

/// The number that the text begins with: of "3400.5 MHz" 3400.5.
std::optional<double> decimal(std::string_view text);

/// A file that is one number.
std::optional<std::int64_t> number_of(const std::string& path);

/// A file that is 0 or not.
std::optional<bool> flag_of(const std::string& path);

/// The value in brackets: of "always [madvise] never" madvise. Without brackets the whole line.
std::string choice_of(const std::string& path);

} // namespace regatta::race
