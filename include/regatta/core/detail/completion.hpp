// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The status of one task and its future, in one word.

#include <regatta/base/detail/clock.hpp>
#include <regatta/sync/atomics.hpp>
#include <regatta/sync/backoff.hpp>

#include <cstdint>

namespace regatta::detail {

/// The meeting point of a task and its future, in one word: no lock, no reference count. The task
/// is claimed once and completed once. It can be waited for and continued. Both sides leave it, and
/// the last to leave is told so.
///
/// A task is `pending` until a thread claims it. That thread alone runs it, then completes it as
/// done or as cancelled. A thread that claims it to cancel it completes it at once. There are two
/// owners: the task's side (it waits in a queue) and the future's side. Each leaves once. The
/// claiming thread need not be an owner, but no owner may dispose of the task while it runs: hence
/// I3.
///
/// Threads: any. But `finish` is for the claiming thread, or one that goes on for it; `leave_task`,
/// `leave_future` and `attach` are for their owner.
/// Blocks: only `commit_wait` and `wait`.
/// Order: everything before `finish` or `wake_waiters` happens before the wait that it ends
/// returns. Everything before `finish` also happens before `complete()` returns true.
/// Cost: two read-modify-writes in a task's whole life, by the thread that runs it. The future's
/// side needs none if the task is done.
///
/// I1: at most one claim succeeds, to run the task or to cancel it.
/// I2: no waiter sleeps through the completion.
/// I3: exactly one call of `finish`, `leave_task`, `leave_future` returns "last": the one after
///     which the task is complete and both sides have left. Everything else happened before it.
/// I4: a continuation is handed out exactly once: by `finish`, or back by `attach`.
template<class Continuation, class Atomics>
class basic_completion {
public:
    /// How a task ended.
    enum class outcome { done, cancelled };
    /// The word that a waiter carries from `prepare_wait` to `commit_wait`.
    using ticket = std::uint32_t;
    /// The next steps of the thread that completed a task.
    struct ending {
        bool attached; ///< Run the continuation `next`.
        bool last;     ///< Both sides have left: dispose of the task.
        Continuation next;
    };

    basic_completion() = default;
    basic_completion(const basic_completion&) = delete;
    basic_completion& operator=(const basic_completion&) = delete;

    /// Claims the task, to run it. @returns whether this call claimed it.
    [[nodiscard]] bool claim() noexcept {
        // relaxed: the closure was published to this thread when it received the task. The claim
        // only excludes others. It does not load first: the line comes from another core, and a
        // load would fetch it twice.
        return (word_.fetch_or(taken, std::memory_order_relaxed) & taken) == 0;
    }

    /// Completes a claimed task. @param leaves_task the task's side leaves in the same step.
    ending finish(outcome how, bool leaves_task) noexcept {
        ending result{};
        const std::uint32_t add =
            ended | (how == outcome::cancelled ? unrun : 0u) | (leaves_task ? task_gone : 0u);
        std::uint32_t seen;
        do {
            // acquire: partner is the release of attach(), which publishes the continuation.
            // Partners are also leave_future() and leave_task(): if this is the last, their owners'
            // work is done.
            seen = word_.load(std::memory_order_acquire);
            result.attached = (seen & attached) != 0;
            // Read before the end is published: from then on the owners may dispose of this object.
            result.next = result.attached ? continuation_.get() : Continuation{};
            // release: partner is the acquire of complete(), prepare_wait(), attach(),
            // leave_future(), leave_task(); publishes the result.
        } while (!word_.compare_exchange_weak(seen, seen | add, std::memory_order_release,
                                              std::memory_order_relaxed));
        result.last = ((seen | add) & everybody_gone) == everybody_gone;
        wake_if(seen);
        return result;
    }

    /// Claims the task, to cancel it; `finish` must follow. A claim that fails from now on finds
    /// the task `cancelled()`. @returns whether this call claimed it.
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

    /// Whether the task has ended. If so, its effects are visible.
    [[nodiscard]] bool complete() const noexcept {
        // acquire: partner is the release of finish().
        return is_complete(word_.load(std::memory_order_acquire));
    }
    /// Whether the ticket shows that the task has ended.
    [[nodiscard]] static bool is_complete(ticket seen) noexcept { return (seen & ended) != 0; }
    /// Whether the task was claimed, ended tasks included. May be stale.
    [[nodiscard]] bool claimed() const noexcept {
        return (word_.load(std::memory_order_relaxed) & taken) != 0;
    }
    /// Whether the task never runs. Only for a complete task, or one that is claimed.
    [[nodiscard]] bool cancelled() const noexcept {
        return (word_.load(std::memory_order_relaxed) & unrun) != 0;
    }

    /// Leaves `next` to the thread that completes the task. At most once, by the future's side.
    /// @returns false if the task is already complete: `next` stays with the caller.
    [[nodiscard]] bool attach(Continuation next) noexcept {
        continuation_.emplace(next);
        // release: partner is the acquire of finish(); publishes the continuation. acquire: partner
        // is the release of finish(); the result is visible if the task is complete.
        return !is_complete(word_.fetch_or(attached, std::memory_order_acq_rel));
    }

    /// What `attach` was given, for a caller who knows that it was.
    [[nodiscard]] Continuation continuation() noexcept { return continuation_.get(); }

    /// The task's side leaves; its claim has failed. @returns true if it is the last: dispose.
    [[nodiscard]] bool leave_task() noexcept {
        // release: partner is the acquire of the last to leave. acquire: for the case that this is
        // the last.
        return ((word_.fetch_or(task_gone, std::memory_order_acq_rel) | task_gone) &
                everybody_gone) == everybody_gone;
    }
    /// The future's side leaves. @returns true if it is the last: dispose.
    [[nodiscard]] bool leave_future() noexcept {
        // acquire: partner is the release of finish() or leave_task(), the last access of the other
        // side.
        if ((word_.load(std::memory_order_acquire) & task_over) == task_over) {
            return true;
        }
        // release, acquire: as in leave_task().
        return ((word_.fetch_or(future_gone, std::memory_order_acq_rel) | future_gone) &
                everybody_gone) == everybody_gone;
    }

    /// Announces that this thread is about to sleep until the task is complete. Before
    /// `commit_wait` the caller must check `is_complete(ticket)`, and whatever else `wake_waiters`
    /// announces.
    [[nodiscard]] ticket prepare_wait() noexcept {
        // acquire: partner is the release of finish() and wake_waiters().
        return word_.fetch_or(waiters, std::memory_order_acquire) | waiters;
    }
    /// Sleeps until the word changes. Spurious wake-ups are possible. @returns false if the
    /// deadline passed.
    bool commit_wait(ticket mine,
                     const std::chrono::steady_clock::time_point* deadline = nullptr) noexcept {
        return Atomics::wait(word_, mine, deadline);
    }
    /// Wakes the waiters of an incomplete task, to check their other conditions.
    REGATTA_RARE void wake_waiters() noexcept {
        // relaxed: the compare-and-swap checks it.
        std::uint32_t seen = word_.load(std::memory_order_relaxed);
        // release: partner is the acquire of prepare_wait(). Also needed without waiters. Either a
        // waiter's announcement comes before this in the word's history: its ticket is of an
        // earlier epoch, whoever else announces a wait meanwhile, and it does not sleep. Or it
        // comes after and acquires what this publishes.
        while (!word_.compare_exchange_weak(seen, (seen & ~waiters) + epoch,
                                            std::memory_order_release, std::memory_order_relaxed)) {
        }
        wake_if(seen);
    }

    /// Waits until the task is complete: checks, spins, then sleeps.
    /// @returns false if the deadline passed first.
    REGATTA_APART bool
    wait(const std::chrono::steady_clock::time_point* deadline = nullptr) noexcept;

private:
    static constexpr std::uint32_t taken = 1u << 0; ///< Claimed.
    static constexpr std::uint32_t ended = 1u << 1;
    static constexpr std::uint32_t unrun = 1u << 2; ///< It is cancelled or about to be.
    static constexpr std::uint32_t waiters = 1u << 3;
    static constexpr std::uint32_t attached = 1u << 4;
    static constexpr std::uint32_t task_gone = 1u << 5;
    static constexpr std::uint32_t future_gone = 1u << 6;
    /// One more call of `wake_waiters`; the bits from there on wrap.
    static constexpr std::uint32_t epoch = 1u << 7;
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
    /// The bits above. Written by both sides, by the thread that runs the task and by waiters. The
    /// last member, so that a following member may share its eight bytes.
    typename Atomics::template atomic<std::uint32_t> word_{0};
};

template<class Continuation, class Atomics>
bool basic_completion<Continuation, Atomics>::wait(
    const std::chrono::steady_clock::time_point* deadline) noexcept {
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

/// The completion with the atomics of real programs.
template<class Continuation>
using completion = basic_completion<Continuation, std_atomics>;

} // namespace regatta::detail
