// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The rows of the bench of forks that differ only in how a contender runs a loop.

#include "fork_case.hpp"

#include <ctime>
#include <thread>
#include <vector>

namespace regatta::bench {

/// @tparam Scheme `Scheme scheme(threads)`, `scheme.loop(n, f)` calls f(i) for i below n, and
/// `scheme.run(f)` calls f where it may fork.
template<class Scheme>
struct fork_loop_rows {
    template<std::size_t N>
    static race::outcome small(unsigned threads) {
        Scheme scheme(threads);
        std::vector<int> p(N, 0);
        constexpr std::size_t rounds = 20'000;
        return scheme.run([&] {
            return fork_timed(rounds, [&] {
                for (std::size_t r = 0; r < rounds; ++r) {
                    int* const at = p.data();
                    __asm__ volatile("" : : "r"(at) : "memory");
                    scheme.loop(N, [at](std::size_t i) { at[i]++; });
                }
            });
        });
    }
    /// Loops of N iterations of `fork_work`, each after a pause.
    template<std::size_t N, int PauseUs>
    static race::outcome worked(unsigned threads) {
        Scheme scheme(threads);
        std::vector<std::uint64_t> p(N, 1);
        constexpr int rounds = PauseUs != 0 ? 50 : 500;
        double sum = 0;
        for (int r = 0; r < rounds; ++r) {
            if constexpr (PauseUs != 0) {
                std::this_thread::sleep_for(std::chrono::microseconds(PauseUs));
            }
            sum += fork_timed(1, [&] {
                       scheme.loop(N, [&p](std::size_t i) { p[i] = fork_work(p[i]); });
                   }).ns;
        }
        return {sum / rounds};
    }
    static race::outcome uneven(unsigned threads) {
        Scheme scheme(threads);
        std::vector<std::uint64_t> p(1'000'000, 0);
        return fork_timed(
            1, [&] { scheme.loop(p.size(), [&p](std::size_t i) { p[i] = fork_uneven_work(i); }); });
    }
    static race::outcome idle(unsigned threads) {
        Scheme scheme(threads);
        std::vector<std::uint64_t> p(100'000, 1);
        scheme.loop(p.size(), [&p](std::size_t i) { p[i] = fork_work(p[i]); });
        const auto begin = cpu_ns();
        std::this_thread::sleep_for(std::chrono::seconds(1));
        return {cpu_ns() - begin};
    }

    static void fill(fork_case& c) {
        c.loop_2 = small<2>;
        c.loop_100 = small<100>;
        c.loop_1000 = small<1000>;
        c.loop_14us = worked<1'000, 0>;
        c.loop_62us = worked<4'400, 0>;
        c.loop_250us = worked<18'000, 0>;
        c.paused_14us = worked<1'000, 1000>;
        c.paused_62us = worked<4'400, 1000>;
        c.paused_250us = worked<18'000, 1000>;
        c.uneven = uneven;
        c.idle = idle;
    }

private:
    static double cpu_ns() {
        std::timespec now{};
        ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
        return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
    }
};

} // namespace regatta::bench
