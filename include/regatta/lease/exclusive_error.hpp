// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Why a lease of CPUs was refused.

#include <string>

namespace regatta {

/// Why a lease of CPUs was refused; false: no failure.
struct exclusive_error {
    int number = 0;           ///< As in errno.
    bool bad_request = false; ///< The caller's mistake: no machine in this state could grant it.
    std::string text{};       ///< The request, what failed, and what is allowed.
    explicit operator bool() const noexcept { return number != 0; }
};

} // namespace regatta
