// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Several calls that may run at the same time.

#include <regatta/fork/join.hpp>

#include <concepts>
#include <utility>

namespace regatta {

/// Calls all of them, possibly at the same time; their results are discarded. The calling thread
/// calls the first.
///
/// Threads, Blocks, Order: as `join`.
/// Failure: throws the exception of the first call in the list that threw; calls after it that have
/// not begun are left out.
/// Cost: a join for each call but one.
template<std::invocable F, std::invocable... More>
void invoke(F&& f, More&&... more) {
    if constexpr (sizeof...(More) == 0) {
        static_cast<void>(std::forward<F>(f)());
    } else {
        join([&]() { static_cast<void>(std::forward<F>(f)()); },
             [&]() { regatta::invoke(std::forward<More>(more)...); });
    }
}

/// The same on the workers of `pool`.
/// Failure: also `task_rejected` if the pool is closed.
template<detail::forks_on Pool, std::invocable... F>
void invoke(Pool& pool, F&&... f) {
    const detail::fork_stack::region here(detail::fork_stack::current(),
                                          detail::fork_access::team(pool));
    regatta::invoke(std::forward<F>(f)...);
}

} // namespace regatta
