// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The queues of a pool's workers, one each, and how a worker steals from another one's.

#include <regatta/base/config.hpp>
#include <regatta/core/detail/worker.hpp>
#include <regatta/pool/detail/claimed_run.hpp>
#include <regatta/pool/detail/occupancy.hpp>
#include <regatta/pool/detail/task_queue.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace regatta::detail {

/// A queue for each worker of a pool. A worker appends to its own and takes from it; threads from
/// outside append to any of them; a worker without a task steals.
///
/// A bitmap says which queues may hold tasks, so that a look at the others' costs about the same
/// with any number of workers. A thief tries those of its own memory node first, where `settle` has
/// told the nodes. From a queue that had several it takes several at once: the first runs, and the
/// others wait beside its own queue, where any worker may take them, whatever its reach. So many
/// thieves do not all wait for one queue.
///
/// Threads: any, for every member but the destructor.
/// Blocks, Cost: as `segment_queue`.
///
/// I1: each task that was appended is taken once.
/// I2: a thread that appends calls `fill` before it looks for sleepers; a thief that keeps tasks
///     does so itself. Until then nobody need see them, and from then on any_of() does.
template<class Task, class Atomics, std::size_t SegmentSize>
class basic_worker_queues {
public:
    using queue = basic_task_queue<Task, Atomics, SegmentSize>;
    using batch = typename queue::batch;
    using tally = typename queue::tally;

    /// What a worker keeps from one theft to the next.
    struct theft {
        unsigned victim = 0; ///< The worker that it last stole from, where it begins to search.
        std::uint32_t appetite = 1; ///< How many tasks it asks for at once.
        bool kept = false;          ///< Some may be left of those that it took with the last one.
    };

    /// @param count of the workers; 0 if they have no queues of their own.
    REGATTA_APART explicit basic_worker_queues(unsigned count) : count_(count), filled_(count) {
        if (count != 0) {
            own_ = std::make_unique<queue[]>(count);
            nodes_ = std::make_unique<node_number[]>(count);
            runs_ = std::make_unique<run[]>(count);
        }
    }
    basic_worker_queues(const basic_worker_queues&) = delete;
    basic_worker_queues& operator=(const basic_worker_queues&) = delete;
    /// Destroys the tasks that were never taken.
    REGATTA_APART ~basic_worker_queues() {
        tally mine;
        for (unsigned i = 0; i < count_; ++i) { // They lie in the queues.
            for (batch b = runs_[i].take(); b.size() != 0; b = runs_[i].take()) {
                b.destroy(0);
                mine.finish(b, 1);
            }
        }
    }

    /// The number of queues.
    unsigned count() const noexcept { return count_; }

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

    /// That worker's, to append to and to take from.
    queue& operator[](unsigned worker) const noexcept { return own_[worker]; }
    /// Something was appended to that worker's queue.
    REGATTA_INLINE void fill(unsigned worker) const noexcept { filled_.set(worker); }

    /// Takes one of those that the worker's last theft has left.
    batch take_kept(unsigned worker, theft& last, task_origin& from) noexcept {
        const batch b = runs_[worker].take();
        if (b.size() != 0) {
            from = task_origin::stolen;
        } else {
            last.kept = false;
        }
        return b;
    }
    /// Takes one from another worker's queue. There must be queues.
    /// @param reach of how many following workers' queues, counted round, it may steal.
    /// @param last the worker's own.
    /// @param from set if it found one.
    REGATTA_APART batch steal(unsigned worker, unsigned reach, theft& last,
                              task_origin& from) noexcept {
        // relaxed: a hint; see settle().
        const bool several = several_nodes_.load(std::memory_order_relaxed);
        // With a limited reach the others may not reach what this worker may.
        const std::uint32_t most = reach == ~0u ? last.appetite : 1;
        batch b;
        // A queue that had a task to steal probably has more.
        if (reaches(worker, last.victim, reach) && (!several || is_near(worker, last.victim))) {
            b = take_of(last.victim, most);
        }
        if (b.size() == 0) {
            b = search(worker, reach, several, most, last.victim);
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
            fill(worker);
            from = task_origin::stolen_among_others;
        }
        return b.only(0);
    }

    /// `task_queue::sweep` of the worker's own.
    template<class Count, class Tell, class End>
    REGATTA_RARE bool sweep(unsigned worker, std::size_t& over, Count&& count, Tell&& tell,
                            End&& end) {
        // A task that is set aside is in neither of the two queues for a moment. So its bit may be
        // off; it is on again before workers are told.
        const struct note_filled {
            ~note_filled() { in.fill(place); }
            const basic_worker_queues& in;
            const unsigned place;
        } at_end{*this, worker};
        const auto tell_of_own = [&]() noexcept {
            fill(worker);
            tell();
        };
        return own_[worker].sweep(over, count, tell_of_own, end);
    }

    /// Whether `is(queue)` for the worker's own or one that it reaches, or something is left of a
    /// theft.
    template<class Is>
    bool any_of(unsigned worker, unsigned reach, Is&& is) const noexcept {
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

    /// How many tasks wait that were stolen; they count as taken in their queues.
    REGATTA_APART std::size_t kept() const noexcept {
        std::size_t sum = 0;
        for (unsigned i = 0; i < count_; ++i) {
            sum += runs_[i].size();
        }
        return sum;
    }
    /// The shorter of two queues: the next one and one half the queues further.
    REGATTA_RARE unsigned next_target(unsigned target) const noexcept {
        const unsigned a = (target + 1) % count_;
        const unsigned b = (target + 1 + count_ / 2) % count_;
        return own_[b].size() < own_[a].size() ? b : a;
    }

private:
    using node_number = typename Atomics::template atomic<unsigned>;
    using run = basic_claimed_run<basic_segment_queue<Task, Atomics, SegmentSize>, Atomics>;

    /// How many tasks a worker steals at once, at most: few enough that those who wait for the last
    /// of them find it after the look at one run.
    static constexpr std::uint32_t most_stolen = 8;

    /// Looks through all queues, where there are `several` memory nodes first of the worker's.
    REGATTA_APART batch search(unsigned worker, unsigned reach, bool several, std::uint32_t most,
                               unsigned& victim) noexcept {
        batch b;
        for (bool inner = several;; inner = false) {
            if (any_filled(victim,
                           [&](unsigned from) noexcept {
                               if (from == worker || (several && is_near(worker, from) != inner)) {
                                   return false;
                               }
                               const bool own = reaches(worker, from, reach);
                               b = own ? take_of(from, most) : runs_[from].take();
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
    REGATTA_INLINE batch take_of(unsigned worker, std::uint32_t most) noexcept {
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

    std::unique_ptr<queue[]> own_; ///< One for each worker, or none. Fixed.
    const unsigned count_;
    std::unique_ptr<run[]> runs_; ///< What each worker has stolen and not begun. Fixed.
    /// The memory node of each worker. Written by that worker when it begins, read by thieves.
    std::unique_ptr<node_number[]> nodes_;
    /// Whether any of them is not 0. Written with them, read by thieves.
    typename Atomics::template atomic<bool> several_nodes_{false};
    /// Which of them may hold tasks (I2).
    mutable basic_occupancy<Atomics> filled_;
};

} // namespace regatta::detail
