// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What the bench of forks has every contender do.

#include "sampling/sampler.hpp"

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

    fork_sample fib = nullptr;  ///< fib(30) without a cut-off: time a fork.
    fork_sample tree = nullptr; ///< The sum of a tree of 2^20 - 1 nodes: time a node.
    fork_sample region =
        nullptr; ///< The sum of a tree of 1023 nodes, again and again: time a tree.
    fork_sample coarse = nullptr; ///< Two calls of 5 ms each: time of both.
    fork_sample loop_2 = nullptr; ///< `p[i]++` for that many i, again and again: time a loop.
    fork_sample loop_100 = nullptr;
    fork_sample loop_1000 = nullptr;
    fork_sample loop_14us = nullptr; ///< A loop of so much work, again and again: time a loop.
    fork_sample loop_62us = nullptr;
    fork_sample loop_250us = nullptr;
    fork_sample paused_14us = nullptr; ///< The same, each after a pause of 1 ms: time of the loop.
    fork_sample paused_62us = nullptr;
    fork_sample paused_250us = nullptr;
    fork_sample uneven = nullptr; ///< A loop of 10^6, whose long iterations lie together.
    fork_sample reduce = nullptr; ///< The sum of 10^7 doubles.
    fork_sample idle = nullptr;   ///< CPU time of the process in the second after work.
};

fork_case serial_forks();
fork_case regatta_forks();

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

/// Work of some 14 ns that no compiler leaves out or does for several values at once.
[[gnu::noinline]] inline std::uint64_t fork_work(std::uint64_t value) {
    for (int i = 0; i < 6; ++i) {
        value ^= value << 13;
        value ^= value >> 7;
        value ^= value << 17;
    }
    return value;
}
/// Iteration i of 10^6: long in one cluster of a hundredth of them.
inline std::uint64_t fork_uneven_work(std::size_t i) {
    std::uint64_t value = i + 1;
    const int rounds = i >= 300'000 && i < 310'000 ? 100 : 1;
    for (int r = 0; r < rounds; ++r) {
        value = fork_work(value);
    }
    return value;
}

/// Busy for that long.
inline void fork_busy(std::chrono::microseconds time) {
    const auto end = std::chrono::steady_clock::now() + time;
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

} // namespace regatta::bench
