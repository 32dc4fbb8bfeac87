// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The options that the running kernel has, and what a plan says of them.

#include <regatta/boot/boot_line.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace regatta::detail {

/// Each `name=value` of a kernel's command line before `--`, where the arguments of init begin.
/// Blanks between quotes belong to a word, which is returned without quotes; a '-' in a name is
/// '_'.
std::vector<std::pair<std::string, std::string>> options_of(std::string_view command_line);

/// Whether two values of an option mean the same: the same flags, in whatever order, and the same
/// CPUs, however they are written.
bool same_setting(std::string_view one, std::string_view other);

/// Whether the running kernel was started with just that option.
inline bool holds(const boot_option& option) {
    return option.current && same_setting(*option.current, option.value);
}

/// What to do with an option that the running kernel was started with.
inline std::string advice_on_current(const boot_option& option) {
    return "This kernel was started with " + option.name + '=' + option.current.value_or("") +
           (holds(option) ? ": leave that as it is."
                          : ": replace it. Repeating an option does not combine its lists.");
}

} // namespace regatta::detail
