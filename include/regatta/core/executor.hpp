// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What every pool of this library can do.

#include <chrono>
#include <concepts>
#include <vector>

namespace regatta {

/// A pool that runs callables: code that is written for an `executor` changes its pool by changing
/// one type.
///
/// `execute` runs a callable and forgets it, `submit` gives a future of its result, `submit_batch`
/// the futures of a range of callables; `wait` and `wait_for` wait until the pool is idle; `close`
/// refuses further tasks and runs those that were accepted; `stats` says what it has done.
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
