// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// How forks reach the workers of a pool.

#include <regatta/core/detail/fork_region.hpp>

namespace regatta::detail {

/// A friend of every pool.
struct fork_access {
    /// The team of the pool's forks. Throws `std::system_error` (`no_such_process`) in a fork of
    /// the process that has the pool's threads.
    template<class Pool>
    static fork_team& team(Pool& pool) requires requires {
        pool.engine_.forks();
    }
    {
        pool.engine_.refuse_fork("fork on the pool");
        return pool.engine_.forks();
    }
};

/// A pool whose workers share forks.
template<class Pool>
concept forks_on = requires(Pool& pool) {
    fork_access::team(pool);
};

} // namespace regatta::detail
