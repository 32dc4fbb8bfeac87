// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What the fuzz targets have in common.

#include <cstdio>
#include <cstdlib>

namespace fuzz {

/// Ends the run with what was expected, so that the input is kept.
inline void expect(bool holds, const char* what) {
    if (!holds) {
        std::fprintf(stderr, "expected: %s\n", what);
        std::abort();
    }
}

} // namespace fuzz
