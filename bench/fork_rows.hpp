// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The rows of the bench of forks that differ only in how a contender runs a loop or two calls.

#include "fork_case.hpp"

#include "machine/cpu_time.hpp"

#include <chrono>
#include <ctime>
#include <thread>
#include <vector>

namespace regatta::bench {

/// CPU time of all threads of this process but the calling one.
inline double others_cpu_ns() {
    const auto all = static_cast<double>(race::exact_own_cpu_ns());
    timespec own{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &own);
    return all - static_cast<double>(own.tv_sec) * 1e9 - static_cast<double>(own.tv_nsec);
}

/// What these threads used while the calling one slept.
inline double cpu_while_asleep(std::chrono::milliseconds time) {
    const double before = others_cpu_ns();
    std::this_thread::sleep_for(time);
    return others_cpu_ns() - before;
}

/// @tparam Scheme `Scheme scheme(threads)`; `scheme.loop(n, f)` calls f(i) for i below n.
template<class Scheme>
struct fork_loop_rows {
    template<std::size_t N>
    static race::outcome small(unsigned threads) {
        Scheme scheme(threads);
        std::vector<int> p(N, 0);
        constexpr std::size_t rounds = N < 10 ? 100'000 : 20'000;
        return fork_steady(rounds, [&] {
            int* const at = p.data();
            __asm__ volatile("" : : "r"(at) : "memory");
            scheme.loop(N, [at](std::size_t i) { at[i]++; });
        });
    }
    /// Loops of `fork_work` that take one thread so many microseconds.
    template<int Us>
    static race::outcome back_to_back(unsigned threads) {
        Scheme scheme(threads);
        auto p = array_for<Us>();
        return fork_steady(500, [&] { run(scheme, p); });
    }
    /// Each after a pause of 1 ms.
    template<int Us>
    static race::outcome paused(unsigned threads) {
        Scheme scheme(threads);
        auto p = array_for<Us>();
        constexpr int rounds = 50;
        double sum = 0;
        for (int r = 0; r < rounds; ++r) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            sum += fork_timed(1, [&] { run(scheme, p); }).ns;
        }
        return {sum / rounds};
    }
    static race::outcome paused_cpu(unsigned threads) {
        Scheme scheme(threads);
        auto p = array_for<62>();
        double used = 0;
        double paused = 0;
        for (int r = 0; r < 50; ++r) {
            run(scheme, p);
            paused +=
                fork_timed(1, [&] { used += cpu_while_asleep(std::chrono::milliseconds(1)); }).ns;
        }
        return {used / paused};
    }
    static race::outcome uneven(unsigned threads) {
        Scheme scheme(threads);
        std::vector<std::uint64_t> p(1'000'000, 0);
        return fork_steady(
            1, [&] { scheme.loop(p.size(), [&p](std::size_t i) { p[i] = fork_uneven_work(i); }); });
    }
    static race::outcome idle(unsigned threads) {
        Scheme scheme(threads);
        auto p = array_for<250>();
        run(scheme, p);
        return {cpu_while_asleep(std::chrono::seconds(1))};
    }

    static void fill_short(fork_case& c) {
        c.loop_2 = small<2>;
        c.loop_100 = small<100>;
        c.loop_1000 = small<1000>;
    }
    static void fill(fork_case& c) {
        fill_short(c);
        c.loop_14us = back_to_back<14>;
        c.loop_62us = back_to_back<62>;
        c.loop_250us = back_to_back<250>;
        c.paused_14us = paused<14>;
        c.paused_62us = paused<62>;
        c.paused_250us = paused<250>;
        c.paused_cpu = paused_cpu;
        c.uneven = uneven;
        c.idle = idle;
    }

private:
    template<int Us>
    static std::vector<std::uint64_t> array_for() {
        return std::vector<std::uint64_t>(fork_iterations(std::chrono::microseconds(Us)), 1);
    }
    static void run(Scheme& scheme, std::vector<std::uint64_t>& p) {
        scheme.loop(p.size(), [&p](std::size_t i) { p[i] = fork_work(p[i]); });
    }
};

/// @tparam Scheme `scheme.both(f, g)` calls both.
template<class Scheme>
struct fork_call_rows {
    static race::outcome coarse(unsigned threads) {
        Scheme scheme(threads);
        return fork_coarse([&scheme](auto f, auto g) { scheme.both(f, g); });
    }
    static race::outcome coarse_worst(unsigned threads) {
        Scheme scheme(threads);
        return fork_coarse_worst([&scheme](auto f, auto g) { scheme.both(f, g); });
    }
    static void fill(fork_case& c) {
        c.coarse = coarse;
        c.coarse_worst = coarse_worst;
    }
};

} // namespace regatta::bench
