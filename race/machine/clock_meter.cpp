// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "machine/clock_meter.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

namespace regatta::race {
namespace {

#if defined(__x86_64__) || defined(__aarch64__)
constexpr bool can_chain = true;
#else
constexpr bool can_chain = false;
#endif

/// 100 additions of which each needs the result of the one before. Of registers: newer processors
/// fold the addition of a constant into the next one.
inline void add_100([[maybe_unused]] std::uint64_t& sum, [[maybe_unused]] std::uint64_t term) {
#if defined(__x86_64__)
    asm volatile(".rept 100\n\taddq %1, %0\n\t.endr" : "+r"(sum) : "r"(term) : "cc");
#elif defined(__aarch64__)
    asm volatile(".rept 100\n\tadd %0, %0, %1\n\t.endr" : "+r"(sum) : "r"(term));
#endif
}

/// The clock of the CPU that the calling thread runs on: the fastest of many short chains, so that
/// neither an interrupt nor another process counts as a slow clock.
double clock_by_additions() {
    using clock = std::chrono::steady_clock;
    constexpr int chains = 60;
    constexpr int hundreds = 400;
    std::uint64_t sum = 0;
    double shortest_ns = 0;
    for (int chain = 0; chain < chains; ++chain) {
        const auto begin = clock::now();
        for (int i = 0; i < hundreds; ++i) {
            add_100(sum, static_cast<std::uint64_t>(chain));
        }
        const double ns = std::chrono::duration<double, std::nano>(clock::now() - begin).count();
        shortest_ns = chain == 0 ? ns : std::min(shortest_ns, ns);
    }
    return hundreds * 100 / shortest_ns * 1e9;
}

} // namespace

std::optional<double> clock_now(unsigned busy) {
    if (!can_chain || busy == 0) {
        return std::nullopt;
    }
    std::vector<double> clocks(busy);
    {
        std::vector<std::jthread> threads;
        for (unsigned i = 1; i < busy; ++i) {
            threads.emplace_back([&clocks, i] { clocks[i] = clock_by_additions(); });
        }
        clocks[0] = clock_by_additions();
    }
    const auto middle = clocks.begin() + static_cast<std::ptrdiff_t>(clocks.size() / 2);
    std::nth_element(clocks.begin(), middle, clocks.end());
    return *middle;
}

std::string_view clock_source() noexcept {
    return can_chain ? "a chain of additions after each run"
                     : "none: a change of the clock goes unnoticed";
}

} // namespace regatta::race
