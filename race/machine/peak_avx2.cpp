// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// The loop for processors with AVX2 and FMA.

#include "machine/peak_loop.hpp"

namespace {
typedef float floats __attribute__((vector_size(32)));
typedef double doubles __attribute__((vector_size(32)));
} // namespace

namespace regatta::race {

std::uint64_t peak_loop_avx2(std::uint64_t rounds) noexcept {
    return multiply_add_chains<floats, float>::run(rounds);
}

std::uint64_t peak_loop_avx2_double(std::uint64_t rounds) noexcept {
    return multiply_add_chains<doubles, double>::run(rounds);
}

} // namespace regatta::race
