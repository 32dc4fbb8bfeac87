// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// How deep coroutines resume each other on a thread.

#include <regatta/base/config.hpp>

#include <utility>

namespace regatta::detail {

/// What `coroutine_chain` keeps of the calling thread.
///
/// Threads: the thread's own.
struct coroutine_depth {
    unsigned nested = 0;     ///< The resumptions on the stack, one within the other.
    bool takes_ends = false; ///< One of them runs `next`.
    void* next = nullptr;    ///< A `future_state`: what follows the end of a coroutine.

    REGATTA_POOLS_EXPORT static coroutine_depth& of_this_thread() noexcept {
        static constinit thread_local coroutine_depth own{};
        return own;
    }
};

/// While one lives, its thread runs something on top of a coroutine that waits for it, or for what
/// follows it: that must not be put off until the coroutine has ended.
/// Threads: lives on the stack of one thread.
class fresh_coroutine_depth {
public:
    fresh_coroutine_depth() noexcept
        : depth_(coroutine_depth::of_this_thread())
        , outer_(std::exchange(depth_, {})) {}
    fresh_coroutine_depth(const fresh_coroutine_depth&) = delete;
    fresh_coroutine_depth& operator=(const fresh_coroutine_depth&) = delete;
    ~fresh_coroutine_depth() { depth_ = outer_; }

private:
    coroutine_depth& depth_;
    const coroutine_depth outer_;
};

} // namespace regatta::detail
