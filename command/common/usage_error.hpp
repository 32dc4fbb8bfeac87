// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The command line asks for something that cannot be.

#include <stdexcept>

namespace regatta::command {

/// What the process returns.
namespace exit_code {
inline constexpr int success = 0;
inline constexpr int failure = 1; ///< A scheme failed, or the system refused something.
inline constexpr int usage = 2;
} // namespace exit_code

/// The text says what is wrong and what is allowed; the command ends with `exit_code::usage`.
class usage_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

} // namespace regatta::command
