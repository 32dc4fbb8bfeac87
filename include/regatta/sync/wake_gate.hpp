// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Sleeping until a condition may have changed, without lost wake-ups and without a lock.

#include <regatta/base/config.hpp>
#include <regatta/sync/atomics.hpp>
#include <regatta/sync/backoff.hpp>

#include <chrono>
#include <cstdint>

namespace regatta {

/// An event count: threads sleep on a condition that lives elsewhere (a queue that is not empty),
/// and whoever changes the condition wakes them only if somebody sleeps.
///
/// ```cpp
/// // the side that waits                   // the side that changes the condition
/// gate.prepare_wait();                     queue.push(x);
/// if (!queue.empty()) gate.cancel_wait();  gate.notify_one();
/// else                gate.commit_wait();
/// ```
///
/// `notify_one` takes a sleeper off the count before it wakes it, so that a burst of notifications
/// makes one system call a sleeper and not one a notification.
///
/// Threads: any. Blocks: only `commit_wait`. Order: whatever came before a notification happens
/// before the return of the `commit_wait` that it ended. Failure: `commit_wait` may also return
/// without cause; look at the condition again. Cost: a notification without sleepers is one load;
/// with one it is two read-modify-writes and a system call. `prepare_wait` makes a system call.
/// Source: D. Reed and R. Kanodia, "Synchronization with eventcounts and sequencers", 1979; the
/// one-sided fence: membarrier(2).
///
/// I1 (no lost wake-up): if the condition was made true before a notification, then no thread that
///    prepared before it stays asleep for want of it: either its re-check sees the condition or the
///    notification sees the thread.
/// I2: tokens + sleepers = threads between `prepare_wait` and the end of their wait, so the gate is
///    back to zero when nobody waits.
template<class Atomics>
class basic_wake_gate {
public:
    basic_wake_gate() = default;
    basic_wake_gate(const basic_wake_gate&) = delete;
    basic_wake_gate& operator=(const basic_wake_gate&) = delete;

    /// Announces that this thread is about to sleep. Must be followed by a re-check of the
    /// condition, then by `cancel_wait` or `commit_wait`.
    void prepare_wait() noexcept {
        // relaxed: the fence orders it before the re-check. Partner: the light fence in notify.
        sleepers_.fetch_add(1, std::memory_order_relaxed);
        fence_.heavy();
    }

    /// Takes the announcement back: the re-check found the condition true.
    void cancel_wait() noexcept {
        if (!leave()) {
            // Somebody has already counted us out and brings a token: it has to be ours.
            take_token(nullptr);
        }
    }

    /// Sleeps until a notification.
    void commit_wait() noexcept { take_token(nullptr); }

    /// Sleeps until a notification or until `deadline`.
    /// @returns false if the deadline came first.
    bool commit_wait_until(std::chrono::steady_clock::time_point deadline) noexcept {
        if (take_token(&deadline)) {
            return true;
        }
        if (leave()) {
            return false;
        }
        take_token(nullptr);
        return true;
    }

    /// Returns once `condition()` holds: looks, spins, yields, then sleeps between the looks.
    ///
    /// `condition` may be called any number of times and must stay true for this thread once it
    /// was.
    template<class Condition>
    void wait(Condition&& condition) {
        for (basic_backoff<Atomics> pace; !condition();) {
            if (pace.pause()) {
                continue;
            }
            prepare_wait();
            bool holds = false;
            REGATTA_TRY {
                holds = condition();
            }
            REGATTA_CATCH_ALL {
                cancel_wait();
                REGATTA_RETHROW;
            }
            if (holds) {
                cancel_wait();
                return;
            }
            commit_wait();
            pace.reset();
        }
    }

    /// Wakes one thread if one sleeps or is about to.
    /// @returns whether there was one.
    bool notify_one() noexcept {
        fence_.light();
        // The load in leave() is ordered after the condition's change. Partner: prepare_wait.
        if (!leave()) {
            return false;
        }
        give_tokens(1);
        return true;
    }

    /// Wakes every thread that sleeps or is about to.
    void notify_all() noexcept {
        if (!has_sleepers()) {
            return;
        }
        // relaxed: as in leave(); the tokens carry the order.
        const std::uint32_t all = sleepers_.exchange(0, std::memory_order_relaxed);
        if (all != 0) {
            give_tokens(all);
        }
    }

    /// Whether a notification would find a sleeper, for a notifier that has a choice. Seen after
    /// the caller's change of the condition, as a notification sees it.
    bool has_sleepers() const noexcept {
        fence_.light();
        // relaxed: as in notify_one.
        return sleepers_.load(std::memory_order_relaxed) != 0;
    }

private:
    /// Counts one sleeper out, if any is left.
    bool leave() noexcept {
        std::uint32_t count = sleepers_.load(std::memory_order_relaxed);
        while (count != 0) {
            // relaxed: a counter; it publishes nothing, each decrement takes a different sleeper.
            if (sleepers_.compare_exchange_weak(count, count - 1, std::memory_order_relaxed,
                                                std::memory_order_relaxed)) {
                return true;
            }
        }
        return false;
    }

    void give_tokens(std::uint32_t count) noexcept {
        // release: partner is the acquire in take_token; publishes what the notifier did before.
        tokens_.fetch_add(count, std::memory_order_release);
        Atomics::wake(tokens_, count);
    }

    bool take_token(const std::chrono::steady_clock::time_point* deadline) noexcept {
        std::uint32_t count = tokens_.load(std::memory_order_relaxed);
        for (;;) {
            while (count != 0) {
                // acquire: partner is the release in give_tokens (see there); the intermediate
                // decrements are read-modify-writes and so continue the release sequence.
                if (tokens_.compare_exchange_weak(count, count - 1, std::memory_order_acquire,
                                                  std::memory_order_relaxed)) {
                    return true;
                }
            }
            if (!Atomics::wait(tokens_, 0, deadline)) {
                return false;
            }
            count = tokens_.load(std::memory_order_relaxed);
        }
    }

    /// Threads that announced a wait and were not yet counted out. Written by both sides.
    typename Atomics::template atomic<std::uint32_t> sleepers_{0};
    /// Wake-ups given and not yet taken; the word that the kernel compares. Written by both sides.
    typename Atomics::template atomic<std::uint32_t> tokens_{0};
    [[no_unique_address]] typename Atomics::fence fence_;
};

/// The wake gate of real programs.
using wake_gate = basic_wake_gate<std_atomics>;

} // namespace regatta
