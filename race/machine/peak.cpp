// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "machine/peak.hpp"

#include "machine/peak_loop.hpp"

#include <algorithm>
#include <chrono>

namespace regatta::race {
namespace {

struct instruction_set {
    peak_loop* of_floats;
    peak_loop* of_doubles;
    const char* name;
    unsigned floats; ///< At once.
};

/// The set that `matmul_tiled` computes with.
instruction_set widest() noexcept {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) {
        return {peak_loop_avx512, peak_loop_avx512_double, "AVX-512, ", 16};
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        return {peak_loop_avx2, peak_loop_avx2_double, "AVX2 and FMA, ", 8};
    }
#endif
    return {peak_loop_generic, peak_loop_generic_double, "", 4};
}

} // namespace

floating_point_peak peak_gflops(bool of_doubles) {
    using clock = std::chrono::steady_clock;
    constexpr std::chrono::nanoseconds burst = std::chrono::microseconds(200);
    constexpr std::chrono::nanoseconds all = std::chrono::milliseconds(20);
    const instruction_set set = widest();
    peak_loop* const loop = of_doubles ? set.of_doubles : set.of_floats;
    double best = 0;
    const auto end = clock::now() + all;
    for (std::uint64_t rounds = 1000; clock::now() < end;) {
        const auto from = clock::now();
        const std::uint64_t operations = loop(rounds);
        const std::chrono::duration<double, std::nano> took = clock::now() - from;
        if (took < burst) {
            rounds *= 2;
        }
        best = std::max(best, static_cast<double>(operations) / std::max(took.count(), 1.0));
    }
    return {best, std::string("multiply-add loop in registers, ") + set.name +
                      std::to_string(of_doubles ? set.floats / 2 : set.floats) +
                      (of_doubles ? " doubles at once" : " floats at once")};
}

} // namespace regatta::race
