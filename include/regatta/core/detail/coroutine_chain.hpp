// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Coroutines that await each other's futures end one after the other, not one within the other.

#include <regatta/base/config.hpp>
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
/// keeps) and then blocks for what follows that one's end would wait for itself.
class coroutine_chain {
public:
    /// Resumes a coroutine whose future is ready, and whatever follows the ends of coroutines.
    static void resume(std::coroutine_handle<> coroutine) {
        const nested_resumption mine(here());
        coroutine.resume();
    }
    /// Resumes the coroutine of a task. A wait within another coroutine may run the task, and that
    /// coroutine does not end before what follows here has: this is a chain of its own.
    static void begin(std::coroutine_handle<> coroutine) {
        const fresh_chain mine(here());
        coroutine.resume();
    }
    /// Calls the job of a coroutine of which nothing is left to run.
    /// Apart: a coroutine may end on another thread than it began.
    REGATTA_APART static void end(future_job job) noexcept {
        future_state& ended = *job.get();
        job.release();
        future_state* const next = ended.end_as_job();
        state& mine = here();
        if (mine.takes_ends && mine.next == nullptr) {
            mine.next = next;
        } else {
            future_state::go_on_with(next);
        }
    }

private:
    static constexpr unsigned most_nested = 64;

    /// Of a thread.
    struct state {
        unsigned nested = 0;
        bool takes_ends = false;      ///< A resumption on the stack runs `next`.
        future_state* next = nullptr; ///< What follows the end of a coroutine.
    };
    static state& here() noexcept {
        static constinit thread_local state own{};
        return own;
    }

    struct nested_resumption {
        explicit nested_resumption(state& of) noexcept
            : chain(of)
            , takes_ends(++of.nested == most_nested) {
            chain.takes_ends = chain.takes_ends || takes_ends;
        }
        nested_resumption(const nested_resumption&) = delete;
        nested_resumption& operator=(const nested_resumption&) = delete;
        ~nested_resumption() {
            if (takes_ends) {
                while (future_state* const next = std::exchange(chain.next, nullptr)) {
                    future_state::go_on_with(next);
                }
                chain.takes_ends = false;
            }
            --chain.nested;
        }

        state& chain;
        const bool takes_ends;
    };
    struct fresh_chain {
        explicit fresh_chain(state& of) noexcept : chain(of), outer(std::exchange(of, {})) {}
        fresh_chain(const fresh_chain&) = delete;
        fresh_chain& operator=(const fresh_chain&) = delete;
        ~fresh_chain() { chain = outer; }

        state& chain;
        const state outer;
    };
};

} // namespace regatta::detail
