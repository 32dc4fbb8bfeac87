// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Long and blocking work within forks.

#include <regatta/base/config.hpp>
#include <regatta/core/detail/fork_stack.hpp>

#include <type_traits>
#include <utility>

namespace regatta {

/// Gives a pending fork of this thread to another one that is idle. For work that runs for more
/// than some ten microseconds without a fork or a loop of its own: call it now and then.
///
/// @returns whether to go on: false if the loop or scope around the caller is over, since its stop
/// token was stopped or since another part of it threw.
///
/// Threads: any; does nothing outside of forks.
/// Cost: a nanosecond.
REGATTA_INLINE bool poll() noexcept {
    detail::fork_stack& stack = detail::fork_stack::current();
    if (stack.in_region()) {
        stack.poll();
    }
    return stack.scope() == nullptr || !stack.scope()->over();
}

namespace detail {

/// Makes place for another thread from its construction to its destruction.
class blocked_fork {
public:
    REGATTA_RARE blocked_fork() noexcept : team_(fork_stack::current().team_of_region()) {
        if (team_ != nullptr) {
            team_->lend(true);
            fork_stack::current().share_all();
            team_->call_watch(); // One more may help, also with what others publish.
        }
    }
    blocked_fork(const blocked_fork&) = delete;
    blocked_fork& operator=(const blocked_fork&) = delete;
    ~blocked_fork() {
        if (team_ != nullptr) {
            team_->lend(false);
        }
    }

private:
    fork_team* const team_;
};

} // namespace detail

/// Calls `f`, which blocks: on a file, a lock, another thread. Before that it offers the pending
/// forks of this thread to others; otherwise they would wait for `f`.
///
/// It offers up to eight: halves of joins, and of each loop or scope what follows, but for the rest
/// of the block that runs, less than a grain, and what `fork_options::workers` keeps here. Where
/// more than eight are pending it offers the oldest. If `f` waits for a newer one, call `poll`
/// while it waits: that offers the next ones as others are taken.
///
/// Threads: any; outside of forks it only calls `f`.
/// @returns what `f` returns.
template<class F>
auto blocking(F&& f) -> std::invoke_result_t<F&&> {
    const detail::blocked_fork place;
    return std::forward<F>(f)();
}

} // namespace regatta
