// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Sleeping until a condition may have changed, without lost wake-ups and without a lock.

#include <regatta/base/config.hpp>
#include <regatta/sync/atomics.hpp>
#include <regatta/sync/backoff.hpp>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace regatta {

/// An event count: threads sleep on a condition that lives elsewhere (a queue that is not empty),
/// and whoever changes the condition wakes them only if somebody sleeps.
///
/// ```cpp
/// // the side that waits                          // the side that changes the condition
/// const auto ticket = gate.prepare_wait();        queue.push(x);
/// if (!queue.empty()) gate.cancel_wait();         gate.notify_one();
/// else                gate.commit_wait(ticket);
/// ```
///
/// Threads with different conditions may share a gate; whoever changes one of those calls
/// `notify_all`. `notify_one` is for threads any of which will do.
///
/// A notification marks a sleeper as being woken before it wakes it, so that a burst of
/// notifications makes one system call a sleeper and not one a notification.
///
/// Threads: any; at most 65,535 wait at once. Blocks: only `commit_wait` and `wait`. Order:
/// whatever came before a notification happens before the return of the wait that it ended.
/// Failure: a wait may also end without cause; look at the condition again, always: a thread that
/// leaves without a look may have used up a `notify_one`. Cost: a notification without sleepers is
/// one load; with one it is two read-modify-writes and a system call. `prepare_wait` makes a system
/// call. With `Words` > 1 the sleepers are on that many lists of the kernel, so that whoever wakes
/// the first need not go past all others; a notification then is a read-modify-write more for each.
/// Source: D. Reed and R. Kanodia, "Synchronization with eventcounts and sequencers", 1979;
/// the one-sided fence: membarrier(2).
///
/// I1 (no lost wake-up): a thread that prepared before a notification, or its re-check, sees the
///    change that came before it; it does not sleep through it, whatever other waiters do, unless
///    it was a `notify_one` and another thread was woken for it.
/// I2: woken <= sleepers = threads between `prepare_wait` and the end of their wait; so both are 0
///    when nobody waits.
/// I3: woken <= those sleepers that are sure to look at their condition again without a further
///    notification.
template<class Atomics, std::size_t Words = 1>
class basic_event_count {
public:
    /// What a waiter carries from `prepare_wait` to `commit_wait`.
    using ticket = std::uint32_t;
    /// How many places there are, and what says that a thread has none.
    static constexpr unsigned places = 64;
    static constexpr unsigned anywhere = places;

    basic_event_count() = default;
    basic_event_count(const basic_event_count&) = delete;
    basic_event_count& operator=(const basic_event_count&) = delete;

    /// Announces that this thread is about to sleep. Must be followed by a re-check of the
    /// condition, then by `cancel_wait` or `commit_wait`.
    [[nodiscard]] ticket prepare_wait() noexcept {
        // relaxed: the fence orders it before the re-check. Partner: the light fence in notify.
        const std::uint64_t before = state_.fetch_add(one_sleeper, std::memory_order_relaxed);
        fence_.heavy();
        return epoch(before);
    }

    /// The same without a system call, where both sides do a little more: the condition is changed
    /// by a seq_cst operation and looked at again by another, and the notifier asks `has_sleepers`;
    /// or it makes a full fence between the change and the notification.
    [[nodiscard]] ticket announce_wait() noexcept {
        // seq_cst: partner is the load in has_sleepers(). The fence: partner is the notifier's.
        const std::uint64_t before = state_.fetch_add(one_sleeper, std::memory_order_seq_cst);
        fence_.full();
        return epoch(before);
    }

    /// Takes the announcement back: the re-check found the condition true.
    void cancel_wait() noexcept { leave(); }

    /// Sleeps until a notification that came after `prepare_wait` returned `mine`.
    /// @param place a number below `places` by which `notify_one` knows this thread, or `anywhere`.
    void commit_wait(ticket mine, unsigned place = anywhere) noexcept {
        sleep(mine, nullptr, place);
    }

    /// Sleeps until such a notification or until `deadline`.
    /// @returns false if the deadline passed and no notification had come.
    bool commit_wait_until(ticket mine, std::chrono::steady_clock::time_point deadline,
                           unsigned place = anywhere) noexcept {
        return sleep(mine, &deadline, place);
    }

    /// Returns once `condition()` holds: looks, spins, then sleeps between the looks.
    ///
    /// `condition` may be called any number of times and must stay true for this thread once it
    /// was; what it throws is passed on.
    template<class Condition>
    void wait(Condition&& condition) {
        wait(condition, nullptr);
    }
    /// The same, until `deadline` at the latest. @returns whether the condition held.
    template<class Condition>
    bool wait_until(Condition&& condition, std::chrono::steady_clock::time_point deadline) {
        return wait(condition, &deadline);
    }

    /// Wakes one thread if one sleeps or is about to, and is not being woken already: of those that
    /// sleep at a place the one at the lowest, so that of many threads the same few work and stay
    /// in the caches; otherwise the one that has slept longest.
    /// @returns whether there was one.
    bool notify_one() noexcept {
        return notify([](std::uint64_t s) noexcept { return s + one_woken; },
                      [this] { wake_one(); });
    }

    /// Wakes every thread that sleeps or is about to.
    void notify_all() noexcept {
        notify([](std::uint64_t s) noexcept { return s + (sleepers(s) - woken(s)) * one_woken; },
               [this] {
                   for (wake_word& w : words_) {
                       Atomics::wake(w.wakes, most_sleepers);
                   }
               });
    }

    /// Whether a notification would find a thread to wake, for a notifier that has a choice. Seen
    /// after the caller's change of the condition, as a notification sees it.
    bool has_sleepers() const noexcept {
        fence_.light();
        // seq_cst: partner is announce_wait(); otherwise as in notify().
        const std::uint64_t s = state_.load(std::memory_order_seq_cst);
        return sleepers(s) != woken(s);
    }

    /// Whether a thread is being woken that has not returned from its wait; for a notifier that has
    /// just asked `has_sleepers`.
    bool waking() const noexcept {
        // relaxed: what it reads is no older than what has_sleepers() read.
        return woken(state_.load(std::memory_order_relaxed)) != 0;
    }

private:
    static constexpr std::uint64_t one_sleeper = 1;
    static constexpr std::uint64_t one_woken = std::uint64_t{1} << 16;
    static constexpr std::uint64_t one_epoch = std::uint64_t{1} << 32;
    static constexpr std::uint32_t most_sleepers = 0xFFFF;
    static constexpr unsigned places_a_word = 8; ///< But for the last, which has all the others.

    struct wake_word {
        /// Counts the notifications that found a sleeper; the kernel compares it. Written by
        /// notifiers.
        typename Atomics::template atomic<std::uint32_t> wakes{0};
    };

    static std::uint64_t sleepers(std::uint64_t s) noexcept { return s & most_sleepers; }
    static std::uint64_t woken(std::uint64_t s) noexcept { return (s >> 16) & most_sleepers; }
    static ticket epoch(std::uint64_t s) noexcept { return static_cast<ticket>(s >> 32); }

    /// A state with one sleeper less. If any are marked as being woken it takes one mark along: if
    /// it was not its own, one who is sure to wake goes unmarked, which costs a system call at
    /// most (I3).
    static std::uint64_t without_one(std::uint64_t s) noexcept {
        return s - one_sleeper - (woken(s) != 0 ? one_woken : 0);
    }

    void leave() noexcept {
        // relaxed: the compare-and-swap checks it.
        std::uint64_t s = state_.load(std::memory_order_relaxed);
        // acquire: partner is the release of the epoch in notify(); publishes what the notifier did
        // before. Read-modify-writes in between continue the release sequence.
        while (!state_.compare_exchange_weak(s, without_one(s), std::memory_order_acquire,
                                             std::memory_order_relaxed)) {
        }
    }

    template<class Condition>
    bool wait(Condition& condition, const std::chrono::steady_clock::time_point* deadline) {
        for (basic_backoff<Atomics> pace; !condition();) {
            if (pace.pause()) {
                continue;
            }
            const ticket mine = prepare_wait();
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
                return true;
            }
            if (!sleep(mine, deadline, anywhere)) {
                return condition();
            }
            pace.reset();
        }
        return true;
    }

    bool sleep(ticket mine, const std::chrono::steady_clock::time_point* deadline,
               unsigned place) noexcept {
        // acquire: partner is the release of the count in notify(); who sees it sees the epoch.
        const std::uint32_t wakes = words_[word_of(place)].wakes.load(std::memory_order_acquire);
        // relaxed: leave() acquires.
        std::uint64_t s = state_.load(std::memory_order_relaxed);
        if (epoch(s) == mine && !block(wakes, deadline, place)) {
            // The epoch and the count are one word: either this thread leaves unnotified, or it was
            // notified in time and says so.
            while (epoch(s) == mine) {
                if (state_.compare_exchange_weak(s, without_one(s), std::memory_order_relaxed,
                                                 std::memory_order_relaxed)) {
                    return false;
                }
            }
        }
        // Also if the notification came before this wait: the kernel may have woken this thread in
        // the place of one that it was for, and then this one has to look, too.
        leave();
        return true;
    }

    bool block(std::uint32_t wakes, const std::chrono::steady_clock::time_point* deadline,
               unsigned place) noexcept {
        if (place == anywhere) {
            return Atomics::wait(words_[0].wakes, wakes, deadline);
        }
        // relaxed, both: see wake_one().
        parked_.fetch_or(std::uint64_t{1} << place, std::memory_order_relaxed);
        const bool in_time =
            Atomics::wait(words_[word_of(place)].wakes, wakes, deadline, bit_of(place));
        parked_.fetch_and(~(std::uint64_t{1} << place), std::memory_order_relaxed);
        return in_time;
    }

    /// Which word a thread sleeps on, and by which bit the kernel knows it there.
    static constexpr std::size_t word_of(unsigned place) noexcept {
        return Words == 1 || place == anywhere
                   ? 0
                   : std::min<std::size_t>(place / places_a_word, Words - 1);
    }
    static constexpr std::uint32_t bit_of(unsigned place) noexcept {
        return std::uint32_t{1} << place % 32;
    }

    void wake_one() noexcept {
        // relaxed: a hint; whom the kernel wakes is as right as any (I3).
        const std::uint64_t parked = parked_.load(std::memory_order_relaxed);
        const auto place = static_cast<unsigned>(std::countr_zero(parked)); // Or anywhere.
        std::uint32_t bits = place != anywhere ? bit_of(place) : 0;
        // Whoever sleeps on any of the words will do. If nobody does, they all look: the words have
        // changed.
        for (std::size_t i = 0; i < Words; ++i) {
            if (Atomics::wake_one(words_[(word_of(place) + i) % Words].wakes, bits)) {
                return;
            }
            bits = 0;
        }
    }

    /// Marks sleepers as being woken by `mark` and calls `wake`, if any is not marked yet.
    template<class Mark, class Wake>
    bool notify(Mark&& mark, Wake&& wake) noexcept {
        fence_.light();
        // relaxed: ordered after the condition's change by the fence. Partner: prepare_wait.
        std::uint64_t s = state_.load(std::memory_order_relaxed);
        do {
            if (sleepers(s) == woken(s)) {
                return false;
            }
            // release: partner is the acquire in leave(); see there.
        } while (!state_.compare_exchange_weak(s, mark(s) + one_epoch, std::memory_order_release,
                                               std::memory_order_relaxed));
        // release: partner is the acquire of the count in sleep(); publishes the epoch.
        for (wake_word& w : words_) {
            w.wakes.fetch_add(1, std::memory_order_release);
        }
        wake();
        return true;
    }

    /// Three numbers that change together: in bits 0-15 the threads that announced a wait and have
    /// not left, in bits 16-31 how many of them are being woken, in bits 32-63 the epoch, which
    /// each notification that found a sleeper begins anew. Written by both sides.
    typename Atomics::template atomic<std::uint64_t> state_{0};
    /// What threads sleep on; each notification that found a sleeper changes them all.
    wake_word words_[Words];
    /// The places of those that sleep at one. Written by them, read by notifiers.
    typename Atomics::template atomic<std::uint64_t> parked_{0};
    [[no_unique_address]] typename Atomics::fence fence_;
};

/// The wake gate of real programs.
using event_count = basic_event_count<std_atomics>;

} // namespace regatta
