// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// The loop for processors with AVX-512.

#include "machine/peak_loop.hpp"

namespace {
typedef float floats __attribute__((vector_size(64)));
typedef double doubles __attribute__((vector_size(64)));
} // namespace

namespace regatta::race {

std::uint64_t peak_loop_avx512(std::uint64_t rounds) noexcept {
    return multiply_add_chains<floats, float>::run(rounds);
}

std::uint64_t peak_loop_avx512_double(std::uint64_t rounds) noexcept {
    return multiply_add_chains<doubles, double>::run(rounds);
}

} // namespace regatta::race
