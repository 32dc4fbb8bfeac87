// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The half of a task that waits in a queue.

#include <regatta/core/detail/future_state.hpp>

#include <utility>

namespace regatta::detail {

/// A callable of the size of a pointer that runs a task and completes its future. Its destructor
/// cancels the future if the task has not run.
///
/// Threads: as a plain value.
/// Failure: never throws. What the closure throws goes to the future.
class future_job {
public:
    /// Tells queues that the call returns whether the task ran.
    using says_whether_it_ran = void;

    explicit future_job(future_state& state) noexcept : state_(&state) {}
    future_job(future_job&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
    future_job& operator=(future_job&& other) noexcept {
        future_job old(std::move(other));
        std::swap(state_, old.state_);
        return *this;
    }
    ~future_job() {
        if (state_ != nullptr) {
            state_->drop_as_job();
        }
    }

    /// Runs the task, once.
    /// @returns true if the task ran, here or in a wait for it; false if it was cancelled, now
    /// included because of its stop token.
    bool operator()() noexcept { return std::exchange(state_, nullptr)->run_as_job(); }
    /// As the destructor. @returns whether a wait has run the task, as the call would have
    /// returned.
    bool drop() noexcept { return std::exchange(state_, nullptr)->drop_as_job(); }

    /// Whether somebody else runs the task, or has, or it was cancelled: the call only leaves.
    bool over() const noexcept { return state_->claimed(); }
    /// What the call returns. Only if it is `over`.
    bool ran() const noexcept { return !state_->cancelled(); }

    /// The task.
    future_state* get() const noexcept { return state_; }
    /// Gives up the task, for a caller that makes another job of it.
    void release() noexcept { state_ = nullptr; }

private:
    future_state* state_;
};

} // namespace regatta::detail
