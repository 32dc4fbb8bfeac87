// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The queues of a thread pool: where a task goes in, and which one a worker takes next.

#include <regatta/base/cache_line.hpp>
#include <regatta/core/detail/segment_queue.hpp>
#include <regatta/core/detail/task_slot.hpp>
#include <regatta/core/priority.hpp>
#include <regatta/sync/atomics.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace regatta::detail {

/// How the tasks of medium priority are spread over queues.
enum class queue_layout {
    shared,     ///< One queue for all.
    per_worker, ///< One for each worker; outside producers fill them in turn.
    both        ///< One for each worker's own tasks, and one for what comes from outside.
};

/// The queues of one pool: one for tasks of high and one for those of low priority, and some for
/// the others.
///
/// A worker takes from the high queue, then its own, then the shared one, then another worker's,
/// then the low queue. So that none starves, its every 8th take looks into the medium queues before
/// the high one, and its every 32nd into the low one first.
///
/// Threads: any. Blocks and costs: as `segment_queue`.
///
/// I1: each task that was appended is taken once, whatever its priority and whoever takes it.
/// I2: a worker that announces its sleep and then asks `coming` sees the tasks that it may take and
///     that were appended before; or the producer, which then asks for sleepers, sees the worker.
/// I3: after `close` only workers append.
template<class Task, class Atomics, std::size_t SegmentSize = 64>
class basic_task_queues {
public:
    using queue = basic_segment_queue<Task, Atomics, SegmentSize>;
    using batch = typename queue::batch;
    using tally = typename queue::tally;

    /// Says "no worker": for tasks from outside.
    static constexpr unsigned outside = ~0u;

    basic_task_queues(queue_layout layout, unsigned workers) : layout_(layout) {
        const unsigned count = layout == queue_layout::shared ? 0 : workers;
        for (unsigned i = 0; i < count; ++i) {
            own_.push_back(std::make_unique<queue>());
        }
    }

    /// Appends up to `count` tasks of one priority side by side.
    ///
    /// @param worker the worker that submits, or `outside`: who may not append to closed queues.
    /// @param make called as `make(i)` for the i-th task; gives its closure, must not throw.
    /// @returns how many; 0 only if the queues are closed.
    template<class F, class Make>
    std::size_t append(priority level, unsigned worker, std::size_t count, Make&& make) {
        if (level != priority::medium) [[unlikely]] {
            // seq_cst: a store that is read here comes before this append in the order of all
            // seq_cst operations, too, as one's own does.
            if (!levels_used_.load(std::memory_order_seq_cst)) {
                // seq_cst: partner is the load in any_of(): a worker that asks there before it
                // sleeps sees this, or the producer, which goes on to append, sees the worker.
                levels_used_.store(true, std::memory_order_seq_cst);
            }
            queue& q = level == priority::high ? high_ : low_;
            return worker == outside ? append_to<false, F>(q, count, make).count
                                     : append_to<true, F>(q, count, make).count;
        }
        if (worker != outside) {
            return append_to<true, F>(own_.empty() ? shared_ : *own_[worker], count, make).count;
        }
        if (layout_ != queue_layout::per_worker) {
            return append_to<false, F>(shared_, count, make).count;
        }
        // relaxed: any value that it ever had will do.
        const unsigned target = target_.load(std::memory_order_relaxed);
        const auto appended = append_to<false, F>(*own_[target], count, make);
        if (appended.end % run_length < appended.count) {
            target_.store(next_target(target), std::memory_order_relaxed);
        }
        return appended.count;
    }

    /// Takes the task that the worker is to run next; empty if it found none.
    /// @param turn how often it took one before.
    /// @param steal whether it may take from other workers' queues.
    /// @param victim from whom it did so last, to begin there.
    /// @param stolen set if it did.
    batch take(unsigned worker, std::uint32_t turn, bool steal, unsigned& victim,
               bool& stolen) noexcept {
        stolen = false;
        // relaxed: a hint; a worker that sees no task asks coming() before it sleeps.
        if (!levels_used_.load(std::memory_order_relaxed)) [[likely]] {
            return take_medium(worker, steal, victim, stolen);
        }
        batch b;
        if (turn % 32 == 31 && (b = low_.take(1)).size() != 0) {
            return b;
        }
        if (turn % 8 == 7 && (b = take_medium(worker, steal, victim, stolen)).size() != 0) {
            return b;
        }
        if ((b = high_.take(1)).size() != 0 ||
            (b = take_medium(worker, steal, victim, stolen)).size() != 0) {
            return b;
        }
        return low_.take(1);
    }

    /// Takes the task of that priority that seems to have waited longest.
    batch take_oldest(priority level) noexcept {
        bool stolen = false;
        unsigned victim = 0;
        switch (level) {
        case priority::high:
            return high_.take(1);
        case priority::low:
            return low_.take(1);
        case priority::medium:
            break;
        }
        // relaxed: any value that it ever had will do.
        return take_medium(own_.empty() ? 0 : target_.load(std::memory_order_relaxed), true, victim,
                           stolen);
    }

    /// Whether there is a task that the worker may take. After a fence: of all that were appended
    /// before the partner's fence.
    bool ready(unsigned worker, bool steal) const noexcept {
        return any_of(worker, steal, [](queue& q) { return q.ready(); });
    }
    /// The same, also for a task that is just being appended: `segment_queue::coming`.
    bool coming(unsigned worker, bool steal) const noexcept {
        return any_of(worker, steal, [](queue& q) { return q.coming(); });
    }

    /// Takes no task from outside any more.
    void close() noexcept {
        for_each([](queue& q) { q.close(); });
    }

    /// How many tasks have been appended so far.
    std::uint64_t appended() const noexcept {
        std::uint64_t sum = 0;
        for_each([&](const queue& q) { sum += q.appended(); });
        return sum;
    }
    /// How many tasks have been taken so far.
    std::uint64_t taken() const noexcept {
        std::uint64_t sum = 0;
        for_each([&](const queue& q) { sum += q.taken(); });
        return sum;
    }
    /// About how many tasks wait.
    std::size_t size() const noexcept {
        std::size_t sum = 0;
        for_each([&](const queue& q) { sum += q.size(); });
        return sum;
    }

private:
    /// How many tasks from outside go into one worker's queue before the next is chosen: about as
    /// many as make the look at two queues' lengths cheap beside them.
    static constexpr std::size_t run_length = SegmentSize / 2;

    template<bool EvenClosed, class F, class Make>
    static typename queue::appended_run append_to(queue& q, std::size_t count, Make& make) {
        constexpr std::size_t beside = Task::template fits_cell<F> ? 0 : sizeof(F);
        static_assert(task_room_size <= queue::largest_room);
        return q.template append<EvenClosed, beside>(
            count, [&](typename queue::cell& c, std::size_t i, void* room) noexcept {
                c.emplace(make(i), room);
            });
    }

    batch take_medium(unsigned worker, bool steal, unsigned& victim, bool& stolen) noexcept {
        batch b;
        if (!own_.empty() && (b = own_[worker]->take(1)).size() != 0) {
            return b;
        }
        if (layout_ != queue_layout::per_worker && (b = shared_.take(1)).size() != 0) {
            return b;
        }
        if (steal) {
            // Where there was one, there are most likely others.
            const auto count = static_cast<unsigned>(own_.size());
            for (unsigned i = 0; i < count; ++i) {
                const unsigned from = victim + i < count ? victim + i : victim + i - count;
                if (from != worker && (b = own_[from]->take(1)).size() != 0) {
                    victim = from;
                    stolen = true;
                    return b;
                }
            }
        }
        return b;
    }

    /// The shorter of the next queue and one further on.
    unsigned next_target(unsigned target) const noexcept {
        const auto count = static_cast<unsigned>(own_.size());
        const unsigned a = (target + 1) % count;
        const unsigned b = (target + 1 + count / 2) % count;
        return own_[b]->size() < own_[a]->size() ? b : a;
    }

    template<class Is>
    bool any_of(unsigned worker, bool steal, Is&& is) const noexcept {
        // seq_cst: partner is the store in append().
        if ((layout_ != queue_layout::per_worker && is(shared_)) ||
            (levels_used_.load(std::memory_order_seq_cst) && (is(high_) || is(low_)))) {
            return true;
        }
        for (unsigned i = 0; i < own_.size(); ++i) {
            if ((steal || i == worker) && is(*own_[i])) {
                return true;
            }
        }
        return false;
    }
    template<class Use>
    void for_each(Use&& use) const {
        for (const auto& q : own_) {
            use(*q);
        }
        use(shared_);
        use(high_);
        use(low_);
    }

    const queue_layout layout_;
    std::vector<std::unique_ptr<queue>> own_; ///< One a worker, or none. Fixed.
    mutable queue shared_;
    mutable queue high_;
    mutable queue low_;
    /// The worker's queue that gets the next task from outside. Written and read by producers; each
    /// value is as right as any.
    alignas(destructive_alignment) typename Atomics::template atomic<unsigned> target_{0};
    /// Whether there ever was a task of another than medium priority. Written once by a producer,
    /// read by producers and workers.
    alignas(destructive_alignment) typename Atomics::template atomic<bool> levels_used_{false};
};

/// The queues of real pools.
using task_queues = basic_task_queues<task_slot, std_atomics>;

} // namespace regatta::detail
