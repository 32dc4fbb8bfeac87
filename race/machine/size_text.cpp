// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "machine/size_text.hpp"

#include <fmt/core.h>

#include <array>
#include <cstddef>

namespace regatta::race {

std::string size_text(std::uint64_t bytes) {
    constexpr std::array units{"bytes", "KiB", "MiB", "GiB", "TiB"};
    std::size_t unit = 0;
    auto size = static_cast<double>(bytes);
    // What rounds up to 1024 is 1 of the next unit; below a KiB nothing is rounded.
    for (; size >= (unit == 0 ? 1024 : 1023.95) && unit + 1 < units.size(); ++unit) {
        size /= 1024;
    }
    const bool whole = size == static_cast<double>(static_cast<std::uint64_t>(size));
    return fmt::format("{:.{}f} {}", size, whole ? 0 : 1, units[unit]);
}

} // namespace regatta::race
