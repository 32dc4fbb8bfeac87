// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// One worker of an engine: what belongs to its thread, and what others may read of it.

#include <regatta/base/cache_line.hpp>
#include <regatta/core/detail/task_census.hpp>
#include <regatta/core/detail/worker_gate.hpp>
#include <regatta/sync/backoff.hpp>
#include <regatta/sync/quiescence.hpp>

#include <chrono>
#include <cstdint>

namespace regatta::detail {

/// What became of one look for work. One value and not a struct of flags: that would be written
/// byte by byte and read as a word, which costs some 25 cycles a task (a store-forwarding stall).
enum class worker_turn : unsigned char {
    none,      ///< There was no task.
    ran,       ///< A task ran.
    called_off ///< A task was called off, or dropped.
};

/// What a worker has done so far.
struct worker_figures {
    std::uint64_t run = 0;            ///< Tasks, also those that threw.
    std::uint64_t cancelled = 0;      ///< Tasks that were called off or dropped.
    std::uint64_t stolen = 0;         ///< Of all these, taken from another worker's queue.
    std::uint64_t parked = 0;         ///< Times that it went to sleep.
    std::chrono::nanoseconds busy{0}; ///< Not looking for a task; to a microsecond or so.

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
/// Threads: its own thread, but for `activity`'s observers, `completed`, `resting` and `read`.
/// @tparam Seat what the source of work keeps for each worker.
template<class Seat, class Atomics>
class alignas(destructive_alignment) basic_worker {
public:
    explicit basic_worker(unsigned number) noexcept : index(number), search(number) {}

    const unsigned index; ///< Its number in the pool.
    /// At work from before it looks for a task to after it has run it.
    basic_quiescence<Atomics> activity;
    Seat seat{};                                        ///< The source's.
    typename basic_worker_gate<Atomics>::search search; ///< Whether it looks for a task.
    /// How long it spins when it finds nothing: not at all if its last rest was long, since the
    /// next one will be, too, and the thread that it takes the CPU from may hold the next task.
    std::uint32_t patience = basic_backoff<Atomics>::patient;
    unsigned helping = 0; ///< Its tasks that wait within each other and run others meanwhile.
    unsigned blocked = 0; ///< Its tasks that wait for room, but for those beneath a `wait`.
    bool in_hook = false; ///< It runs `on_start` or `on_stop`.

    /// The worker has taken a task from another worker's queue.
    void count_stolen() noexcept { add_one(stolen_); }
    /// A task is done with. Its end last: a thread that sees it sees all figures of the task.
    void count(worker_turn turn) noexcept { (turn == worker_turn::ran ? run_ : cancelled_).add(); }
    void count_park() noexcept { add_one(parked_); }

    /// The worker has found a task. @returns whether it had none before.
    bool begin_busy() noexcept {
        if (busy_) [[likely]] {
            return false;
        }
        busy_ = true;
        const std::int64_t begin = Atomics::now_ns();
        patience =
            begin - rest_since_ < short_rest_ns ? basic_backoff<Atomics>::patient : no_patience;
        since_.store(begin, std::memory_order_relaxed);
        return true;
    }
    /// It finds none.
    void end_busy() noexcept {
        if (busy_) {
            busy_ = false;
            rest_since_ = Atomics::now_ns();
            // relaxed, all: figures that publish nothing but themselves.
            busy_for_.store(busy_for_.load(std::memory_order_relaxed) + rest_since_ -
                                since_.load(std::memory_order_relaxed),
                            std::memory_order_relaxed);
            since_.store(0, std::memory_order_relaxed);
        }
    }

    /// Tasks that it has done with, run or called off.
    std::uint64_t completed() const noexcept { return run_.get() + cancelled_.get(); }
    /// Whether it has no task.
    bool resting() const noexcept { return since_.load(std::memory_order_relaxed) == 0; }
    worker_figures read() const noexcept {
        const auto since = since_.load(std::memory_order_relaxed);
        return {run_.get(), cancelled_.get(), stolen_.load(std::memory_order_relaxed),
                parked_.load(std::memory_order_relaxed),
                std::chrono::nanoseconds(busy_for_.load(std::memory_order_relaxed) +
                                         (since != 0 ? Atomics::now_ns() - since : 0))};
    }

private:
    template<class T>
    using atomic = typename Atomics::template atomic<T>;

    /// A rest that spinning is better for than parking.
    static constexpr std::int64_t short_rest_ns = 50'000;
    static constexpr std::uint32_t no_patience = basic_backoff<Atomics>::none;

    static void add_one(atomic<std::uint64_t>& counter) noexcept {
        // relaxed: a figure that publishes nothing but itself. Only the worker writes it.
        counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }

    basic_task_count<Atomics> run_;
    basic_task_count<Atomics> cancelled_;
    /// Written by the worker, read by all.
    atomic<std::uint64_t> stolen_{0};
    atomic<std::uint64_t> parked_{0};
    atomic<std::int64_t> busy_for_{0}; ///< Nanoseconds, up to the last time it found nothing.
    atomic<std::int64_t> since_{0};    ///< When it began to be busy; 0: it is not.
    bool busy_ = false;
    std::int64_t rest_since_ = 0; ///< When it last found nothing.
};

} // namespace regatta::detail
