// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The queues of a thread pool: where a task is appended, and which task a worker takes next.

#include <regatta/base/cache_line.hpp>
#include <regatta/base/config.hpp>
#include <regatta/core/detail/task_slot.hpp>
#include <regatta/core/detail/worker.hpp>
#include <regatta/core/task_options.hpp>
#include <regatta/pool/detail/task_queue.hpp>
#include <regatta/pool/detail/worker_queues.hpp>
#include <regatta/sync/atomics.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace regatta::detail {

/// How tasks of medium priority are spread over queues.
enum class queue_layout {
    shared,     ///< One queue for all.
    per_worker, ///< One for each worker; tasks from outside go to them in turn.
    both        ///< One for each worker's own tasks, and one for tasks from outside.
};

/// The queues of one pool: one for tasks of high priority, one for low priority, and some for
/// medium priority.
///
/// A worker takes from the high queue, then its own, the shared one, another worker's
/// (`worker_queues`), and the low queue. To prevent starvation, every 8th take of a worker tries
/// the medium queues before the high one. Every 32nd take tries the low queue first, and every 32nd
/// of the medium queues the shared one before its own.
///
/// Threads: any.
/// Blocks, Cost: as `segment_queue`.
///
/// I1: each appended task is taken once, whatever its priority and whichever thread takes it.
/// I2: a worker announces its sleep, then calls `coming`; a producer appends, then checks for
///     sleepers. The worker sees the task, if it may take it, or the producer sees the worker.
/// I3: after `close` only workers append.
template<class Task, class Atomics, std::size_t SegmentSize = 64>
class basic_task_queues {
public:
    using worker_queues = basic_worker_queues<Task, Atomics, SegmentSize>;
    using theft = typename worker_queues::theft;
    using queue = typename worker_queues::queue;
    using cell = typename queue::cell;
    using batch = typename queue::batch;
    using tally = typename queue::tally;

    /// Means "no worker": the task comes from outside, or is in no worker's queue.
    static constexpr unsigned outside = ~0u;

    /// The result of `append`.
    struct appended_tasks {
        std::size_t count; ///< How many tasks; 0 only if the queues are closed.
        unsigned worker;   ///< The worker in whose queue they are, or `outside`.
    };

    REGATTA_APART basic_task_queues(queue_layout layout, unsigned workers)
        : layout_(layout)
        , own_(layout == queue_layout::shared ? 0 : workers) {
        const unsigned count = own_.count();
        for (unsigned i = 0; count != 0 && i < lanes; ++i) {
            // relaxed: no other thread knows the queues yet.
            turns_[i].queue.store(i * std::max(count / lanes, 1u) % count,
                                  std::memory_order_relaxed);
        }
    }

    basic_task_queues(const basic_task_queues&) = delete;
    basic_task_queues& operator=(const basic_task_queues&) = delete;
    /// Destroys the tasks that were never taken. No other thread may use the queues any more.
    ~basic_task_queues() = default;

    /// As `worker_queues`.
    REGATTA_RARE void settle(unsigned worker, unsigned node) noexcept { own_.settle(worker, node); }

    /// Appends up to `count` tasks of one priority to adjacent cells.
    ///
    /// @param worker the worker that submits, or `outside`. Only workers append to closed queues.
    /// @param room, fill as in `segment_queue::append`.
    /// @param origin names the calling thread. Threads of different names begin at different
    /// workers' queues.
    template<class Fill>
    REGATTA_INLINE appended_tasks append(priority level, unsigned worker, std::size_t count,
                                         queue_room room, Fill&& fill, std::uintptr_t origin = 0) {
        const bool inside = worker != outside;
        queue* q = &shared_;
        unsigned target = outside; // The worker to whose queue the tasks go.
        if (level != priority::medium) [[unlikely]] {
            q = &queue_of(level);
        } else if (inside ? own_.count() != 0 : layout_ == queue_layout::per_worker) {
            // relaxed: every value that it ever had is valid.
            target =
                inside ? worker : turns_[lane_of(origin)].queue.load(std::memory_order_relaxed);
            q = &own_[target];
        }
        static_assert(task_room_size <= queue_room::largest);
        const auto appended = q->append(inside, count, room, fill);
        if (target != outside) {
            own_.fill(target);
            if (!inside && appended.end % run_length < appended.count) {
                end_run(target, origin);
            }
        }
        return {appended.count, target};
    }

    /// As `append`, one task. Short for one that a worker submits and that needs no room.
    /// @param origin returns the name of the calling thread.
    template<class Fill, class Origin>
    REGATTA_INLINE appended_tasks append_one(priority level, unsigned worker, queue_room room,
                                             Fill&& fill, Origin&& origin) {
        if (!room.any() && level == priority::medium && worker != outside && own_.count() != 0) {
            const auto appended = own_[worker].append_one(true, fill);
            own_.fill(worker);
            return {appended.count, worker};
        }
        return append(level, worker, 1, room, fill, origin());
    }

    /// Takes the task that the worker runs next; empty if it found none.
    /// @param turn how many tasks the worker has taken before.
    /// @param reach of how many following workers' queues, counted round, it may steal.
    /// @param last the worker's own.
    /// @param from set to where the task was.
    /// Inline is what most takes are: of a worker's own queue, or of the only one.
    /// @param below whether also a task of low priority, if there is no other. In its turn one is
    /// taken in any case.
    REGATTA_INLINE batch take(unsigned worker, std::uint32_t turn, unsigned reach, theft& last,
                              task_origin& from, bool below = true) noexcept {
        from = task_origin::own;
        // relaxed: a hint; a worker that finds no task calls coming() before it sleeps.
        if (levels_used_.load(std::memory_order_relaxed)) [[unlikely]] {
            return take_by_level(worker, turn, reach, last, from, below);
        }
        if (own_.count() == 0) {
            return shared_.take();
        }
        if (!shared_is_due(turn) && !last.kept) [[likely]] {
            if (const batch b = own_[worker].take(); b.size() != 0) [[likely]] {
                return b;
            }
            return take_elsewhere(worker, reach, last, from);
        }
        return take_medium(worker, turn, reach, last, from);
    }

    /// Ends the tasks that are over in the queues that the worker appends to, where they are many:
    /// `task_queue::sweep`.
    template<class Count, class Tell, class End>
    REGATTA_RARE bool sweep(unsigned worker, std::size_t& over, Count&& count, Tell&& tell,
                            End&& end) {
        // relaxed: a hint; what the worker itself has appended it sees.
        const bool levels = levels_used_.load(std::memory_order_relaxed);
        std::size_t there = over; // It is not known in which of the queues they are.
        bool some = levels && high_.sweep(there, count, tell, end);
        there = over;
        some = (levels && low_.sweep(there, count, tell, end)) || some;
        return (own_.count() == 0 ? shared_.sweep(over, count, tell, end)
                                  : own_.sweep(worker, over, count, tell, end)) ||
               some;
    }

    /// Takes what seems to be the oldest task of that priority.
    REGATTA_RARE batch take_oldest(priority level) noexcept {
        task_origin from = task_origin::own;
        theft none{.kept = true};
        switch (level) {
        case priority::high:
            return high_.take();
        case priority::low:
            return low_.take();
        case priority::medium:
            break;
        }
        // relaxed: every value that it ever had is valid.
        return take_medium(turns_[0].queue.load(std::memory_order_relaxed), shared_first,
                           own_.count(), none, from);
    }

    /// Whether there is a task that the worker may take. After a fence it sees all tasks that were
    /// appended before the partner's fence.
    REGATTA_APART bool ready(unsigned worker, unsigned reach) const noexcept {
        return any_of(worker, reach, [](queue& q) { return q.ready(); });
    }
    /// The same, also for a task that is just being appended; see `segment_queue::coming`.
    REGATTA_APART bool coming(unsigned worker, unsigned reach) const noexcept {
        return any_of(worker, reach, [](queue& q) { return q.coming(); });
    }

    /// Whether any task has had another priority than medium.
    bool levels_used() const noexcept {
        // relaxed: a hint, as in take().
        return levels_used_.load(std::memory_order_relaxed);
    }

    /// Refuses tasks from outside from now on.
    REGATTA_APART void close() noexcept {
        for_each([](queue& q) { q.close(); });
    }
    /// As `segment_queue`.
    REGATTA_RARE void abandon() noexcept {
        for_each([](queue& q) { q.abandon(); });
    }

    /// How many tasks have been appended so far.
    REGATTA_APART std::uint64_t appended() const noexcept {
        std::uint64_t sum = 0;
        for_each([&](const queue& q) { sum += q.appended(); });
        return sum;
    }
    /// How many tasks have been taken so far.
    REGATTA_APART std::uint64_t taken() const noexcept {
        // In this order: more may be set aside meanwhile.
        const std::uint64_t aside = own_.kept();
        std::uint64_t sum = 0;
        for_each([&](const queue& q) { sum += q.taken(); });
        return sum - std::min(aside, sum);
    }
    /// About how many tasks are queued.
    REGATTA_APART std::size_t size() const noexcept {
        std::size_t sum = own_.kept();
        for_each([&](const queue& q) { sum += q.size(); });
        return sum;
    }

    /// About how many tasks of that priority are queued.
    REGATTA_RARE std::size_t size(priority level) const noexcept {
        if (level != priority::medium) {
            return level == priority::high ? high_.size() : low_.size();
        }
        std::size_t sum = shared_.size() + own_.kept();
        for (unsigned i = 0; i < own_.count(); ++i) {
            sum += own_[i].size();
        }
        return sum;
    }

private:
    /// How many tasks from outside go into one worker's queue in a row. It makes the comparison of
    /// two queue lengths cheap per task.
    static constexpr std::size_t run_length = SegmentSize / 2;

    /// The turn, of 32, at which a worker tries the shared queue before its own.
    static constexpr std::uint32_t shared_first = 15;

    /// Threads outside share a few turns, so that two of them rarely append to the same queue.
    static constexpr unsigned lanes = 4;
    struct alignas(destructive_alignment) turn_of_outside {
        /// The worker's queue that gets the next task. Written and read by producers; every value
        /// is valid.
        typename Atomics::template atomic<unsigned> queue{0};
    };
    /// Mixes all bits of the name into the highest ones.
    static unsigned lane_of(std::uintptr_t origin) noexcept {
        static_assert(lanes == 4);
        return static_cast<unsigned>(origin * std::uint64_t{0x9E3779B97F4A7C15} >> 62);
    }

    /// The next tasks of the calling thread go to another worker's queue.
    REGATTA_APART void end_run(unsigned target, std::uintptr_t origin) noexcept {
        // relaxed: every value is valid.
        turns_[lane_of(origin)].queue.store(own_.next_target(target), std::memory_order_relaxed);
    }

    /// The queue of a priority that is not medium.
    REGATTA_RARE queue& queue_of(priority level) noexcept {
        // seq_cst: a store that this load reads comes before this append in the order of all
        // seq_cst operations, like a store of its own.
        if (!levels_used_.load(std::memory_order_seq_cst)) {
            // seq_cst: partner is the load in any_of(). A worker that checks there before it
            // sleeps sees this store, or this producer, which then appends, sees the worker.
            levels_used_.store(true, std::memory_order_seq_cst);
        }
        return level == priority::high ? high_ : low_;
    }

    /// As `take`, once there was a task of another priority.
    REGATTA_RARE batch take_by_level(unsigned worker, std::uint32_t turn, unsigned reach,
                                     theft& last, task_origin& from, bool below) noexcept {
        batch b;
        if (turn % 32 == 31 && (b = low_.take()).size() != 0) {
            return b;
        }
        if (turn % 8 == 7 && (b = take_medium(worker, turn, reach, last, from)).size() != 0) {
            return b;
        }
        if ((b = high_.take()).size() != 0 ||
            (b = take_medium(worker, turn, reach, last, from)).size() != 0) {
            return b;
        }
        return below ? low_.take() : batch();
    }

    /// Whether the worker takes from the shared queue before its own. It prevents starvation: tasks
    /// that keep submitting others must not hold back those from outside.
    bool shared_is_due(std::uint32_t turn) const noexcept {
        return layout_ == queue_layout::both && turn % 32 == shared_first;
    }
    /// A task of medium priority.
    REGATTA_APART batch take_medium(unsigned worker, std::uint32_t turn, unsigned reach,
                                    theft& last, task_origin& from) noexcept {
        batch b;
        if (shared_is_due(turn) && (b = shared_.take()).size() != 0) {
            return b;
        }
        if (own_.count() != 0) {
            if (last.kept && (b = own_.take_kept(worker, last, from)).size() != 0) {
                return b;
            }
            if ((b = own_[worker].take()).size() != 0) {
                return b;
            }
        }
        return take_elsewhere(worker, reach, last, from);
    }
    /// From the shared queue, or another worker's.
    REGATTA_APART batch take_elsewhere(unsigned worker, unsigned reach, theft& last,
                                       task_origin& from) noexcept {
        batch b;
        if ((layout_ != queue_layout::per_worker && (b = shared_.take()).size() != 0) ||
            own_.count() == 0) {
            return b;
        }
        return own_.steal(worker, reach, last, from);
    }

    template<class Is>
    bool any_of(unsigned worker, unsigned reach, Is&& is) const noexcept {
        // seq_cst: partner is the store in append().
        if ((layout_ != queue_layout::per_worker && is(shared_)) ||
            (levels_used_.load(std::memory_order_seq_cst) && (is(high_) || is(low_)))) {
            return true;
        }
        return own_.any_of(worker, reach, is);
    }
    template<class Use>
    void for_each(Use&& use) const {
        for (unsigned i = 0; i < own_.count(); ++i) {
            use(own_[i]);
        }
        use(shared_);
        use(high_);
        use(low_);
    }

    // The line that every append and every take reads; it is written once at most.
    const queue_layout layout_;
    /// Whether any task has had another priority than medium. Set by producers, never cleared; read
    /// by producers and workers.
    typename Atomics::template atomic<bool> levels_used_{false};
    worker_queues own_;
    mutable queue shared_;
    mutable queue high_;
    mutable queue low_;
    turn_of_outside turns_[lanes];
};

#if REGATTA_POOLS_LIBRARY
REGATTA_POOLS_TEMPLATE class REGATTA_POOLS_EXPORT basic_segment_queue<task_slot, std_atomics>;
#endif

/// The queues of real pools.
using task_queues = basic_task_queues<task_slot, std_atomics>;

} // namespace regatta::detail
