// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// One worker of a thread pool: what belongs to its thread, and what others may read of it.

#include <regatta/base/cache_line.hpp>
#include <regatta/core/detail/block_cache.hpp>
#include <regatta/core/detail/task_census.hpp>
#include <regatta/core/detail/thread_team.hpp>
#include <regatta/core/detail/worker_context.hpp>
#include <regatta/core/detail/worker_gate.hpp>
#include <regatta/core/pool_stats.hpp>
#include <regatta/pool/detail/task_queues.hpp>
#include <regatta/sync/backoff.hpp>
#include <regatta/sync/quiescence.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>

namespace regatta::detail {

/// A worker's record. Threads: its own thread, but for `activity`'s observers and `read`.
class alignas(destructive_alignment) pool_worker {
public:
    using clock = std::chrono::steady_clock;

    explicit pool_worker(unsigned number) noexcept : index(number), search(number) {}

    const unsigned index; ///< Its number in the pool.
    /// At work from before it looks for a task to after it has run it.
    quiescence activity;
    task_queues::tally tally;   ///< Cells that it has used.
    worker_gate::search search; ///< Whether it looks for a task.
    std::uint32_t turn = 0;     ///< Tasks that it has taken; wraps.
    unsigned victim = 0;        ///< From whom it took a task last that was not its own.
    /// How long it spins when it finds nothing: not at all if its last rest was long, since the
    /// next one will be, too, and whom it takes the CPU from may be the one who has the next task.
    std::uint32_t patience = backoff::patient;
    unsigned helping = 0; ///< Its tasks that wait within each other and run others meanwhile.
    unsigned blocked = 0; ///< Its tasks that wait for room, but for those beneath a `wait`.
    bool in_hook = false; ///< It runs `on_start` or `on_stop`.

    /// One task has been run, or was found called off. Its end last: whoever sees that sees all
    /// figures of the task.
    void count_task(bool ran, bool stolen) noexcept {
        if (stolen) [[unlikely]] {
            add_one(stolen_);
        }
        (ran ? run_ : cancelled_).add();
    }
    void count_park() noexcept { add_one(parked_); }

    /// The worker has found a task. @returns whether it had none before.
    bool begin_busy() noexcept {
        if (busy_) [[likely]] {
            return false;
        }
        busy_ = true;
        const std::int64_t begin = now();
        patience = begin - rest_since_ < short_rest.count() ? backoff::patient : backoff::none;
        since_.store(begin, std::memory_order_relaxed);
        return true;
    }
    /// It finds none.
    void end_busy() noexcept {
        if (busy_) {
            busy_ = false;
            rest_since_ = now();
            // relaxed, all: figures that publish nothing but themselves.
            busy_for_.store(busy_for_.load(std::memory_order_relaxed) + rest_since_ -
                                since_.load(std::memory_order_relaxed),
                            std::memory_order_relaxed);
            since_.store(0, std::memory_order_relaxed);
        }
    }

    /// Tasks that it has done with, run or called off.
    std::uint64_t completed() const noexcept { return run_.get() + cancelled_.get(); }
    std::uint64_t cancelled() const noexcept { return cancelled_.get(); }
    /// Whether it has no task.
    bool resting() const noexcept { return since_.load(std::memory_order_relaxed) == 0; }
    pool_stats::worker read() const noexcept {
        const auto since = since_.load(std::memory_order_relaxed);
        return {run_.get(), stolen_.load(std::memory_order_relaxed),
                parked_.load(std::memory_order_relaxed),
                std::chrono::nanoseconds(busy_for_.load(std::memory_order_relaxed) +
                                         (since != 0 ? now() - since : 0))};
    }

    thread_team thread; ///< Last: it uses all of the above.

private:
    /// A rest that spinning is better for than parking.
    static constexpr std::chrono::nanoseconds short_rest = std::chrono::microseconds(50);

    static std::int64_t now() noexcept {
        return std::chrono::nanoseconds(clock::now().time_since_epoch()).count();
    }
    static void add_one(std::atomic<std::uint64_t>& counter) noexcept {
        // relaxed: a figure that publishes nothing but itself. Only the worker writes it.
        counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }

    task_count run_;
    task_count cancelled_;
    /// Written by the worker, read by all.
    std::atomic<std::uint64_t> stolen_{0};
    std::atomic<std::uint64_t> parked_{0};
    std::atomic<std::int64_t> busy_for_{0}; ///< Nanoseconds, up to the last time it found nothing.
    std::atomic<std::int64_t> since_{0};    ///< When it began to be busy; 0: it is not.
    bool busy_ = false;
    std::int64_t rest_since_ = 0; ///< When it last found nothing.
};

/// What makes the calling thread that worker, on its stack.
class pool_seat : public worker_context {
public:
    pool_seat(const void* pool_address, pool_worker& w, wait_graph& waits, block_cache& blocks)
        : worker_context(pool_address, w.index, &waits)
        , worker(w)
        , magazine_(blocks) {}

    pool_worker& worker;

private:
    block_magazine magazine_;
};

} // namespace regatta::detail
