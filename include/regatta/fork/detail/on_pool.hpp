// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Runs a function whose forks go to the workers of a given pool.

#include <regatta/core/detail/fork_access.hpp>

namespace regatta::detail {

/// Calls `f` on the calling thread and returns its result. What it forks runs on the workers of
/// `pool`.
template<forks_on Pool, class F>
decltype(auto) on_pool(Pool& pool, F&& f) {
    const fork_stack::region here(fork_stack::current(), fork_access::team(pool));
    return f();
}

} // namespace regatta::detail
