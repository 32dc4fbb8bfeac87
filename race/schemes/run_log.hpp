// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Where the workers of a run write what they did, in memory that processes share.

#include <regatta/base/cache_line.hpp>
#include <regatta/base/detail/monotonic_ns.hpp>
#include <regatta/process/shared_memory.hpp>

#include "machine/run_delay.hpp"
#include "schemes/arrivals.hpp"
#include "schemes/latency_histogram.hpp"
#include "workloads/workload.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <utility>

namespace regatta::race {

/// What an item adds to its worker's log, so that one that was forgotten is not made up for by
/// another that ran twice: the square of its number from 1 on.
constexpr std::uint64_t item_mark(std::uint64_t item) noexcept {
    return (item + 1) * (item + 1);
}

/// What one worker did in one run. Written by that worker only; read after the run by the race.
struct alignas(destructive_alignment) worker_log {
    std::int64_t first_ns = 0; ///< Begin of its first item; 0: it ran none.
    std::int64_t last_ns = 0;  ///< End of its last item; of counted ones, to some µs.
    /// Sum of the times of its items, of each without those that ran within it, as they do where it
    /// waits; of items that are counted 0: not known.
    std::int64_t busy_ns = 0;
    std::uint64_t items = 0; ///< How many items it ran.
    std::uint64_t marks = 0; ///< Sum of their `item_mark`.
    /// Of a worker that is a process: its number, when its program began, and when it had mapped
    /// the workload and this log; 0: it is a thread.
    std::int64_t process = 0;
    std::int64_t started_ns = 0;
    std::int64_t mapped_ns = 0;
    /// CPU time of processes that have ended and that the race could not wait for itself.
    std::int64_t cpu_ns = 0;
    /// How long it was ready and had no CPU, in a stretch of that length between two of its items.
    std::int64_t delay_ns = 0;
    std::int64_t delay_span_ns = 0; ///< 0: nobody looked.
    std::int64_t looking_ns = 0;    ///< Time of the looks at that, between its items.

    /// Adds an item, those of a worker in the order of their ends.
    /// @param inner_ns time of the items that ran within it.
    void add(std::uint64_t item, std::int64_t begin, std::int64_t end,
             std::int64_t inner_ns = 0) noexcept {
        if (first_ns == 0) {
            first_ns = begin;
        }
        last_ns = end;
        busy_ns += end - begin - inner_ns;
        count(item);
    }

    /// Adds one without its time.
    void count(std::uint64_t item) noexcept {
        ++items;
        marks += item_mark(item);
    }
};

/// The sum of the marks of items 0 to count − 1, modulo 2^64 as all of them.
constexpr std::uint64_t sum_of_marks(std::uint64_t count) noexcept {
    std::uint64_t a = count;
    std::uint64_t b = count + 1;
    std::uint64_t c = 2 * count + 1;
    (a % 2 == 0 ? a : b) /= 2;
    (a % 3 == 0 ? a : b % 3 == 0 ? b : c) /= 3;
    return a * b * c;
}

/// The shared record of a run. Lives at the start of a `shared_memory` that the race owns, made
/// with `run_log_layout`; its descriptor is `run_context::log_descriptor`. As a value-initialised
/// one it is all zeros.
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
    /// At which rate the items are offered, if at one.
    arrivals offered;
    /// The items are counted, not timed. Written by the race before there are workers.
    bool counts_items = false;
    worker_log workers[max_workers];
    /// Of each worker's items: the time of each, or where they are offered at a rate, the time from
    /// its arrival to its end. Of items that are counted, nothing. Written by that worker only.
    latency_histogram latencies[max_workers];
    /// Of items that are offered at a rate: from its arrival to its begin. By that worker only.
    latency_histogram delays[max_workers];

    /// Forgets the previous run (but not a request to stop).
    void clear() noexcept {
        const std::uint32_t used = seen.exchange(0, std::memory_order_relaxed);
        for (unsigned i = 0; i < max_workers && (i < used || workers[i].items != 0); ++i) {
            workers[i] = worker_log{};
            latencies[i].clear();
            delays[i].clear();
        }
        next_item.store(0, std::memory_order_relaxed);
    }
};
inline constexpr std::uint64_t run_log_layout = layout_hash<run_log>("run_log v7");
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

/// The log in shared memory that was made for it. New memory is all zeros, which is an empty log;
/// what belongs to workers that take no part is never written.
inline run_log& log_in(const shared_memory& memory) noexcept {
    return *std::launder(reinterpret_cast<run_log*>(memory.data()));
}

/// Whether the log says that items 0 to count − 1 ran exactly once each. True where some workers
/// had no slot to write that to.
inline verification check_items(const run_log& log, std::uint64_t count) {
    // Relaxed: the workers were joined, or their processes waited for.
    const std::uint32_t seen = log.seen.load(std::memory_order_relaxed);
    if (seen > run_log::max_workers) {
        return {true, {}};
    }
    std::uint64_t items = 0;
    std::uint64_t marks = 0;
    for (std::uint32_t i = 0; i < seen; ++i) {
        items += log.workers[i].items;
        marks += log.workers[i].marks;
    }
    if (items != count) {
        return {false,
                std::to_string(items) + " items were run, and there are " + std::to_string(count)};
    }
    if (marks != sum_of_marks(count)) {
        return {false, "some items were run twice and others not at all"};
    }
    return {true, {}};
}

/// Runs items for one worker and keeps its log. Each worker has its own.
///
/// Cost: two clock reads an item, about 50 ns, the same for every scheme, and about every 2 ms a
/// look at how long the thread had no CPU, about 10 µs. Where the items are tiny or to be counted,
/// and offered at no rate, one clock read after the first item, and then after as many as take
/// about 5 µs, 64 at most. Where they are offered at a rate and no producer hands them over, each
/// waits until it has arrived.
class item_runner {
public:
    item_runner(workload& work, run_log& log) noexcept
        : work_(&work)
        , log_(&log)
        , stop_(&log.stop)
        , counts_only_((work.tiny_items() || log.counts_items) && !log.offered.paced()) {
        // More workers than slots cannot be told apart: the last slot is then no single writer's,
        // so they run unlogged.
        const auto slot = log.seen.fetch_add(1, std::memory_order_relaxed);
        if (slot < run_log::max_workers) {
            mine_ = &log.workers[slot];
            latency_ = &log.latencies[slot];
            delay_ = &log.delays[slot];
        }
    }

    /// Runs one item, unless the race was told to stop.
    void operator()(std::size_t item) noexcept {
        logged(item, [&] { work_->run(item); });
    }

    /// The same where items may spawn others.
    void operator()(std::size_t item, spawner& to) noexcept {
        logged(item, [&] { work_->run_spawning(item, to); });
    }

    /// Claims items from the shared counter and runs them until none is left.
    void run_from_counter() noexcept {
        const std::size_t count = work_->items();
        while (!stopped()) {
            const auto item = log_->next_item.fetch_add(1, std::memory_order_relaxed);
            if (item >= count) {
                return;
            }
            (*this)(static_cast<std::size_t>(item));
        }
    }

    /// Of this worker; null where it has none.
    worker_log* log() noexcept { return mine_; }

private:
    bool stopped() const noexcept { return stop_->load(std::memory_order_relaxed) != 0; }

    template<class Run>
    void logged(std::size_t item, Run run) noexcept {
        if (stopped()) {
            return;
        }
        if (mine_ == nullptr) {
            run();
        } else if (counts_only_) {
            counted(item, run);
        } else {
            timed(item, run);
        }
    }

    template<class Run>
    void timed(std::size_t item, Run run) noexcept {
        arrivals& offered = log_->offered;
        const bool paced = offered.paced();
        std::int64_t arrived = 0;
        if (paced) {
            arrived = offered.arrival_of(item, *stop_);
            if (stopped()) {
                return;
            }
        }
        const std::int64_t outer_ns = std::exchange(inner_ns_, 0);
        const std::int64_t begin = detail::monotonic_ns();
        if (mine_->first_ns == 0) { // not by `items`: within the first item others may run
            mine_->first_ns = begin;
            looked_at_ns_ = begin;
        }
        ++depth_;
        run();
        --depth_;
        const std::int64_t end = detail::monotonic_ns();
        if (paced) {
            delay_->record(begin - arrived);
        }
        latency_->record(end - (paced ? arrived : begin));
        mine_->add(item, begin, end, inner_ns_);
        inner_ns_ = outer_ns + (end - begin);
        if (depth_ == 0 && end - looked_at_ns_ >= look_after_ns) {
            look(end);
        }
    }

    /// Looks how long this thread has had no CPU; the first look is where the others begin.
    void look(std::int64_t now) noexcept {
        const auto delay = run_delay_of_this_thread();
        if (first_look_ns_ == 0 && delay) {
            first_look_ns_ = now;
            first_delay_ns_ = *delay;
        } else if (delay) {
            mine_->delay_ns = *delay - first_delay_ns_;
            mine_->delay_span_ns = now - first_look_ns_;
        }
        looked_at_ns_ = detail::monotonic_ns();
        mine_->looking_ns += looked_at_ns_ - now;
    }

    template<class Run>
    void counted(std::size_t item, Run run) noexcept {
        if (mine_->first_ns == 0) { // as in `timed`
            mine_->first_ns = detail::monotonic_ns();
        }
        run();
        mine_->count(item);
        if (mine_->items >= next_look_) {
            look_at_clock();
        }
    }

    /// After as many items as take 5 µs at the pace since the last look, 64 at most, the next one
    /// comes: the end of the last item is known to that, and a look costs half a per cent of it.
    void look_at_clock() noexcept {
        const std::int64_t now = detail::monotonic_ns();
        const std::int64_t since = mine_->last_ns != 0 ? mine_->last_ns : mine_->first_ns;
        const std::uint64_t took =
            static_cast<std::uint64_t>(std::max<std::int64_t>(now - since, 1));
        const std::uint64_t pace = between_clock_looks_ns * looked_items_ / took;
        mine_->last_ns = now;
        looked_items_ =
            std::clamp<std::uint64_t>(pace, 1, std::min<std::uint64_t>(mine_->items, 64));
        next_look_ = mine_->items + looked_items_;
    }

    workload* work_;
    run_log* log_;
    const std::atomic<std::uint32_t>* stop_;
    worker_log* mine_ = nullptr;
    latency_histogram* latency_ = nullptr; ///< Null where `mine_` is, as the next.
    latency_histogram* delay_ = nullptr;
    static constexpr std::int64_t look_after_ns = 2'000'000;
    static constexpr std::uint64_t between_clock_looks_ns = 5000;

    bool counts_only_;
    std::uint64_t next_look_ = 1;    ///< Of counted items: after how many the clock is read next.
    std::uint64_t looked_items_ = 1; ///< Between the last look and that one.
    std::int64_t inner_ns_ = 0;      ///< Time of the items that ran within the current one.
    unsigned depth_ = 0;             ///< Items of this worker that have begun and not ended.
    std::int64_t looked_at_ns_ = 0;
    std::int64_t first_look_ns_ = 0; ///< 0: none yet.
    std::int64_t first_delay_ns_ = 0;
};

} // namespace regatta::race
