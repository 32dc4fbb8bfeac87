// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What the bench of forks has every contender do. Forks beside those of other libraries, sums and
/// sorts are workloads of the race, and stand there.

#include "sampling/sampler.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace regatta::bench {

/// One sample with that many threads, the caller included. Yields what the row says.
using fork_sample = race::outcome (*)(unsigned threads);

/// A contender, and how it does what the bench asks. Null: it has no form for that.
struct fork_case {
    std::string name;
    std::string absent{}; ///< Not empty: it cannot take part, and why.

    fork_sample fib = nullptr;    ///< Fibonacci without a cut-off: time a fork.
    fork_sample region = nullptr; ///< The sum of a tree of 1023 nodes, many times: time a tree.
    fork_sample tree = nullptr;   ///< The sum of a balanced tree of 2^24 - 1 nodes: time a node.
    fork_sample coarse = nullptr; ///< Two calls of 5 ms each: time of both.
    fork_sample coarse_worst = nullptr; ///< The longest of 100 such.
    fork_sample loop_2 = nullptr;       ///< `p[i]++` for that many i, many times: time a loop.
    fork_sample loop_100 = nullptr;
    fork_sample loop_1000 = nullptr;
    fork_sample loop_14us = nullptr; ///< A loop of so much work, many times: time a loop.
    fork_sample loop_62us = nullptr;
    fork_sample loop_250us = nullptr;
    fork_sample paused_14us = nullptr; ///< The same, each after a pause of 1 ms: time of the loop.
    fork_sample paused_62us = nullptr;
    fork_sample paused_250us = nullptr;
    /// CPU time of its workers in those pauses. Yields their share of a CPU in place of the time.
    fork_sample paused_cpu = nullptr;
    fork_sample uneven = nullptr; ///< A loop of 10^6, whose long iterations lie together.
    fork_sample idle = nullptr;   ///< CPU time of its workers in the second after work.
    fork_sample graph = nullptr;  ///< `fork_grid`, which runs many times: time a task.
    fork_sample frame = nullptr;  ///< `fork_layers`, likewise: time a run.
};

fork_case serial_forks();
/// The same where the compiler may turn calls into a loop. Only fib, the region and the tree.
fork_case serial_loops();
fork_case regatta_forks();
/// Within one task of the pool; the others fork from outside. Only the region.
fork_case regatta_forks_in_task();
/// Two threads, each with half of the work, that spin for one another: what these CPUs can gain.
fork_case spinning_halves();
/// The same with a helper that sleeps on a futex: what a wake-up costs. Only loops after a pause.
fork_case woken_half();
fork_case tbb_forks();
fork_case tbb_equal_parts();
fork_case tbb_undivided();
fork_case openmp_tasks();
fork_case openmp_static();
fork_case openmp_dynamic();

/// The nodes of a tree, each in its own block of memory.
struct fork_node {
    std::int64_t value = 1;
    std::unique_ptr<fork_node> left;
    std::unique_ptr<fork_node> right;
};
inline std::unique_ptr<fork_node> make_fork_tree(int depth) {
    auto node = std::make_unique<fork_node>();
    if (depth > 1) {
        node->left = make_fork_tree(depth - 1);
        node->right = make_fork_tree(depth - 1);
    }
    return node;
}

/// Work of some nanoseconds that no compiler leaves out or does for several values at once.
[[gnu::noinline]] inline std::uint64_t fork_work(std::uint64_t value) {
    for (int i = 0; i < 6; ++i) {
        value ^= value << 13;
        value ^= value >> 7;
        value ^= value << 17;
    }
    return value;
}
/// How many iterations `p[i] = fork_work(p[i])` of a loop take that long on one thread here.
std::size_t fork_iterations(std::chrono::microseconds time);
/// Iteration i of 10^6: long in one cluster of a hundredth of them.
inline std::uint64_t fork_uneven_work(std::size_t i) {
    std::uint64_t value = i + 1;
    const int rounds = i >= 300'000 && i < 310'000 ? 100 : 1;
    for (int r = 0; r < rounds; ++r) {
        value = fork_work(value);
    }
    return value;
}

/// Busy for 5 ms.
inline void fork_busy() {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(5);
    while (std::chrono::steady_clock::now() < end) {
    }
}

/// Time of a call of `f`, by `count`.
template<class F>
race::outcome fork_timed(std::size_t count, F&& f) {
    const auto begin = std::chrono::steady_clock::now();
    std::forward<F>(f)();
    const auto end = std::chrono::steady_clock::now();
    return {std::chrono::duration<double, std::nano>(end - begin).count() /
            static_cast<double>(count)};
}

/// Time of a call of `f` when all threads run: the mean of `count` calls after 5 ms of calls. A
/// thread that has just been made or woken may need some milliseconds until it runs.
template<class F>
race::outcome fork_steady(std::size_t count, F&& f) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(5);
    while (std::chrono::steady_clock::now() < end) {
        f();
    }
    return fork_timed(count, [&] {
        for (std::size_t i = 0; i < count; ++i) {
            f();
        }
    });
}

/// The tasks of a graph, one for each cell of a square: each comes after those above it and to the
/// left of it, and does next to nothing.
class fork_grid {
public:
    static constexpr std::size_t side = 32;
    static constexpr std::size_t size = side * side;

    /// Calls `add(i, above, left)` for each cell, in rows; `none` where there is no such cell.
    template<class Add>
    static void build(Add&& add) {
        for (std::size_t i = 0; i < size; ++i) {
            add(i, i >= side ? i - side : none, i % side != 0 ? i - 1 : none);
        }
    }
    static constexpr std::size_t none = ~std::size_t{0};

    void work(std::size_t i) {
        const std::uint32_t above = i >= side ? level_[i - side] : level_[i];
        const std::uint32_t left = i % side != 0 ? level_[i - 1] : above;
        level_[i] = std::max(above, left) + 1;
    }
    /// Time a task, of runs by `run()`.
    template<class Run>
    race::outcome time(Run&& run) {
        auto result = fork_steady(100, run);
        result.ns /= double(size);
        const bool right = level_[0] >= 100 && level_[size - 1] == level_[0] + 2 * (side - 1);
        return right ? result : race::outcome::failed("a task has not run in its turn");
    }

private:
    std::vector<std::uint32_t> level_ = std::vector<std::uint32_t>(size);
};

/// The tasks of a frame: in four layers of four, each after all of the layer before, each of 10 µs.
class fork_layers {
public:
    static constexpr std::size_t width = 4;
    static constexpr std::size_t size = 4 * width;

    void work(std::size_t i) {
        for (std::uint64_t& one : values_[i]) {
            one = fork_work(one);
        }
    }
    template<class Run>
    race::outcome time(Run&& run) {
        return fork_steady(100, run);
    }

private:
    std::vector<std::vector<std::uint64_t>> values_ = std::vector<std::vector<std::uint64_t>>(
        size, std::vector<std::uint64_t>(fork_iterations(std::chrono::microseconds(10)), 1));
};

/// Time a fork of `fib(n)`, which makes fib(n + 1) - 1 of them.
template<class Fib>
race::outcome fork_fib(int n, Fib&& fib) {
    long number = 0;
    long next = 1;
    for (int i = 0; i < n; ++i) {
        number = std::exchange(next, number + next);
    }
    long result = 0;
    auto time = fork_timed(static_cast<std::size_t>(next - 1), [&] { result = fib(n); });
    return result == number ? time : race::outcome::failed("a wrong number");
}

/// Time of a call of `sum(root)` with a tree of 1023 nodes.
template<class Sum>
race::outcome fork_region(Sum&& sum) {
    const auto root = make_fork_tree(10);
    bool right = true;
    auto time = fork_steady(1000, [&] { right = sum(*root) == 1023 && right; });
    return right ? time : race::outcome::failed("a wrong sum");
}

/// Time a node of a call of `sum(root)` with a tree that no cache holds. All samples share it.
template<class Sum>
race::outcome fork_tree(Sum&& sum) {
    constexpr int depth = 24;
    constexpr std::int64_t nodes = (std::int64_t{1} << depth) - 1;
    static const auto root = make_fork_tree(depth);
    std::int64_t result = 0;
    auto time = fork_timed(static_cast<std::size_t>(nodes), [&] { result = sum(*root); });
    return result == nodes ? time : race::outcome::failed("a wrong sum");
}

/// Time of a call of `both(f, f)` with an f of 5 ms: the mean of 20.
template<class Both>
race::outcome fork_coarse(Both&& both) {
    both(fork_busy, fork_busy);
    constexpr int times = 20;
    return fork_timed(times, [&] {
        for (int i = 0; i < times; ++i) {
            both(fork_busy, fork_busy);
        }
    });
}
/// The longest of 100.
template<class Both>
race::outcome fork_coarse_worst(Both&& both) {
    both(fork_busy, fork_busy);
    double worst = 0;
    for (int i = 0; i < 100; ++i) {
        worst = std::max(worst, fork_timed(1, [&] { both(fork_busy, fork_busy); }).ns);
    }
    return {worst};
}

} // namespace regatta::bench
