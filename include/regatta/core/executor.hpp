// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The interface that all pools of this library share.

#include <regatta/base/detail/clock.hpp>

#include <concepts>
#include <vector>

namespace regatta {

/// A pool that runs callables. Code written for an `executor` changes its pool by changing one
/// type.
///
/// `execute` runs a callable and returns nothing. `submit` returns a future of its result, and
/// `submit_batch` the futures of a range of callables. `wait` and `wait_for` wait until the pool is
/// idle. `close` refuses further tasks and runs the accepted ones. `stats` returns the pool's
/// figures.
///
/// A call of `execute` may return after the callable has run. The pool must exist until then: a
/// result that the callable has set does not show that its submitter has left the pool.
template<class P>
concept executor = requires(P& pool, int (*f)(), std::vector<int (*)()> range) {
    pool.execute(f);
    { pool.submit(f).get() } -> std::same_as<int>;
    pool.submit_batch(range);
    pool.wait();
    { pool.wait_for(std::chrono::milliseconds(1)) } -> std::same_as<bool>;
    pool.close();
    pool.stats().submitted;
};

} // namespace regatta
