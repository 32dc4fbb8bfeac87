// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Which thread consumes the messages of a bus.

#include <regatta/base/error.hpp>

#include <atomic>

namespace regatta::detail {

/// The place of the one consumer during a batch.
///
/// Threads: any. Blocks: never.
///
/// I1: at most one thread has it; its actions in one batch happen before the next batch.
template<class Atomics>
class basic_consumer_seat {
    using thread_id = typename Atomics::thread_id;

public:
    /// Throws `std::logic_error` if another batch is running.
    void take() {
        // acquire: partner is the release in leave(); continues where the last batch ended.
        if (taken_.exchange(true, std::memory_order_acquire)) {
            fail_taken();
        }
        // relaxed: only this thread's own read depends on it; see is_mine().
        who_.store(Atomics::this_thread(), std::memory_order_relaxed);
    }
    void leave() noexcept {
        who_.store(thread_id{}, std::memory_order_relaxed);
        // release: partner is the acquire in take(); hands over the consumer's role.
        taken_.store(false, std::memory_order_release);
    }

    /// Throws `std::logic_error` if a batch is running.
    void check_free() const {
        // relaxed: publishes nothing. The next consumer has synchronised with the end of the last
        // batch.
        if (taken_.load(std::memory_order_relaxed)) {
            fail_taken();
        }
    }

    /// Whether a batch is running; in a fork of the process, whether one was.
    bool is_taken() const noexcept {
        // relaxed: a fork has what its parent's threads wrote; elsewhere a hint.
        return taken_.load(std::memory_order_relaxed);
    }
    /// Whether the calling thread is the consumer, within a batch.
    bool is_mine() const noexcept {
        // relaxed: a thread reads its own id only between its own store and its own reset.
        return who_.load(std::memory_order_relaxed) == Atomics::this_thread();
    }

private:
    [[noreturn]] static void fail_taken() {
        fail_state("async_bus: messages are being processed already, by another thread or "
                   "by the caller of this handler");
    }

    /// Written by the consumer at both ends of a batch.
    typename Atomics::template atomic<bool> taken_{false};
    /// The thread in a batch, or none. Written by the consumer; only its own reads matter.
    typename Atomics::template atomic<thread_id> who_{thread_id{}};
};

} // namespace regatta::detail
