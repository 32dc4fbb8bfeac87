// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A conversion between integers whose widths some systems tell apart and others do not.

namespace regatta::detail {

/// A `static_cast`. Where both types are the same, compilers do not warn of a useless one.
template<class To, class From>
constexpr To width_cast(From value) noexcept {
    return static_cast<To>(value);
}

} // namespace regatta::detail
