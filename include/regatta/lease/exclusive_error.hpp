// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Why CPUs could not be had.

#include <string>

namespace regatta {

/// Why CPUs could not be had; false where nothing failed.
struct exclusive_error {
    int number = 0;           ///< As in errno.
    bool bad_request = false; ///< No machine in this state could grant it: the caller's mistake.
    std::string text{};       ///< What was asked, what failed, what is allowed.
    explicit operator bool() const noexcept { return number != 0; }
};

} // namespace regatta
