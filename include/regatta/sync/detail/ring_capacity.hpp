// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// How many cells a bounded ring has.

#include <regatta/base/config.hpp>
#include <regatta/base/detail/text_parts.hpp>
#include <regatta/base/error.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace regatta::detail {

/// `capacity`, but at least `least`, rounded up to a power of two. Throws `std::invalid_argument`
/// if no array of cells of that size can be so long.
REGATTA_APART inline std::size_t ring_capacity(std::size_t capacity, std::size_t least,
                                               std::size_t cell_size) {
    const std::size_t most =
        std::bit_floor(std::size_t{std::numeric_limits<std::ptrdiff_t>::max()} / cell_size);
    if (capacity > most) {
        fail_argument(text_of(
            {"the capacity of a ring must be at most ", decimal(static_cast<std::int64_t>(most))}));
    }
    return std::bit_ceil(std::max(capacity, least));
}

} // namespace regatta::detail
