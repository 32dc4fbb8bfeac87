// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "common/nearest_name.hpp"

#include <algorithm>
#include <cstddef>

namespace regatta::command {
namespace {

std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i) {
        for (std::size_t j = 0; j <= b.size(); ++j) {
            if (i == 0 || j == 0) {
                d[i][j] = i + j;
                continue;
            }
            const std::size_t replaced = d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, replaced});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
            }
        }
    }
    return d[a.size()][b.size()];
}

} // namespace

std::string nearest_name(std::string_view typed, const std::vector<std::string_view>& names) {
    std::string_view best;
    // More than a third of it in error is another word.
    const std::size_t most = typed.size() <= 3 ? 1 : std::max<std::size_t>(2, typed.size() / 3);
    std::size_t least = most + 1;
    for (const std::string_view name : names) {
        // The beginning of a name is near, whatever its length.
        const bool begins = typed.size() >= 2 && name.starts_with(typed);
        const std::size_t far = begins ? 1 : distance(typed, name);
        if (far < least) {
            least = far;
            best = name;
        }
    }
    return std::string(best);
}

} // namespace regatta::command
