// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What a plan says of an option that the running kernel has.

#include <regatta/boot/boot_line.hpp>

#include <string>

namespace regatta::detail {

/// What to do with an option that the running kernel was started with.
inline std::string advice_on_current(const boot_option& option) {
    return "This kernel was started with " + option.name + '=' + option.current.value_or("") +
           (option.current == option.value
                ? ": leave that as it is."
                : ": replace it. Repeating an option does not combine its lists.");
}

} // namespace regatta::detail
