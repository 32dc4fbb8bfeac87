// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "scaling/speedup.hpp"

namespace regatta::race {

estimate speedup_between(const series& base, const series& point, std::uint64_t seed) {
    return paired_ratio(base, point, seed);
}

} // namespace regatta::race
