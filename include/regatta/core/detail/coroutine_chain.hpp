// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Coroutines that await each other's futures end one after the other, not one within the other.

#include <regatta/base/config.hpp>
#include <regatta/core/detail/coroutine_depth.hpp>
#include <regatta/core/detail/future_job.hpp>
#include <regatta/core/detail/future_state.hpp>

#include <coroutine>
#include <utility>

namespace regatta::detail {

/// The coroutines on the stack of a thread that were resumed because a future was ready. The end
/// of a spawned one makes its own future ready, which resumes the next, and so on: a recursion of
/// such coroutines would need a stack as deep as it is. Beyond `most_nested` the innermost
/// resumption that was made within the limit runs what follows once the coroutine has returned to
/// it.
///
/// Only beyond that, because a coroutine that resumes another one by hand (with a handle that it
/// keeps) and then blocks for what follows that one's end would wait for itself. A wait in a
/// coroutine runs tasks that may resume others: each such task, as each that begins a coroutine, is
/// a chain of its own.
class coroutine_chain {
public:
    /// Resumes a coroutine whose future is ready, and whatever follows the ends of coroutines.
    static void resume(std::coroutine_handle<> coroutine) {
        const nested_resumption mine;
        coroutine.resume();
    }
    /// Resumes the coroutine of a task.
    static void begin(std::coroutine_handle<> coroutine) {
        const fresh_coroutine_depth mine;
        coroutine.resume();
    }
    /// Ends the job of a coroutine that has claimed its task, and of which nothing is left to run.
    /// Apart: a coroutine may end on another thread than it began.
    REGATTA_APART static void end(future_job job) noexcept {
        future_state& ended = *job.get();
        job.release();
        future_state* const next = ended.end_as_job();
        coroutine_depth& mine = coroutine_depth::of_this_thread();
        if (mine.takes_ends && mine.next == nullptr) {
            mine.next = next;
        } else {
            future_state::go_on_with(next);
        }
    }

private:
    static constexpr unsigned most_nested = 64;

    struct nested_resumption {
        nested_resumption() noexcept
            : depth(coroutine_depth::of_this_thread())
            , takes_ends(++depth.nested == most_nested) {
            depth.takes_ends = depth.takes_ends || takes_ends;
        }
        nested_resumption(const nested_resumption&) = delete;
        nested_resumption& operator=(const nested_resumption&) = delete;
        ~nested_resumption() {
            if (takes_ends) {
                while (void* const next = std::exchange(depth.next, nullptr)) {
                    future_state::go_on_with(static_cast<future_state*>(next));
                }
                depth.takes_ends = false;
            }
            --depth.nested;
        }

        coroutine_depth& depth;
        const bool takes_ends;
    };
};

} // namespace regatta::detail
