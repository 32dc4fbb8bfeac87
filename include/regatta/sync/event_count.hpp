// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Sleeping until a condition may have changed, without lost wake-ups and without a lock.

#include <regatta/base/config.hpp>
#include <regatta/base/detail/clock.hpp>
#include <regatta/sync/atomics.hpp>
#include <regatta/sync/backoff.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace regatta {

/// An event count: threads sleep on a condition that lives elsewhere (a queue that is not empty). A
/// thread that changes the condition wakes them only if any sleeps.
///
/// ```cpp
/// // the waiting side                              // the side that changes the condition
/// const auto ticket = event.prepare_wait();       queue.push(x);
/// if (!queue.empty()) event.cancel_wait();        event.notify_one();
/// else                event.commit_wait(ticket);
/// ```
///
/// Threads with different conditions may share an event count. A thread that changes one of these
/// conditions calls `notify_all`. `notify_one` is for interchangeable waiters.
///
/// A notification marks a sleeper as being woken before it wakes it. So a burst of notifications
/// makes one system call per sleeper, not one per notification.
///
/// Threads: any; at most 65,535 wait at once.
/// Blocks: only `commit_wait`, `wait` and their variants with a deadline.
/// Order: everything before a notification happens before the return of the wait that it ended.
/// Failure: a wait may end spuriously: always check the condition again. A thread that leaves
/// without a check may have used up a `notify_one`.
/// Cost: a notification without sleepers is one load, otherwise two read-modify-writes and a system
/// call. `prepare_wait` makes a system call. With `Words` > 1 the sleepers are on that many lists
/// of the kernel, so that waking the first need not pass all others. Each further word adds one
/// read-modify-write to a notification.
/// Source: D. Reed and R. Kanodia, "Synchronization with eventcounts and sequencers", 1979; the
/// one-sided fence: membarrier(2).
///
/// I1 (no lost wake-up): a thread that prepared before a notification does not sleep through it.
///     The thread, or its re-check, sees the change that precedes the notification. This holds
///     whatever other waiters do, except for a `notify_one` that woke another thread.
/// I2: woken <= sleepers = threads between `prepare_wait` and the end of their wait. So both are 0
///     when no thread waits.
/// I3: woken <= sleepers that are sure to check their condition again without a further
///     notification.
template<class Atomics, std::size_t Words = 1>
class basic_event_count {
public:
    /// The waiter passes it from `prepare_wait` to `commit_wait`.
    using ticket = std::uint32_t;
    /// The number of places, and the value for a thread without a place.
    static constexpr unsigned places = 64;
    static constexpr unsigned anywhere = places;

    basic_event_count() = default;
    basic_event_count(const basic_event_count&) = delete;
    basic_event_count& operator=(const basic_event_count&) = delete;

    /// Announces that this thread is about to sleep. Check the condition again after it, then call
    /// `cancel_wait` or `commit_wait`.
    REGATTA_APART [[nodiscard]] ticket prepare_wait() noexcept {
        // relaxed: the fence orders it before the re-check. Partner: the light fence in notify.
        const std::uint64_t before = state_.fetch_add(one_sleeper, std::memory_order_relaxed);
        fence_.heavy();
        return epoch(before);
    }

    /// The same without a system call, but both sides do a little more. Either a seq_cst operation
    /// changes the condition, another one checks it, and the notifier calls `has_sleepers`. Or the
    /// notifier makes a full fence between the change and the notification.
    [[nodiscard]] ticket announce_wait() noexcept {
        // seq_cst: partner is the load in has_sleepers(). The fence: partner is the notifier's.
        const std::uint64_t before = state_.fetch_add(one_sleeper, std::memory_order_seq_cst);
        fence_.full();
        return epoch(before);
    }

    /// Withdraws the announcement: the re-check found the condition true.
    void cancel_wait() noexcept { leave(); }

    /// Sleeps until a notification that came after `prepare_wait` returned `mine`.
    /// @param place a number below `places` by which `notify_one` knows this thread, or `anywhere`.
    void commit_wait(ticket mine, unsigned place = anywhere) noexcept {
        sleep(mine, nullptr, place);
    }

    /// Sleeps until such a notification or until `deadline`.
    /// @returns false if the deadline passed without a notification.
    bool commit_wait_until(ticket mine, std::chrono::steady_clock::time_point deadline,
                           unsigned place = anywhere) noexcept {
        return sleep(mine, &deadline, place);
    }

    /// Returns once `condition()` holds: it checks, spins, then sleeps between the checks.
    ///
    /// `condition` may be called any number of times. Once true for this thread, it must stay true.
    /// Its exceptions propagate.
    template<class Condition>
    void wait(Condition&& condition) {
        const reference<Condition> it{condition};
        wait(&holds<Condition>, &it, nullptr);
    }
    /// The same, until `deadline` at the latest. @returns whether the condition held.
    template<class Condition>
    bool wait_until(Condition&& condition, std::chrono::steady_clock::time_point deadline) {
        const reference<Condition> it{condition};
        return wait(&holds<Condition>, &it, &deadline);
    }
    /// `wait` for a condition that may come to hold without a notification, as when the thread that
    /// would notify waits for this one: it also looks by itself, every 10 ms.
    template<class Condition>
    void wait_and_look(Condition&& condition) {
        static_cast<void>(wait_and_look_until(condition, nullptr));
    }
    /// The same, until `deadline` at the latest; null: none. @returns whether the condition held.
    template<class Condition>
    bool wait_and_look_until(Condition&& condition,
                             const std::chrono::steady_clock::time_point* deadline) {
        constexpr std::chrono::milliseconds interval{10};
        for (;;) {
            const auto next = std::chrono::steady_clock::now() + interval;
            if (deadline != nullptr && *deadline <= next) {
                return wait_until(condition, *deadline);
            }
            if (wait_until(condition, next)) {
                return true;
            }
        }
    }

    /// Wakes one thread that sleeps or is about to sleep, and is not being woken already. Of
    /// threads that sleep at a place it wakes the one at the lowest. So of many threads the same
    /// few work and stay in the caches. Otherwise it wakes the one that has slept longest.
    /// @returns whether there was one.
    REGATTA_INLINE bool notify_one() noexcept { return notify(false); }

    /// Wakes every thread that sleeps or is about to.
    void notify_all() noexcept { notify(true); }

    /// Wakes the threads that sleep at that place or are about to, for a condition that nobody else
    /// waits for. Other threads may check theirs once more.
    /// Cost: a system call if any thread sleeps, wherever.
    /// @returns whether one did, at this place or another.
    bool notify_at(unsigned place) noexcept {
        if (!has_sleepers()) {
            return false;
        }
        wake_at(place);
        return true;
    }

    /// Whether a notification would find a thread to wake, for a notifier that has a choice. It is
    /// ordered after the caller's change of the condition, as a notification is.
    bool has_sleepers() const noexcept {
        fence_.light();
        return has_sleepers_now();
    }
    /// The same without that order. In the order of all seq_cst operations it is a load.
    bool has_sleepers_now() const noexcept {
        // seq_cst: partner is announce_wait(); otherwise as in notify().
        const std::uint64_t s = state_.load(std::memory_order_seq_cst);
        return sleepers(s) != woken(s);
    }

    /// Whether a thread that is being woken has not yet returned from its wait. For a notifier that
    /// has just called `has_sleepers`.
    bool waking() const noexcept {
        // relaxed: the value is no older than what has_sleepers() read.
        return woken(state_.load(std::memory_order_relaxed)) != 0;
    }

private:
    static constexpr std::uint64_t one_sleeper = 1;
    static constexpr std::uint64_t one_woken = std::uint64_t{1} << 16;
    static constexpr std::uint64_t one_epoch = std::uint64_t{1} << 32;
    static constexpr std::uint32_t most_sleepers = 0xFFFF;
    static constexpr unsigned places_a_word = 8; ///< But the last word has all the others.

    struct wake_word {
        /// Counts the notifications that found a sleeper; the kernel compares it. Written by
        /// notifiers, read by sleepers.
        typename Atomics::template atomic<std::uint32_t> wakes{0};
    };

    static std::uint64_t sleepers(std::uint64_t s) noexcept { return s & most_sleepers; }
    static std::uint64_t woken(std::uint64_t s) noexcept { return (s >> 16) & most_sleepers; }
    static ticket epoch(std::uint64_t s) noexcept { return static_cast<ticket>(s >> 32); }

    REGATTA_RARE void wake_at(unsigned place) noexcept;

    /// The state with one sleeper less. If any sleepers are marked as being woken, one mark goes
    /// with it. If it was not its own mark, a thread that is sure to wake stays unmarked. That
    /// costs a system call at most (I3).
    static std::uint64_t without_one(std::uint64_t s) noexcept {
        return s - one_sleeper - (woken(s) != 0 ? one_woken : 0);
    }

    REGATTA_APART void leave() noexcept {
        // relaxed: the compare-and-swap checks it.
        std::uint64_t s = state_.load(std::memory_order_relaxed);
        // acquire: partner is the release of the epoch in notify(); publishes what the notifier did
        // before. Read-modify-writes in between continue the release sequence.
        while (!state_.compare_exchange_weak(s, without_one(s), std::memory_order_acquire,
                                             std::memory_order_relaxed)) {
        }
    }

    /// To a condition that may be a function, or have an operator `&` of its own.
    template<class Condition>
    struct reference {
        std::remove_reference_t<Condition>& condition;
    };
    template<class Condition>
    static bool holds(const void* it) {
        return static_cast<bool>(static_cast<const reference<Condition>*>(it)->condition());
    }
    /// One compiled function for all conditions.
    REGATTA_APART bool wait(bool (*is_over)(const void*), const void* condition,
                            const std::chrono::steady_clock::time_point* deadline) {
        for (basic_backoff<Atomics> pace; !is_over(condition);) {
            if (pace.pause()) {
                continue;
            }
            const ticket mine = prepare_wait();
            bool over = false;
            REGATTA_TRY {
                over = is_over(condition);
            }
            REGATTA_CATCH_ALL {
                cancel_wait();
                REGATTA_RETHROW;
            }
            if (over) {
                cancel_wait();
                return true;
            }
            if (!sleep(mine, deadline, anywhere)) {
                return is_over(condition);
            }
            // Each sleep may have been ended by a notification before the kernel saw the deadline.
            if (deadline != nullptr && Atomics::is_past(*deadline)) {
                return is_over(condition);
            }
            pace.reset();
        }
        return true;
    }

    REGATTA_RARE bool sleep(ticket mine, const std::chrono::steady_clock::time_point* deadline,
                            unsigned place) noexcept {
        // acquire: partner is the release of the count in notify(); a thread that sees the count
        // sees the epoch.
        const std::uint32_t wakes = words_[word_of(place)].wakes.load(std::memory_order_acquire);
        // relaxed: leave() acquires.
        std::uint64_t s = state_.load(std::memory_order_relaxed);
        if (epoch(s) == mine && !block(wakes, deadline, place)) {
            // The epoch and the count are one word: either this thread leaves unnotified, or it was
            // notified in time and returns true.
            while (epoch(s) == mine) {
                if (state_.compare_exchange_weak(s, without_one(s), std::memory_order_relaxed,
                                                 std::memory_order_relaxed)) {
                    return false;
                }
            }
        }
        // Returns true also if the notification came before this wait. The kernel may have woken
        // this thread in place of one that it was for, so this thread has to check, too.
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

    /// The word that a thread sleeps on, and the bit by which the kernel knows it there.
    static constexpr std::size_t word_of(unsigned place) noexcept {
        return Words == 1 || place == anywhere
                   ? 0
                   : std::min<std::size_t>(place / places_a_word, Words - 1);
    }
    static constexpr std::uint32_t bit_of(unsigned place) noexcept {
        return std::uint32_t{1} << place % 32;
    }

    void wake_one() noexcept {
        // relaxed: a hint; it may wake any thread (I3).
        const std::uint64_t parked = parked_.load(std::memory_order_relaxed);
        const auto place = static_cast<unsigned>(std::countr_zero(parked)); // Or anywhere.
        std::uint32_t bits = place != anywhere ? bit_of(place) : 0;
        // A sleeper on any of the words will do. If there is none, all threads check again, since
        // the words have changed.
        for (std::size_t i = 0; i < Words; ++i) {
            if (Atomics::wake_one(words_[(word_of(place) + i) % Words].wakes, bits)) {
                return;
            }
            bits = 0;
        }
    }

    /// Inlined, so that a notification without sleepers makes no store, not even those of a call.
    REGATTA_INLINE bool notify(bool all) noexcept {
        fence_.light();
        // relaxed: ordered after the condition's change by the fence. Partner: prepare_wait.
        const std::uint64_t s = state_.load(std::memory_order_relaxed);
        return sleepers(s) != woken(s) && wake_sleepers(s, all);
    }
    /// Marks one or all sleepers as being woken and wakes them, if any is not marked yet. Not
    /// REGATTA_RARE: gcc would take the way of a notifier to this place for cold.
    REGATTA_APART bool wake_sleepers(std::uint64_t s, bool all) noexcept;

    /// Three numbers that change together. Bits 0-15: threads that announced a wait and have not
    /// left. Bits 16-31: how many of them are being woken. Bits 32-63: the epoch, which each
    /// notification that found a sleeper advances. Written by both sides.
    typename Atomics::template atomic<std::uint64_t> state_{0};
    /// The words that threads sleep on. Each notification that found a sleeper changes all of them.
    wake_word words_[Words];
    /// The places at which threads sleep. Written by those threads, read by notifiers.
    typename Atomics::template atomic<std::uint64_t> parked_{0};
    [[no_unique_address]] typename Atomics::fence fence_;
};

template<class Atomics, std::size_t Words>
void basic_event_count<Atomics, Words>::wake_at(unsigned place) noexcept {
    // No mark: it may be that nobody is there (I3).
    // release: partner is the acquire in leave(), as in wake_sleepers().
    state_.fetch_add(one_epoch, std::memory_order_release);
    auto& wakes = words_[word_of(place)].wakes;
    // release: partner is the acquire of the count in sleep(); publishes the epoch.
    wakes.fetch_add(1, std::memory_order_release);
    Atomics::wake_all_of(wakes, bit_of(place));
}
template<class Atomics, std::size_t Words>
bool basic_event_count<Atomics, Words>::wake_sleepers(std::uint64_t s, bool all) noexcept {
    std::uint64_t marks = 0;
    do {
        const std::uint64_t asleep = sleepers(s) - woken(s);
        if (asleep == 0) {
            return false;
        }
        marks = all ? asleep * one_woken : one_woken;
        // release: partner is the acquire in leave(); see there.
    } while (!state_.compare_exchange_weak(s, s + marks + one_epoch, std::memory_order_release,
                                           std::memory_order_relaxed));
    // release: partner is the acquire of the count in sleep(); publishes the epoch.
    for (wake_word& w : words_) {
        w.wakes.fetch_add(1, std::memory_order_release);
    }
    if (!all) {
        wake_one();
        return true;
    }
    for (wake_word& w : words_) {
        Atomics::wake(w.wakes, most_sleepers);
    }
    return true;
}

/// The event count of real programs.
using event_count = basic_event_count<std_atomics>;

#if REGATTA_POOLS_LIBRARY
REGATTA_POOLS_TEMPLATE class REGATTA_POOLS_EXPORT basic_event_count<std_atomics>;
REGATTA_POOLS_TEMPLATE class REGATTA_POOLS_EXPORT basic_event_count<std_atomics, 2>;
#endif

} // namespace regatta
