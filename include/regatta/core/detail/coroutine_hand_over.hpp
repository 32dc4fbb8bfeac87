// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// How a coroutine that its executor runs or refuses at once goes on without a deep stack.

#include <coroutine>
#include <utility>

namespace regatta::detail {

/// A coroutine that the calling thread is handing to an executor, from construction to
/// destruction. A task that is called or destroyed meanwhile on that thread leaves the coroutine to
/// the thread's `await_suspend`. So a coroutine that does this again and again needs no deep stack.
class coroutine_hand_over {
public:
    explicit coroutine_hand_over(std::coroutine_handle<> coroutine) noexcept
        : coroutine_(coroutine)
        , outer_(std::exchange(innermost(), this)) {}
    coroutine_hand_over(const coroutine_hand_over&) = delete;
    coroutine_hand_over& operator=(const coroutine_hand_over&) = delete;
    ~coroutine_hand_over() { innermost() = outer_; }

    bool returned() const noexcept { return returned_; }
    /// Tells the hand-over that the executor has called or refused its task within `execute`: the
    /// coroutine goes on where it was suspended. Any thread, at any time.
    /// @param coroutine of the task.
    /// @returns false if the hand-over is not the innermost of the calling thread: perhaps over.
    static bool give_back(coroutine_hand_over* which, std::coroutine_handle<> coroutine) noexcept {
        // After its end another one may stand at its address, for another coroutine: the
        // coroutine of the task is suspended.
        if (innermost() != which || which->coroutine_ != coroutine) {
            return false;
        }
        which->returned_ = true;
        return true;
    }

private:
    static coroutine_hand_over*& innermost() noexcept {
        static constinit thread_local coroutine_hand_over* own = nullptr;
        return own;
    }

    const std::coroutine_handle<> coroutine_;
    coroutine_hand_over* const outer_;
    bool returned_ = false;
};

} // namespace regatta::detail
