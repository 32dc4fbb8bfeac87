// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The loop behind the peak as a template on a vector. Included by one file per kind
/// of processor, each compiled for that processor: everything but the declarations has internal
/// linkage, so that no other file can end up calling code that its processor does not have.

#include <cstddef>
#include <cstdint>

namespace regatta::race {

/// Multiplies and adds so many times in each of its chains.
/// @returns how many floating-point operations that were.
using peak_loop = std::uint64_t(std::uint64_t rounds) noexcept;

peak_loop peak_loop_generic;
peak_loop peak_loop_generic_double;
#if defined(__x86_64__)
peak_loop peak_loop_avx2;
peak_loop peak_loop_avx2_double;
peak_loop peak_loop_avx512;
peak_loop peak_loop_avx512_double;
#endif

} // namespace regatta::race

namespace {

/// `Vector` is a vector of `Element`.
template<class Vector, class Element>
struct multiply_add_chains {
    /// Two units with a latency of six cycles are busy; with a factor and a summand these still
    /// fit into sixteen registers.
    static constexpr std::size_t chains = 12;
    static constexpr std::uint64_t lanes = sizeof(Vector) / sizeof(Element);

    static std::uint64_t run(std::uint64_t rounds) noexcept {
        Vector value[chains] = {};
        // Nothing of this is known to the compiler, nor is the result nothing to it.
        Vector factor = Vector{} + Element{0.5};
        Vector summand = Vector{} + Element{1};
        asm volatile("" : "+m"(factor), "+m"(summand));
        const Vector by = factor;
        const Vector plus = summand;
        for (std::uint64_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 12
            for (std::size_t i = 0; i < chains; ++i) {
                value[i] = value[i] * by + plus;
            }
        }
        asm volatile("" : : "m"(value));
        return 2 * lanes * chains * rounds;
    }
};

} // namespace
