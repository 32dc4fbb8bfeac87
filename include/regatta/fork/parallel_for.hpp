// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Loops whose iterations run in parallel.

#include <regatta/fork/detail/fork_loop.hpp>
#include <regatta/fork/fork_options.hpp>

#include <concepts>
#include <type_traits>
#include <utility>

namespace regatta {

namespace detail {

template<class Index, class F>
struct loop_body {
    F& f;

    REGATTA_INLINE void operator()(Index begin, Index end) const {
        for (; begin != end; ++begin) {
            f(begin);
        }
    }
};

} // namespace detail

/// Calls `f(i)` for every i from `begin` to `end` - 1, on the calling thread and idle workers.
///
/// There is no grain size to choose. The calling thread runs the iterations in blocks, which grow
/// until one takes about two microseconds. Between blocks it gives half of the rest to an idle
/// worker, which does the same.
///
/// ```cpp
/// regatta::parallel_for(0, n, [&](int i) { y[i] += a * x[i]; });
/// ```
///
/// Threads: any. `f` is called by several threads at once.
/// Blocks: until all iterations have ended. It helps with other forks meanwhile.
/// Order: none among the iterations. What they did happens before the return.
/// Failure: throws the first exception of an iteration; iterations that have not begun by then are
/// skipped.
/// Cost: about 0.1 µs for a loop of two iterations.
template<std::integral Index, class F>
requires std::invocable<F&, Index> void parallel_for(Index begin, std::type_identity_t<Index> end,
                                                     F&& f, const fork_options& options = {}) {
    if (begin < end) {
        const detail::loop_body<Index, std::remove_reference_t<F>> body{f};
        detail::run_loop(detail::fork_loop_home(), begin, end, body, options);
    }
}

/// The same on the workers of `pool`.
/// Failure: also `task_rejected` if the pool is closed.
template<detail::forks_on Pool, std::integral Index, class F>
requires std::invocable<F&, Index> void parallel_for(Pool& pool, Index begin,
                                                     std::type_identity_t<Index> end, F&& f,
                                                     const fork_options& options = {}) {
    if (begin < end) {
        const detail::loop_body<Index, std::remove_reference_t<F>> body{f};
        detail::run_loop(detail::fork_access::team(pool), begin, end, body, options);
    }
}

} // namespace regatta
