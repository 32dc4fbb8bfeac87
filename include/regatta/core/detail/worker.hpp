// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The record of one worker of an engine: the part of its thread, and the part that others read.

#include <regatta/base/cache_line.hpp>
#include <regatta/base/detail/clock.hpp>
#include <regatta/core/detail/fork_member.hpp>
#include <regatta/core/detail/task_census.hpp>
#include <regatta/core/detail/worker_gate.hpp>
#include <regatta/sync/backoff.hpp>
#include <regatta/sync/quiescence.hpp>

#include <cstdint>

namespace regatta::detail {

/// The result of one look for work. It is one value, not a struct of flags. Flags would be written
/// byte by byte and read as a word: some 25 cycles a task for the store-forwarding stall.
enum class worker_turn : unsigned char {
    none,      ///< There was no task.
    ran,       ///< A task ran.
    called_off ///< A task was cancelled or dropped.
};

/// Where a worker found its task.
enum class task_origin : unsigned char {
    own,                ///< In a queue that is its own or everybody's.
    stolen,             ///< In another worker's queue.
    stolen_among_others ///< The same; it took others with it, which any worker may take from it.
};

/// The figures of a worker so far.
struct worker_figures {
    std::uint64_t run = 0;            ///< Tasks that ran, those included that threw.
    std::uint64_t cancelled = 0;      ///< Tasks that were cancelled or dropped.
    std::uint64_t stolen = 0;         ///< Of both, those taken from another worker's queue.
    std::uint64_t parked = 0;         ///< How often the worker went to sleep.
    std::chrono::nanoseconds busy{0}; ///< Time with a task, to about a microsecond.

    worker_figures& operator+=(const worker_figures& more) noexcept {
        run += more.run;
        cancelled += more.cancelled;
        stolen += more.stolen;
        parked += more.parked;
        busy += more.busy;
        return *this;
    }
};

/// A worker's record.
///
/// Threads: the worker's own. Any thread may call the observers of `activity`, `completed`,
/// `resting` and `read`.
/// @tparam Seat what the source of work keeps for each worker.
template<class Seat, class Atomics>
class alignas(destructive_alignment) basic_worker {
    static constexpr std::uint32_t no_patience = basic_backoff<Atomics>::none;

public:
    explicit basic_worker(unsigned number) noexcept : index(number), search(number) {}

    const unsigned index; ///< Its index in the pool.
    /// Working from before each look for a task until that task has run.
    basic_quiescence<Atomics> activity;
    Seat seat{};                                        ///< The source's part.
    typename basic_worker_gate<Atomics>::search search; ///< Whether it looks for a task.
    /// How long it spins when it finds nothing. After a long rest it does not spin: the next rest
    /// will probably be long, too, and the preempted thread may hold the next task. Nor does it
    /// before its first task: it would take the CPU from the thread that starts the other workers.
    std::uint32_t patience = no_patience;
    unsigned naps = 0;        ///< How often it has slept a little since it last ran a fork.
    bool fork_helper = false; ///< It counts as one that may take forks, and looks for some.

    /// Counts a task taken from another worker's queue.
    void count_stolen() noexcept { add_one(stolen_); }
    /// Counts a finished task. The end is stored last: a thread that sees it sees all figures of
    /// the task.
    void count(worker_turn turn) noexcept { (turn == worker_turn::ran ? run_ : cancelled_).add(); }
    void count_park() noexcept { add_one(parked_); }

    /// The worker has found a task. @returns whether it was resting.
    bool begin_busy() noexcept {
        if (busy_) [[likely]] {
            return false;
        }
        busy_ = true;
        const std::int64_t begin = Atomics::now_ns();
        patience =
            begin - rest_since_ < short_rest_ns ? basic_backoff<Atomics>::patient : no_patience;
        // relaxed, as in end_busy(): a figure that publishes only itself.
        busy_for_.store(busy_for_.load(std::memory_order_relaxed) - begin,
                        std::memory_order_relaxed);
        return true;
    }
    /// The worker finds no task.
    void end_busy() noexcept {
        if (busy_) {
            busy_ = false;
            rest_since_ = Atomics::now_ns();
            busy_for_.store(busy_for_.load(std::memory_order_relaxed) + rest_since_,
                            std::memory_order_relaxed);
        }
    }

    /// The number of tasks it is done with, run or cancelled.
    std::uint64_t completed() const noexcept { return run_.get() + cancelled_.get(); }
    /// Whether it has no task.
    bool resting() const noexcept { return busy_for_.load(std::memory_order_relaxed) >= 0; }
    worker_figures read() const noexcept {
        std::int64_t busy = 0;
        std::int64_t now = 0;
        do { // Again if it went to rest meanwhile: then it was busy for less than up to now.
            busy = busy_for_.load(std::memory_order_relaxed);
            now = busy < 0 ? Atomics::now_ns() : 0;
        } while (busy != busy_for_.load(std::memory_order_relaxed));
        return {run_.get(), cancelled_.get(), stolen_.load(std::memory_order_relaxed),
                parked_.load(std::memory_order_relaxed), std::chrono::nanoseconds(busy + now)};
    }

private:
    template<class T>
    using atomic = typename Atomics::template atomic<T>;

    /// For a shorter rest, spinning is better than parking. It is the time that a whole spin takes.
    /// So a worker that spun in vain does not spin in its next rest: where threads are more than
    /// CPUs, a spin takes the CPU from the thread that is to submit the task.
    static constexpr std::int64_t short_rest_ns = 25'000;

    static void add_one(atomic<std::uint64_t>& counter) noexcept {
        // relaxed: a figure that publishes only itself. Only the worker writes it.
        counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }

    // What a worker touches that ends a task and parks comes first, so that it is two lines.
    basic_task_count<Atomics> run_;
    /// Written by the worker, read by all.
    atomic<std::uint64_t> parked_{0};
    /// In nanoseconds, up to its last rest; while it is busy, less the time at which that began,
    /// and so negative. One number, so that no reader sees a period twice or not at all.
    atomic<std::int64_t> busy_for_{0};
    std::int64_t rest_since_ = 0; ///< When its last rest began.
    bool busy_ = false;
    atomic<std::uint64_t> stolen_{0}; ///< Written by the worker, read by all.
    basic_task_count<Atomics> cancelled_;

public:
    unsigned helping = 0;                ///< Its nested waits that run other tasks.
    basic_task_ground<Atomics> ground{}; ///< What its task stands on.
};

} // namespace regatta::detail
