// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What a verdict is called in a table. In JSON and CSV it is `to_string`, which stays what it is
/// when a word here changes.

#include "sampling/verdict.hpp"

#include <string_view>

namespace regatta::race {

/// "faster", "equal", …
constexpr std::string_view word_of(verdict v) noexcept {
    switch (v) {
    case verdict::baseline:
        return "baseline";
    case verdict::faster:
        return "faster";
    case verdict::slower:
        return "slower";
    case verdict::equal:
        return "equal";
    case verdict::unclear:
        return "unclear";
    case verdict::undecided:
        break;
    }
    return "undecided";
}

} // namespace regatta::race
