// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The status of one task and of the future that waits for it, in one word.

#include <regatta/sync/atomics.hpp>
#include <regatta/sync/backoff.hpp>

#include <chrono>
#include <cstdint>

namespace regatta::detail {

/// The meeting point of a task and its future: claimed once, completed once, waited for, continued,
/// and left by both sides; the last to leave learns that it is the last. All in one word, without a
/// lock and without a count of references.
///
/// A task is `pending` until somebody claims it, who alone runs it and then completes it as done or
/// as cancelled; or until it is cancelled, which completes it at once. There are two owners, the
/// task's side (it waits in a queue) and the future's side; each leaves once. Who claims need not
/// be either of them, as long as no owner disposes of the task while it runs: hence the rule I3.
///
/// Threads: any; but `finish` by whoever claimed, `leave_task`, `leave_future` and `attach` by
/// their owner. Blocks: only `commit_wait` and `wait`. Order: what came before `finish` or
/// `wake_waiters` happens before the return of the wait that it ends, and before `complete()`
/// returns true. Cost: a task's whole life is two read-modify-writes by who runs it; the future's
/// side needs none if it is done.
///
/// I1: at most one claim succeeds, to run it or to cancel it.
/// I2: who waits does not sleep through the completion.
/// I3: exactly one call of `finish`, `leave_task`, `leave_future` says "last": the one after which
///     the task is complete and both sides have left; all else happened before it.
/// I4: a continuation is handed out exactly once: to the one who finishes, or back to `attach`.
template<class Continuation, class Atomics>
class basic_completion {
public:
    /// How a task ended.
    enum class outcome { done, cancelled };
    /// What a waiter carries from `prepare_wait` to `commit_wait`.
    using ticket = std::uint32_t;
    /// What whoever completed a task has to do next.
    struct ending {
        bool attached; ///< A continuation is to be run: `next`.
        bool last;     ///< Both sides have left: dispose of the task.
        Continuation next;
    };

    basic_completion() = default;
    basic_completion(const basic_completion&) = delete;
    basic_completion& operator=(const basic_completion&) = delete;

    /// Takes the right to run the task. @returns whether this call got it.
    [[nodiscard]] bool claim() noexcept {
        // relaxed: what is to be run was published to this thread when it got to know the task; the
        // claim only excludes the others. A read-modify-write at once, and no look before: the line
        // comes from another core, and a look would fetch it twice.
        return (word_.fetch_or(taken, std::memory_order_relaxed) & taken) == 0;
    }

    /// Completes a claimed task. @param leaves_task leaves for the task's side in the same step.
    ending finish(outcome how, bool leaves_task) noexcept {
        ending result{};
        const std::uint32_t add =
            ended | (how == outcome::cancelled ? unrun : 0u) | (leaves_task ? task_gone : 0u);
        std::uint32_t seen;
        do {
            // acquire: partners are the releases of attach(): the continuation is there; and of
            // leave_future(), leave_task(): what their owners did is over, should this be the last.
            seen = word_.load(std::memory_order_acquire);
            result.attached = (seen & attached) != 0;
            // Read before the end is made known: from then on the others may dispose of all this.
            result.next = result.attached ? continuation_.get() : Continuation{};
            // release: partner is the acquire of complete(), prepare_wait(), attach(),
            // leave_future(), leave_task(): publishes the result.
        } while (!word_.compare_exchange_weak(seen, seen | add, std::memory_order_release,
                                              std::memory_order_relaxed));
        result.last = ((seen | add) & everybody_gone) == everybody_gone;
        wake_if(seen);
        return result;
    }

    /// Takes the right to cancel the task, which is to be followed by `finish`; a claim that fails
    /// from now on finds it `cancelled()`. @returns whether this call got it.
    [[nodiscard]] bool claim_to_cancel() noexcept {
        // relaxed, all: as in claim().
        std::uint32_t seen = word_.load(std::memory_order_relaxed);
        do {
            if ((seen & taken) != 0) {
                return false;
            }
        } while (!word_.compare_exchange_weak(seen, seen | taken | unrun, std::memory_order_relaxed,
                                              std::memory_order_relaxed));
        return true;
    }

    /// Whether the task has ended; then what it did is visible.
    [[nodiscard]] bool complete() const noexcept {
        // acquire: partner is the release of finish().
        return is_complete(word_.load(std::memory_order_acquire));
    }
    /// Whether a ticket says that the task has ended.
    [[nodiscard]] static bool is_complete(ticket seen) noexcept { return (seen & ended) != 0; }
    /// Whether somebody has claimed it, also if it has ended since. May be old.
    [[nodiscard]] bool claimed() const noexcept {
        return (word_.load(std::memory_order_relaxed) & taken) != 0;
    }
    /// Whether it never runs, for one who knows that it is complete or whose claim failed.
    [[nodiscard]] bool cancelled() const noexcept {
        return (word_.load(std::memory_order_relaxed) & unrun) != 0;
    }

    /// Leaves `next` to be run by whoever completes the task; at most once, by the future's side.
    /// @returns false if the task is complete already: `next` stays with the caller.
    [[nodiscard]] bool attach(Continuation next) noexcept {
        continuation_.emplace(next);
        // release: partner is the acquire of finish(); publishes the continuation. acquire: partner
        // is the release of finish(); the result is visible if the task is complete.
        return !is_complete(word_.fetch_or(attached, std::memory_order_acq_rel));
    }

    /// The task's side leaves, having failed to claim. @returns true: the last; dispose.
    [[nodiscard]] bool leave_task() noexcept {
        // release: partner is the acquire of who is last; acquire: in case that it is this one.
        return ((word_.fetch_or(task_gone, std::memory_order_acq_rel) | task_gone) &
                everybody_gone) == everybody_gone;
    }
    /// The future's side leaves. @returns true: the last; dispose.
    [[nodiscard]] bool leave_future() noexcept {
        // acquire: partner is the release of finish() or leave_task(), the last word of the other.
        if ((word_.load(std::memory_order_acquire) & task_over) == task_over) {
            return true;
        }
        // release, acquire: as in leave_task().
        return ((word_.fetch_or(future_gone, std::memory_order_acq_rel) | future_gone) &
                everybody_gone) == everybody_gone;
    }

    /// Announces that this thread is about to sleep until the task is complete. Then look whether
    /// `is_complete(ticket)`, and at whatever `wake_waiters` tells of, before `commit_wait`.
    [[nodiscard]] ticket prepare_wait() noexcept {
        // acquire: partner is the release of finish() and wake_waiters().
        return word_.fetch_or(waiters, std::memory_order_acquire) | waiters;
    }
    /// Sleeps until the word changes; may return without cause. @returns false: the deadline
    /// passed.
    bool commit_wait(ticket mine,
                     const std::chrono::steady_clock::time_point* deadline = nullptr) noexcept {
        return Atomics::wait(word_, mine, deadline);
    }
    /// Wakes who waits although the task is not complete, to look again at what else they know.
    void wake_waiters() noexcept {
        // relaxed: the compare-and-swap checks it.
        std::uint32_t seen = word_.load(std::memory_order_relaxed);
        // release: partner is the acquire of prepare_wait(). Also if nobody waits: either the
        // waiter's announcement comes before this in the word's history and is taken back, so that
        // the waiter does not sleep; or it comes after and sees what this publishes.
        while (!word_.compare_exchange_weak(seen, seen & ~waiters, std::memory_order_release,
                                            std::memory_order_relaxed)) {
        }
        wake_if(seen);
    }

    /// Waits until the task is complete: looks, spins, sleeps.
    /// @returns false if the deadline passed first.
    bool wait(const std::chrono::steady_clock::time_point* deadline = nullptr) noexcept {
        for (basic_backoff<Atomics> pace; !complete();) {
            if (pace.pause()) {
                continue;
            }
            const ticket mine = prepare_wait();
            if (is_complete(mine)) {
                return true;
            }
            if (!commit_wait(mine, deadline)) {
                return complete();
            }
        }
        return true;
    }

private:
    static constexpr std::uint32_t taken = 1u << 0; ///< Claimed.
    static constexpr std::uint32_t ended = 1u << 1;
    static constexpr std::uint32_t unrun = 1u << 2; ///< It is, or is about to be, cancelled.
    static constexpr std::uint32_t waiters = 1u << 3;
    static constexpr std::uint32_t attached = 1u << 4;
    static constexpr std::uint32_t task_gone = 1u << 5;
    static constexpr std::uint32_t future_gone = 1u << 6;
    static constexpr std::uint32_t task_over = ended | task_gone;
    static constexpr std::uint32_t everybody_gone = task_over | future_gone;
    static constexpr std::uint32_t all_waiters = 0x7FFFFFFF;

    void wake_if(std::uint32_t seen) noexcept {
        if ((seen & waiters) != 0) {
            Atomics::wake(word_, all_waiters);
        }
    }

    /// Written by `attach`, then read by `finish`.
    typename Atomics::template cell<Continuation> continuation_;
    /// The bits above. Written by both sides, by whoever runs the task and by those who wait. The
    /// last member, so that what follows may share its eight bytes.
    typename Atomics::template atomic<std::uint32_t> word_{0};
};

/// The completion of real programs.
template<class Continuation>
using completion = basic_completion<Continuation, std_atomics>;

} // namespace regatta::detail
