// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What the contract tests of the bus and of the worker pool send.

#include <string>

namespace library_test {

struct tick {
    int value;
};
struct row {
    int index = 0;
};
struct text {
    std::string line;
};

} // namespace library_test
