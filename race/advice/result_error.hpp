// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A file is not the result that it was given as.

#include <stdexcept>

namespace regatta::race {

/// The text names the file, the place in it, what is there and what is allowed.
class result_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

} // namespace regatta::race
