// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// How a worker process sleeps until there is work, and a process until a job is complete.

#include <regatta/base/detail/platform.hpp>
#include <regatta/sync/atomics.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>

namespace regatta::detail {

/// The policy of real programs for words that several processes map.
struct shared_atomics : std_atomics {
    static bool wait(std::atomic<std::uint32_t>& word, std::uint32_t expected,
                     const std::chrono::steady_clock::time_point* deadline) noexcept {
        return platform::futex_wait(word, expected, deadline, platform::futex_scope::shared);
    }
    static void wake(std::atomic<std::uint32_t>& word, std::uint32_t count) noexcept {
        platform::futex_wake(word, static_cast<int>(count), platform::futex_scope::shared);
    }
};

/// Where one worker sleeps. It has a flag of its own: a count of sleepers that all share would be
/// wrong for ever once a worker died in its sleep.
///
/// Threads: `announce`, `sleep`, `awake`, `answer` by the worker; `ring`, `unanswered` and `asleep`
/// by any thread of its parent; `reset` by the parent while there is no worker.
///
/// I1: a worker that sleeps has looked at the work count after its last change, or is rung.
template<class Atomics>
class basic_doorbell {
public:
    /// The worker is about to sleep. It must look for work once more before it does.
    std::uint32_t announce() noexcept {
        // acquire: partner is the release of ring(): its reset of the flag comes before the
        // announcement, and does not undo it (I1).
        const std::uint32_t ticket = bell_.load(std::memory_order_acquire);
        // relaxed: see answered_. What it was rung for before is done.
        answered_.store(ticket, std::memory_order_relaxed);
        // seq_cst: before the look at the work count, in one order with ring() (I1).
        sleeping_.exchange(1, std::memory_order_seq_cst);
        return ticket;
    }
    void sleep(std::uint32_t ticket) noexcept { Atomics::wait(bell_, ticket, nullptr); }
    void awake() noexcept { sleeping_.store(0, std::memory_order_relaxed); }
    /// The worker has found what it was rung for.
    void answer() noexcept {
        // relaxed, all: see answered_.
        const std::uint32_t rung = bell_.load(std::memory_order_relaxed);
        if (answered_.load(std::memory_order_relaxed) != rung) {
            answered_.store(rung, std::memory_order_relaxed);
        }
    }

    /// Wakes the worker if it sleeps or is about to, after the work count was changed.
    /// @returns whether it did.
    bool ring() noexcept {
        // seq_cst: after the change of the work count, in one order with announce() (I1).
        if (sleeping_.load(std::memory_order_seq_cst) == 0) {
            return false;
        }
        sleeping_.store(0, std::memory_order_relaxed);
        // release: partner is the acquire of announce(). Of two threads that ring, each changes it:
        // a worker that has announced itself since the other one's ring does not sleep.
        bell_.fetch_add(1, std::memory_order_release);
        Atomics::wake(bell_, 1);
        return true;
    }
    /// Whether the worker was rung and has neither answered nor announced a sleep since: it has not
    /// come to it yet, or is stopped. `bell` is then the number of the ring.
    bool unanswered(std::uint32_t& bell) const noexcept {
        // relaxed, both: see answered_.
        bell = bell_.load(std::memory_order_relaxed);
        return bell != answered_.load(std::memory_order_relaxed);
    }
    /// Whether the worker sleeps, or is about to, and was not rung since.
    bool asleep() const noexcept { return sleeping_.load(std::memory_order_relaxed) != 0; }
    /// For the next worker in the place of one that has ended.
    void reset() noexcept {
        sleeping_.store(0, std::memory_order_relaxed);
        answered_.store(bell_.load(std::memory_order_relaxed), std::memory_order_relaxed);
    }

private:
    /// Written by both sides: whether the worker sleeps or is about to.
    typename Atomics::template atomic<std::uint32_t> sleeping_{0};
    /// Changed by the parent to end the sleep; the futex of the worker.
    typename Atomics::template atomic<std::uint32_t> bell_{0};
    /// The last value of `bell_` that the worker has acted on. Written by the worker, read by the
    /// parent; relaxed: a parent that misses it for a while rings others for nothing.
    typename Atomics::template atomic<std::uint32_t> answered_{0};
};

/// How often there was new work for sleeping workers to look at.
template<class Atomics>
class basic_work_count {
public:
    /// The parent has published work; then it rings.
    void add() noexcept {
        // seq_cst: before ring(), in one order with announce() and the look after it.
        count_.fetch_add(1, std::memory_order_seq_cst);
    }
    std::uint32_t look() const noexcept {
        // seq_cst: after announce(); partner is add().
        return count_.load(std::memory_order_seq_cst);
    }

private:
    /// Written by the parent, read by workers.
    typename Atomics::template atomic<std::uint32_t> count_{0};
};

/// Where threads of the parent wait until a job is complete: the number of the generation that is.
///
/// Threads: `mark`, `ring`, `attended` by workers and by the parent; the rest by the parent's.
/// `begin` while no worker can claim a task of the job.
///
/// I1: a thread that sleeps has looked at the job after it was marked as complete, or is rung.
/// I2: a job that was marked while a thread attended it is seen by that thread after `leave`.
template<class Atomics>
class basic_job_bell {
public:
    bool complete(std::uint32_t generation) const noexcept {
        // seq_cst: publishes what all tasks wrote; and after announce() and leave(), in one order
        // with mark() and the looks after it (I1, I2).
        return completed_.load(std::memory_order_seq_cst) == generation;
    }
    /// Before a job is published: from here its number is not far away, so that `mark` does not
    /// take it for an earlier one. The last job here may be 2^31 numbers ago.
    void begin(std::uint32_t generation) noexcept {
        // relaxed: published with the job. The last job here is over, and known to be.
        completed_.store(generation - 1, std::memory_order_relaxed);
    }
    /// The process that has found every task ended says so; then it rings. One that comes late,
    /// when there is a later job, changes nothing.
    void mark(std::uint32_t generation) noexcept {
        // relaxed: the compare-and-swap checks it.
        std::uint32_t seen = completed_.load(std::memory_order_relaxed);
        while (static_cast<std::int32_t>(seen - generation) < 0) { // The numbers go round.
            // seq_cst: publishes what all tasks wrote, which the caller has acquired by its look at
            // their words; and before the looks for threads that wait; partner is complete().
            if (completed_.compare_exchange_weak(seen, generation, std::memory_order_seq_cst,
                                                 std::memory_order_relaxed)) {
                return;
            }
        }
    }
    /// Wakes the threads that sleep, after the job was marked or anything else that they look at
    /// was changed.
    void ring() noexcept {
        // seq_cst: after mark(), in one order with announce(): it sees the thread that sleeps, or
        // that thread the change (I1).
        if (waiting_.load(std::memory_order_seq_cst) != 0) {
            // release: partner is the acquire of announce(); publishes the change.
            bell_.fetch_add(1, std::memory_order_release);
            Atomics::wake(bell_, 0x7FFF'FFFF);
        }
    }

    /// The thread is about to sleep. It must look at the job once more before it does.
    std::uint32_t announce() noexcept {
        // seq_cst: before that look, in one order with ring() (I1).
        waiting_.fetch_add(1, std::memory_order_seq_cst);
        return bell_.load(std::memory_order_acquire);
    }
    /// @returns false: the deadline has passed.
    bool sleep(std::uint32_t ticket,
               const std::chrono::steady_clock::time_point* deadline) noexcept {
        return Atomics::wait(bell_, ticket, deadline);
    }
    void awake() noexcept { waiting_.fetch_sub(1, std::memory_order_relaxed); }

    /// From now on until `leave` the thread looks at the job, and need not be told of its end in
    /// any other way than by `ring`.
    void attend(std::uint32_t generation) noexcept {
        // relaxed: a worker that does not see it tells the monitor for nothing.
        attended_.store(generation, std::memory_order_relaxed);
    }
    /// The thread gives up. It must look at the job once more.
    void leave(std::uint32_t generation) noexcept {
        // seq_cst, both: before that look, in one order with attended() (I2).
        attended_.compare_exchange_strong(generation, 0, std::memory_order_seq_cst,
                                          std::memory_order_seq_cst);
    }
    /// Whether a thread sees to the end of a job that was marked before.
    bool attended(std::uint32_t generation) const noexcept {
        // seq_cst: after mark(), in one order with leave() (I2).
        return attended_.load(std::memory_order_seq_cst) == generation;
    }

private:
    /// Written by the worker that found the job complete, or by the parent; read by who waits.
    typename Atomics::template atomic<std::uint32_t> completed_{0};
    /// Changed with each ring that finds a sleeper; the futex of those who wait.
    typename Atomics::template atomic<std::uint32_t> bell_{0};
    /// Threads that sleep, all of the parent: a death of a worker does not falsify it.
    typename Atomics::template atomic<std::uint32_t> waiting_{0};
    /// The generation of the job that a thread of the parent attends. Written by those threads,
    /// read by workers. Another job's number or none is right at any time: the monitor is told.
    typename Atomics::template atomic<std::uint32_t> attended_{0};
};

} // namespace regatta::detail
