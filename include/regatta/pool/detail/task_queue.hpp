// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// One queue of a thread pool, out of whose middle tasks can be taken that are over.

#include <regatta/base/cache_line.hpp>
#include <regatta/base/config.hpp>
#include <regatta/core/detail/segment_queue.hpp>
#include <regatta/sync/adaptive_mutex.hpp>
#include <regatta/sync/atomics.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>

namespace regatta::detail {

/// A `segment_queue` of tasks that can be swept.
///
/// A task may be over before its turn comes: a wait has run it, or it was cancelled. It keeps its
/// cell and its block until a worker gets there. In a recursion the oldest tasks wait for all that
/// come after them, so that no worker gets there, and the memory would grow with the tasks that
/// there ever were. `sweep` takes everything out, ends what is over and sets the others aside: in a
/// second queue, of the places of their cells, from which is taken first. So the order stays, and
/// no task is moved.
///
/// Threads: any, for every member but the destructor. Order: as `segment_queue`. Blocks: as
/// `segment_queue`. Cost: a queue that was never swept costs one load more a take. After a sweep
/// each task that waits keeps its segment. If several threads sweep one queue and the one at it
/// loses its CPU, memory grows until it goes on.
///
/// I1: each task that was appended is taken once, or is over and ended by one sweep.
/// I2: of the tasks of one queue an older one is taken first, but while a thread sweeps.
/// I3: after a sweep that called `tell` a worker sees each task that the sweep found waiting.
template<class Task, class Atomics, std::size_t SegmentSize = 64>
class basic_task_queue {
    using fresh_queue = basic_segment_queue<Task, Atomics, SegmentSize>;

public:
    using batch = typename fresh_queue::batch;
    using tally = typename fresh_queue::tally;
    using cell = typename fresh_queue::cell;
    using appended_run = typename fresh_queue::appended_run;

    basic_task_queue() = default;
    basic_task_queue(const basic_task_queue&) = delete;
    basic_task_queue& operator=(const basic_task_queue&) = delete;
    REGATTA_APART ~basic_task_queue() {
        // relaxed: no other thread uses the queue any more.
        if (aside_queue* const aside = aside_.load(std::memory_order_relaxed)) {
            tally mine;
            for (batch b = take_from(*aside); b.size() != 0; b = take_from(*aside)) {
                b.destroy(0);
                mine.finish(b, 1);
            }
            mine.flush();
            delete aside;
        }
    }

    /// As `segment_queue::append`.
    template<class Fill>
    REGATTA_INLINE appended_run append(bool even_closed, std::size_t count, queue_room room,
                                       Fill&& fill) {
        return fresh_.append(even_closed, count, room, fill);
    }
    /// As `segment_queue::append_one`.
    template<class Fill>
    REGATTA_INLINE appended_run append_one(bool even_closed, Fill&& fill) {
        return fresh_.append_one(even_closed, fill);
    }
    /// Claims the oldest task; none if there is none.
    REGATTA_INLINE batch take() noexcept {
        // acquire: partner is the store in set_aside_queue(); the second queue is made.
        if (aside_queue* const aside = aside_.load(std::memory_order_acquire)) [[unlikely]] {
            if (const batch b = take_from(*aside); b.size() != 0) {
                return b;
            }
        }
        return fresh_.take_one();
    }

    /// Claims up to `most` of the oldest tasks; of those set aside only one.
    batch take(std::size_t most) noexcept {
        // acquire: as above.
        if (aside_queue* const aside = aside_.load(std::memory_order_acquire)) [[unlikely]] {
            if (const batch b = take_from(*aside); b.size() != 0) {
                return b;
            }
        }
        return fresh_.take(most);
    }

    /// Ends what is over and sets the other tasks aside, if about half of those are over that it
    /// would look at: so it costs a few instructions for each that it ends. Does nothing while
    /// another thread sweeps.
    /// @param over how many more are over than at the last call; set to 0 when that is noted.
    /// @param count called as `count(task)` with each task that is over.
    /// @param tell called then, if tasks were set aside: workers are to be told of them.
    /// @param end called as `end(batch)` after both, with each that was counted. It runs the task,
    /// destroys and finishes it, which may be user code: that finds all tasks that wait in the
    /// queue, and all others counted.
    /// @returns whether it set tasks aside after that. None of the three may throw.
    /// Failure: `std::bad_alloc`; all tasks are in the queue then.
    template<class Count, class Tell, class End>
    REGATTA_RARE bool sweep(std::size_t& over, Count&& count, Tell&& tell, End&& end) {
        const std::unique_lock sweeping(sweeping_, std::try_to_lock);
        if (!sweeping) {
            return false;
        }
        over_among_fresh_ += over;
        over_among_all_ += std::exchange(over, 0);
        if (2 * over_among_fresh_ < fresh_.size()) {
            return false;
        }
        aside_queue& aside = set_aside_queue();
        over_among_fresh_ = 0;
        const bool all = 2 * over_among_all_ >= size();
        over_among_all_ = all ? 0 : over_among_all_;
        bool some = false;
        // Sets aside what waits of a batch, for which there is memory, and ends the rest.
        const auto sort_out = [&](const batch& b) noexcept {
            static_assert(SegmentSize <= 64);
            std::uint64_t over_here = 0;
            for (std::uint32_t i = 0; i < b.size(); ++i) {
                if (b[i].over()) {
                    count(b[i]);
                    over_here |= std::uint64_t{1} << i;
                } else {
                    aside.append(true, 1, 0, [&](auto& at, std::size_t, void*) noexcept {
                        at.emplace(b.only(i));
                    });
                    some = true;
                }
            }
            if (over_here != 0 && std::exchange(some, false)) {
                tell();
            }
            for (; over_here != 0; over_here &= over_here - 1) {
                end(b.only(static_cast<std::uint32_t>(std::countr_zero(over_here))));
            }
        };
        // Only this thread puts something there, so that a round leaves the order as it is.
        for (const std::uint64_t last = all ? aside.appended() : 0; aside.taken() < last;) {
            aside.reserve(1);
            const batch b = take_from(aside);
            if (b.size() == 0) {
                break;
            }
            sort_out(b);
        }
        for (std::size_t left = fresh_.size(); left != 0;) {
            aside.reserve(SegmentSize);
            const batch b = fresh_.take(std::min(left, SegmentSize));
            if (b.size() == 0) {
                break; // Others have taken them, or are about to publish theirs.
            }
            left -= b.size();
            sort_out(b);
        }
        return some;
    }

    /// As `segment_queue`: whether there is something to claim, or something on its way.
    REGATTA_APART bool ready() noexcept {
        // acquire: as in take(); a worker that looks after a fence sees the second queue.
        aside_queue* const aside = aside_.load(std::memory_order_acquire);
        return fresh_.ready() || (aside != nullptr && aside->ready());
    }
    REGATTA_APART bool coming() const noexcept {
        // seq_cst: partner is the store in set_aside_queue(), after which the sweep appends. A
        // worker that announced its sleep sees it, or the sweep, which then asks for sleepers, sees
        // the worker.
        const aside_queue* const aside = aside_.load(std::memory_order_seq_cst);
        return fresh_.coming() || (aside != nullptr && aside->coming());
    }
    void close() noexcept { fresh_.close(); }
    /// As `segment_queue`.
    void abandon() noexcept {
        fresh_.abandon();
        if (aside_queue* const aside = aside_.load(std::memory_order_relaxed)) {
            aside->abandon();
        }
    }

    std::uint64_t appended() const noexcept { return fresh_.appended(); }
    /// How many have been taken; while the queue is swept it may for a moment be too many.
    REGATTA_APART std::uint64_t taken() const noexcept {
        // In this order: more may be set aside meanwhile. The first number may still be newer.
        const std::uint64_t aside = set_aside();
        const std::uint64_t out = fresh_.taken();
        return out - std::min(aside, out);
    }
    /// About how many wait; and of these, how many were set aside.
    REGATTA_APART std::size_t size() const noexcept { return fresh_.size() + set_aside(); }
    std::size_t set_aside() const noexcept {
        const aside_queue* const aside = aside_.load(std::memory_order_acquire); // As in take().
        return aside != nullptr ? aside->size() : 0;
    }

private:
    /// Of tasks that were claimed in the other queue and wait where they lie.
    using aside_queue = basic_segment_queue<batch, Atomics, SegmentSize>;

    REGATTA_RARE static batch take_from(aside_queue& aside) noexcept {
        const auto b = aside.take(1);
        if (b.size() == 0) {
            return {};
        }
        const batch found = b[0];
        b.destroy(0);
        typename aside_queue::tally mine;
        mine.finish(b, 1);
        return found;
    }
    /// The second queue; needs the lock.
    REGATTA_RARE aside_queue& set_aside_queue() {
        // relaxed: written under the lock.
        aside_queue* aside = aside_.load(std::memory_order_relaxed);
        if (aside == nullptr) {
            aside = new aside_queue;
            // release: partners are the acquires of those who take. seq_cst: see coming().
            aside_.store(aside, std::memory_order_seq_cst);
        }
        return *aside;
    }

    /// The tasks as they come. Its last line has room for `aside_`, which each take reads, too.
    [[no_unique_address]] fresh_queue fresh_;
    /// What a sweep left; null until the first. Written once under the lock, read by all.
    typename Atomics::template atomic<aside_queue*> aside_{nullptr};
    alignas(destructive_alignment) basic_adaptive_mutex<
        Atomics> sweeping_;            ///< Held by the thread that sweeps; others do not wait.
    std::size_t over_among_fresh_ = 0; ///< Tasks since the last sweep, at most. Under the lock.
    std::size_t over_among_all_ = 0;   ///< The same since the last one of what was set aside.
};

} // namespace regatta::detail
