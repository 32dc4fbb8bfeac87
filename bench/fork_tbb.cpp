// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// oneTBB: parallel_invoke, and parallel_for with the automatic partitioner, on as many threads;
/// and loops with the static one, which gives each thread an equal part.

#include "fork_rows.hpp"

#include "schemes/tbb_threads.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_invoke.h>

namespace regatta::bench {

namespace {

/// @tparam Grain a block of so many iterations is not divided.
template<class Partitioner, std::size_t Grain = 1>
struct on_tbb {
    explicit on_tbb(unsigned count) : threads(count) { threads.start(); }
    template<class F>
    void loop(std::size_t n, F&& f) {
        const auto body = [&f](const auto& block) {
            for (std::size_t i = block.begin(); i != block.end(); ++i) {
                f(i);
            }
        };
        tbb::parallel_for(tbb::blocked_range<std::size_t>(0, n, Grain), body, Partitioner());
    }
    template<class F, class G>
    void both(F&& f, G&& g) {
        tbb::parallel_invoke(f, g);
    }
    race::tbb_threads threads;
};

std::int64_t sum(const fork_node& n) {
    std::int64_t a = 0;
    std::int64_t b = 0;
    tbb::parallel_invoke([&] { a = n.left ? sum(*n.left) : 0; },
                         [&] { b = n.right ? sum(*n.right) : 0; });
    return n.value + a + b;
}

} // namespace

fork_case tbb_forks() {
    fork_case c{.name = "oneTBB"};
    c.region = [](unsigned threads) {
        const on_tbb<tbb::auto_partitioner> scheme(threads);
        return fork_region(sum);
    };
    fork_call_rows<on_tbb<tbb::auto_partitioner>>::fill(c);
    fork_loop_rows<on_tbb<tbb::auto_partitioner>>::fill(c);
    return c;
}

fork_case tbb_equal_parts() {
    fork_case c{.name = "oneTBB static"};
    fork_loop_rows<on_tbb<tbb::static_partitioner>>::fill(c);
    return c;
}

fork_case tbb_undivided() {
    using rows = fork_loop_rows<on_tbb<tbb::simple_partitioner, 10'000>>;
    fork_case c{.name = "oneTBB, grain 10000"};
    rows::fill_short(c);
    return c;
}

} // namespace regatta::bench
