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
#include <regatta/pool/detail/claimed_run.hpp>
#include <regatta/pool/detail/occupancy.hpp>
#include <regatta/pool/detail/task_queue.hpp>
#include <regatta/sync/atomics.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

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
/// A worker takes from the high queue, then its own, the shared one, another worker's, and the low
/// queue. A bitmap says which workers' queues may hold tasks, so that a look at the others' costs
/// about the same with any number of workers. Of the others' it tries those of its own memory node
/// first, where `settle` has told the nodes. From a queue that had several it takes several at
/// once: the first runs, and the others wait beside its own queue, where any worker may take them,
/// whatever its reach. So many thieves do not all wait for one queue. To prevent starvation, every
/// 8th take of a worker tries the medium queues before the high one. Every 32nd take tries the low
/// queue first, and every 32nd of the medium queues the shared one before its own.
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
    using queue = basic_task_queue<Task, Atomics, SegmentSize>;
    using cell = typename queue::cell;
    using batch = typename queue::batch;
    using tally = typename queue::tally;

    /// Means "no worker": the task comes from outside, or is in no worker's queue.
    static constexpr unsigned outside = ~0u;

    /// What a worker keeps from one theft to the next.
    struct theft {
        unsigned victim = 0; ///< The worker that it last stole from, where it begins to search.
        std::uint32_t appetite = 1; ///< How many tasks it asks for at once.
        bool kept = false;          ///< Some may be left of those that it took with the last one.
    };

    /// The result of `append`.
    struct appended_tasks {
        std::size_t count; ///< How many tasks; 0 only if the queues are closed.
        unsigned worker;   ///< The worker in whose queue they are, or `outside`.
    };

    REGATTA_APART basic_task_queues(queue_layout layout, unsigned workers)
        : layout_(layout)
        , filled_(layout == queue_layout::shared ? 0 : workers) {
        if (layout != queue_layout::shared) {
            own_ = std::make_unique<queue[]>(workers);
            count_ = workers;
            nodes_ = std::make_unique<node_number[]>(workers);
            runs_ = std::make_unique<run[]>(workers);
        }
        for (unsigned i = 0; count_ != 0 && i < lanes; ++i) {
            // relaxed: no other thread knows the queues yet.
            turns_[i].queue.store(i * std::max(count_ / lanes, 1u) % count_,
                                  std::memory_order_relaxed);
        }
    }

    basic_task_queues(const basic_task_queues&) = delete;
    basic_task_queues& operator=(const basic_task_queues&) = delete;
    /// Destroys the tasks that were never taken. No other thread may use the queues any more.
    REGATTA_APART ~basic_task_queues() {
        tally mine;
        for (unsigned i = 0; i < count_; ++i) { // They lie in the queues.
            for (batch b = runs_[i].take(); b.size() != 0; b = runs_[i].take()) {
                b.destroy(0);
                mine.finish(b, 1);
            }
        }
    }

    /// The worker runs on a CPU of that memory node from now on. Before it is told, node 0.
    REGATTA_RARE void settle(unsigned worker, unsigned node) noexcept {
        // relaxed, all: hints about where to look first; every value is valid.
        if (count_ != 0) {
            nodes_[worker].store(node, std::memory_order_relaxed);
            if (node != 0) {
                several_nodes_.store(true, std::memory_order_relaxed);
            }
        }
    }

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
        } else if (inside ? count_ != 0 : layout_ == queue_layout::per_worker) {
            // relaxed: every value that it ever had is valid.
            target =
                inside ? worker : turns_[lane_of(origin)].queue.load(std::memory_order_relaxed);
            q = &own_[target];
        }
        static_assert(task_room_size <= queue_room::largest);
        const auto appended = q->append(inside, count, room, fill);
        if (target != outside) {
            filled_.set(target);
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
        if (!room.any() && level == priority::medium && worker != outside && count_ != 0) {
            const auto appended = own_[worker].append_one(true, fill);
            filled_.set(worker);
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
    REGATTA_INLINE batch take(unsigned worker, std::uint32_t turn, unsigned reach, theft& last,
                              task_origin& from) noexcept {
        from = task_origin::own;
        // relaxed: a hint; a worker that finds no task calls coming() before it sleeps.
        if (levels_used_.load(std::memory_order_relaxed)) [[unlikely]] {
            return take_by_level(worker, turn, reach, last, from);
        }
        if (count_ == 0) {
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
        if (count_ == 0) {
            return shared_.sweep(over, count, tell, end) || some;
        }
        // A task that is set aside is in neither of the two queues for a moment. So its bit may be
        // off; it is on again before workers are told.
        const note_filled at_end{filled_, worker};
        const auto tell_of_own = [&]() noexcept {
            filled_.set(worker);
            tell();
        };
        return own_[worker].sweep(over, count, tell_of_own, end) || some;
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
        return take_medium(count_ == 0 ? 0 : turns_[0].queue.load(std::memory_order_relaxed),
                           shared_first, count_, none, from);
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
        const std::uint64_t aside = in_runs();
        std::uint64_t sum = 0;
        for_each([&](const queue& q) { sum += q.taken(); });
        return sum - std::min(aside, sum);
    }
    /// About how many tasks are queued.
    REGATTA_APART std::size_t size() const noexcept {
        std::size_t sum = in_runs();
        for_each([&](const queue& q) { sum += q.size(); });
        return sum;
    }

    /// About how many tasks of that priority are queued.
    REGATTA_RARE std::size_t size(priority level) const noexcept {
        if (level != priority::medium) {
            return level == priority::high ? high_.size() : low_.size();
        }
        std::size_t sum = shared_.size() + in_runs();
        for (unsigned i = 0; i < count_; ++i) {
            sum += own_[i].size();
        }
        return sum;
    }

private:
    using node_number = typename Atomics::template atomic<unsigned>;
    using run = basic_claimed_run<basic_segment_queue<Task, Atomics, SegmentSize>, Atomics>;

    /// How many tasks a worker steals at once, at most: few enough that those who wait for the last
    /// of them find it after the look at one run.
    static constexpr std::uint32_t most_stolen = 8;

    /// Sets a bit at its end.
    struct note_filled {
        ~note_filled() { filled.set(place); }
        basic_occupancy<Atomics>& filled;
        const unsigned place;
    };

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
        turns_[lane_of(origin)].queue.store(next_target(target), std::memory_order_relaxed);
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
                                     theft& last, task_origin& from) noexcept {
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
        return low_.take();
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
        if (count_ != 0) {
            if (last.kept) {
                if ((b = runs_[worker].take()).size() != 0) {
                    from = task_origin::stolen;
                    return b;
                }
                last.kept = false;
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
            count_ == 0) {
            return b;
        }
        // relaxed: a hint; see settle().
        const bool several = several_nodes_.load(std::memory_order_relaxed);
        // With a limited reach the others may not reach what this worker may.
        const std::uint32_t most = reach == ~0u ? last.appetite : 1;
        // A queue that had a task to steal probably has more.
        if (reaches(worker, last.victim, reach) && (!several || is_near(worker, last.victim))) {
            b = steal_of(last.victim, most);
        }
        if (b.size() == 0) {
            b = steal(worker, reach, several, most, last.victim);
        }
        if (b.size() == 0) {
            last.appetite = 1;
            return b;
        }
        from = task_origin::stolen;
        last.appetite = b.size() == most ? std::min(2 * most, most_stolen) : b.size();
        if (b.size() > 1) {
            runs_[worker].put(b.others()); // It was empty, or the worker would have taken of it.
            last.kept = true;
            filled_.set(worker);
            from = task_origin::stolen_among_others;
        }
        return b.only(0);
    }
    /// From another worker's queue, where there are `several` memory nodes first of the worker's.
    REGATTA_APART batch steal(unsigned worker, unsigned reach, bool several, std::uint32_t most,
                              unsigned& victim) noexcept {
        batch b;
        for (bool inner = several;; inner = false) {
            if (any_filled(victim,
                           [&](unsigned from) noexcept {
                               if (from == worker || (several && is_near(worker, from) != inner)) {
                                   return false;
                               }
                               const bool own = reaches(worker, from, reach);
                               b = own ? steal_of(from, most) : runs_[from].take();
                               if (b.size() == 0) {
                                   if (own) {
                                       note_empty(from);
                                   }
                                   return false;
                               }
                               victim = from;
                               return true;
                           }) ||
                !inner) {
                return b;
            }
        }
    }
    /// Up to `most` tasks of a worker: of those that it has stolen, or of its own.
    REGATTA_INLINE batch steal_of(unsigned worker, std::uint32_t most) noexcept {
        if (const batch b = runs_[worker].take(most); b.size() != 0) [[unlikely]] {
            return b;
        }
        return own_[worker].take(most);
    }
    /// Whether the worker may steal from the queue of that other one: it is one of the next
    /// `reach`, counted round. No worker reaches itself.
    bool reaches(unsigned worker, unsigned from, unsigned reach) const noexcept {
        return from != worker && (from > worker ? from - worker : from + count_ - worker) <= reach;
    }
    /// Whether two workers have the same memory node.
    REGATTA_RARE bool is_near(unsigned one, unsigned other) const noexcept {
        // relaxed, both: hints; see settle().
        return nodes_[one].load(std::memory_order_relaxed) ==
               nodes_[other].load(std::memory_order_relaxed);
    }

    /// The shorter of two queues: the next one and one half the queues further.
    REGATTA_RARE unsigned next_target(unsigned target) const noexcept {
        const auto count = count_;
        const unsigned a = (target + 1) % count;
        const unsigned b = (target + 1 + count / 2) % count;
        return own_[b].size() < own_[a].size() ? b : a;
    }

    template<class Is>
    bool any_of(unsigned worker, unsigned reach, Is&& is) const noexcept {
        // seq_cst: partner is the store in append().
        if ((layout_ != queue_layout::per_worker && is(shared_)) ||
            (levels_used_.load(std::memory_order_seq_cst) && (is(high_) || is(low_)))) {
            return true;
        }
        return any_filled(0, [&](unsigned i) noexcept {
            if (runs_[i].any()) {
                return true;
            }
            if (i != worker && !reaches(worker, i, reach)) {
                return false;
            }
            const bool found = is(own_[i]);
            if (!found) {
                note_empty(i);
            }
            return found;
        });
    }
    /// Calls `look(i)` for each worker whose queue may hold tasks, from worker `from` on and round,
    /// until it returns true. @returns whether it did.
    template<class Look>
    bool any_filled(unsigned from, Look&& look) const noexcept {
        unsigned begin = from;
        unsigned end = count_;
        for (int part = 0; part < 2; ++part) {
            for (unsigned i = filled_.next(begin); i < end; i = filled_.next(i + 1)) {
                if (look(i)) {
                    return true;
                }
            }
            begin = 0;
            end = from;
            if (end == 0) {
                break;
            }
        }
        return false;
    }
    /// A look found nothing in that worker's queue.
    REGATTA_APART void note_empty(unsigned worker) const noexcept {
        const auto coming = [&]() noexcept { return runs_[worker].any() || own_[worker].coming(); };
        if (!coming()) {
            filled_.clear_unless(worker, coming);
        }
    }
    /// How many tasks wait that were stolen.
    std::size_t in_runs() const noexcept {
        std::size_t sum = 0;
        for (unsigned i = 0; i < count_; ++i) {
            sum += runs_[i].size();
        }
        return sum;
    }
    template<class Use>
    void for_each(Use&& use) const {
        for (unsigned i = 0; i < count_; ++i) {
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
    std::unique_ptr<queue[]> own_; ///< One for each worker, or none. Fixed.
    unsigned count_ = 0;
    std::unique_ptr<run[]> runs_; ///< What each worker has stolen and not begun. Fixed.
    /// The memory node of each worker. Written by that worker when it begins, read by thieves.
    std::unique_ptr<node_number[]> nodes_;
    /// Whether any of them is not 0. Written with them, read by thieves.
    typename Atomics::template atomic<bool> several_nodes_{false};
    /// Which of them may hold tasks. A thread that appends to one of them sets its bit before it
    /// looks for sleepers (I2).
    mutable basic_occupancy<Atomics> filled_;
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
