// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The work of a thread pool: its task queues and the room in them.

#include <regatta/base/config.hpp>
#include <regatta/core/detail/drop_scope.hpp>
#include <regatta/core/detail/error_tally.hpp>
#include <regatta/core/detail/worker.hpp>
#include <regatta/core/task_options.hpp>
#include <regatta/pool/detail/pool_room.hpp>
#include <regatta/pool/detail/task_queues.hpp>
#include <regatta/sync/backoff.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>

namespace regatta::detail {

/// The source of work of a thread pool's engine; `basic_worker_loop` defines what a source is.
///
/// Threads: any.
/// Failure: a task's exception goes to the error tally.
class queue_source {
public:
    /// The source's part of a worker's record.
    struct seat {
        task_queues::tally tally; ///< Cells that the worker has used.
        std::uint32_t turn = 0;   ///< Tasks that the worker has taken, or left to forks; wraps.
        task_queues::theft theft; ///< The last one.
        std::size_t over = 0;     ///< Tasks that it has run in waits and not told its queue of.
    };

    /// @param errors outlives this.
    queue_source(queue_layout layout, unsigned workers, std::size_t capacity, error_tally& errors)
        : queues_(layout, workers)
        , room_(capacity)
        , errors_(errors) {}

    task_queues& queues() noexcept { return queues_; }
    const task_queues& queues() const noexcept { return queues_; }
    pool_room& room() noexcept { return room_; }

    // --- for the worker loop ---------------------------------------------------------------------

    /// Perhaps: those of low priority, but for every 32nd turn.
    bool has_tasks_below_forks() const noexcept { return queues_.levels_used(); }
    template<class Found>
    REGATTA_INLINE worker_turn run_next(seat& mine, unsigned worker, unsigned reach, Found&& found,
                                        bool below_forks = true) noexcept {
        task_origin from = task_origin::own;
        const auto b = queues_.take(worker, mine.turn, reach, mine.theft, from, below_forks);
        if (b.size() == 0) {
            mine.turn += below_forks ? 0 : 1; // So that forks without end leave them their turn.
            return worker_turn::none;
        }
        const bool discard = found(from);
        ++mine.turn;
        room_.give(1);
        bool ran = false;
        if (!discard) [[likely]] {
            REGATTA_TRY {
                ran = b[0].run();
            }
            REGATTA_CATCH_ALL {
                ran = true;
                errors_.report(std::current_exception());
            }
        } else {
            ran = drop(b);
        }
        b.destroy(0);
        mine.tally.finish(b, 1);
        return ran ? worker_turn::ran : worker_turn::called_off;
    }
    void settle(unsigned worker, unsigned node) noexcept { queues_.settle(worker, node); }
    void flush(seat& mine) noexcept { mine.tally.flush(); }
    bool ready(unsigned worker, unsigned reach) const noexcept {
        return queues_.ready(worker, reach);
    }
    bool coming(unsigned worker, unsigned reach) const noexcept {
        return queues_.coming(worker, reach);
    }
    std::uint64_t appended() const noexcept { return queues_.appended(); }
    std::uint64_t taken() const noexcept { return queues_.taken(); }
    void close() noexcept { queues_.close(); }

    // --- for the engine --------------------------------------------------------------------------

    /// How many tasks a worker runs in waits before the queues are swept: few beside the memory of
    /// a pool, and few beside the tasks that a bounded one has room for.
    unsigned most_overtaken() const noexcept {
        constexpr std::size_t most = 64;
        const std::size_t half = room_.capacity() - room_.capacity() / 2;
        return static_cast<unsigned>(half == 0 ? most : std::min(half, most));
    }
    /// Ends the tasks that are over in the queues that the worker appends to, if they are many
    /// beside those that wait. @param overtaken how many it has run in waits since the last call.
    /// @param tell called where others are to be told of tasks, as of those that were appended.
    /// @param ended called with what became of each.
    /// @returns whether they are to be told of more.
    template<class Tell, class Ended>
    bool sweep(seat& mine, unsigned worker, std::size_t overtaken, Tell&& tell,
               Ended&& ended) noexcept {
        mine.over += overtaken;
        REGATTA_TRY {
            return queues_.sweep(
                worker, mine.over,
                [&](const task_slot& task) noexcept {
                    ended(task.ran() ? worker_turn::ran : worker_turn::called_off);
                    room_.give(1);
                },
                tell,
                [&](const task_queues::batch& b) noexcept {
                    // It only leaves. But then a result may end that nobody has taken, whose
                    // destructor may wait for other tasks, for room, or for the pool.
                    static_cast<void>(b[0].run());
                    b.destroy(0);
                    mine.tally.finish(b, 1);
                });
        }
        REGATTA_CATCH_ALL {
            return true; // No memory to set tasks aside; some may be.
        }
    }

    /// The pool is closed: waiting producers check again.
    void tell_closed() noexcept { room_.tell_closed(); }
    /// In a fork of the process, before the destructor: its locks are free.
    void abandon() noexcept { queues_.abandon(); }

    /// Drops the oldest task of that priority. It counts as unfinished until the tally is flushed;
    /// the caller then tells the engine. @returns whether there was one.
    REGATTA_RARE REGATTA_POOLS_API bool drop_oldest(priority level,
                                                    task_queues::tally& into) noexcept;
    /// Drops all queued tasks and calls `dropped()` for each. Repeats while `more()` says that
    /// further tasks are on their way.
    template<class Dropped, class More>
    void drop_all(Dropped&& dropped, More&& more) noexcept {
        for (backoff pace;; pace.pause_or_sleep()) {
            for (const priority level : {priority::high, priority::medium, priority::low}) {
                for (task_queues::tally mine; drop_oldest(level, mine);) {
                    mine.flush();
                    dropped();
                }
            }
            if (!more()) {
                return;
            }
        }
    }
    /// Dropped tasks that a waiting thread had run before.
    std::uint64_t dropped_late() const noexcept {
        return dropped_late_.load(std::memory_order_relaxed);
    }

private:
    /// Destroys a task unrun, as a worker in its turn. @returns whether a wait has run it.
    REGATTA_RARE bool drop(task_queues::batch b) const noexcept {
        const drop_scope scope(this);
        return b[0].drop();
    }

    task_queues queues_;
    pool_room room_;
    error_tally& errors_;
    /// Written by the thread that drops tasks, read by `stats`. Relaxed: a counter.
    std::atomic<std::uint64_t> dropped_late_{0};
};

#if REGATTA_POOLS_DEFINITIONS

bool queue_source::drop_oldest(priority level, task_queues::tally& into) noexcept {
    const auto b = queues_.take_oldest(level);
    if (b.size() == 0) {
        return false;
    }
    room_.give(1); // First: dropping the task may submit its continuation.
    if (b[0].drop()) {
        // relaxed: count_dropped() publishes it.
        dropped_late_.fetch_add(1, std::memory_order_relaxed);
    }
    b.destroy(0);
    into.finish(b, 1);
    return true;
}

#endif

} // namespace regatta::detail
