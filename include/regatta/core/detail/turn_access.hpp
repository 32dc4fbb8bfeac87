// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// How what runs on a pool in turns gets its next turn.

#include <utility>

namespace regatta::detail {

/// Reaches `requeue` of the library's pools, for what has only the pool's type.
struct turn_access {
    /// Queues the rest of a task that a worker runs, in the room that the task had. @returns
    /// whether the pool took it.
    template<class Pool, class Job, class... Level>
    static auto requeue(Pool& pool, Job&& rest, Level... level)
        -> decltype(pool.requeue(std::move(rest), level...)) {
        return pool.requeue(std::move(rest), level...);
    }
};

} // namespace regatta::detail
