// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Runs a function whose forks go to the workers of a given pool.

#include <regatta/fork/join.hpp>

namespace regatta::detail {

/// Calls `f` on the calling thread. What it forks runs on the workers of `pool`.
template<class Pool, class F>
void on_pool(Pool& pool, F&& f) {
    regatta::join(pool, f, [] {});
}

} // namespace regatta::detail
