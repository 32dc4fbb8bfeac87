// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Where the workers of a run write what they did, in memory that processes share.

#include <regatta/base/cache_line.hpp>
#include <regatta/process/layout.hpp>

#include "workloads/workload.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <ctime>

namespace regatta::race {

/// Nanoseconds of CLOCK_MONOTONIC, the same clock in every process of the machine.
inline std::int64_t now_ns() noexcept {
    timespec t{};
    ::clock_gettime(CLOCK_MONOTONIC, &t);
    return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

/// What one worker did in one run. Written by that worker only; read after the run by the race.
struct alignas(destructive_alignment) worker_log {
    std::int64_t first_ns = 0; ///< Begin of its first item; 0: it ran none.
    std::int64_t last_ns = 0;  ///< End of its last item.
    std::int64_t busy_ns = 0;  ///< Sum of the times of its items.
    std::uint64_t items = 0;   ///< How many items it ran.
    std::int64_t process = 0;  ///< Its process, where it is not the race's own.
};

/// The shared record of a run. Lives at the begin of a `shared_memory` that the race owns, made
/// with `run_log_layout`; its descriptor is `run_context::log_descriptor`.
struct run_log {
    static constexpr unsigned max_workers = 1024;

    /// Not 0: finish early; items are skipped from now on and the run does not count. Written by
    /// a signal handler or the race, read by every worker before each item. Relaxed everywhere: it
    /// publishes nothing but itself.
    std::atomic<std::uint32_t> stop{0};
    /// Workers that took part so far. Relaxed: it only hands out distinct slots; the slots are
    /// read after the workers were joined.
    std::atomic<std::uint32_t> seen{0};
    /// For schemes whose workers claim items from a counter. Relaxed: it only hands out numbers.
    alignas(destructive_alignment) std::atomic<std::uint64_t> next_item{0};
    worker_log workers[max_workers];

    /// Forgets the previous run (but not a request to stop).
    void clear() noexcept {
        const std::uint32_t used = seen.exchange(0, std::memory_order_relaxed);
        for (unsigned i = 0; i < max_workers && (i < used || workers[i].items != 0); ++i) {
            workers[i] = worker_log{};
        }
        next_item.store(0, std::memory_order_relaxed);
    }
};
inline constexpr std::uint64_t run_log_layout = layout_hash<run_log>("run_log v1");
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

/// Runs items for one worker and keeps its log. Each worker has its own.
///
/// Cost: two clock reads an item, about 50 ns, the same for every scheme.
class item_runner {
public:
    item_runner(workload& work, run_log& log) noexcept
        : work_(&work)
        , log_(&log)
        , stop_(&log.stop) {
        // More workers than slots cannot be told apart: the last slot is then no single writer's,
        // so they run unlogged.
        const auto slot = log.seen.fetch_add(1, std::memory_order_relaxed);
        mine_ = slot < run_log::max_workers ? &log.workers[slot] : nullptr;
    }

    /// Runs one item, unless the race was told to stop.
    void operator()(std::size_t item) noexcept {
        if (stop_->load(std::memory_order_relaxed) != 0) {
            return;
        }
        const std::int64_t begin = now_ns();
        work_->run(item);
        const std::int64_t end = now_ns();
        if (mine_ == nullptr) {
            return;
        }
        if (mine_->items == 0) {
            mine_->first_ns = begin;
        }
        mine_->last_ns = end;
        mine_->busy_ns += end - begin;
        ++mine_->items;
    }

    /// Claims items from the shared counter and runs them until none is left.
    void run_from_counter() noexcept {
        const std::size_t count = work_->items();
        for (;;) {
            const auto item = log_->next_item.fetch_add(1, std::memory_order_relaxed);
            if (item >= count) {
                return;
            }
            (*this)(static_cast<std::size_t>(item));
        }
    }

    worker_log* log() noexcept { return mine_; }

private:
    workload* work_;
    run_log* log_;
    const std::atomic<std::uint32_t>* stop_;
    worker_log* mine_;
};

} // namespace regatta::race
