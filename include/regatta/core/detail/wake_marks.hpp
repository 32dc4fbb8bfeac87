// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Wakes a thread that waits for one point in a sequence of tasks, and not at each task before it.

#include <regatta/sync/atomics.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <mutex>
#include <utility>

namespace regatta::detail {

/// The task counts at which a worker notifies threads that sleep until then.
///
/// Threads: any.
/// Blocks: to set or drop a mark, for a lock.
/// Cost: one load a task for a worker while no mark is set.
///
/// I1: a thread sets a mark and then prepares to wait at the event count. Every worker that ends a
///     task after that and finds the mark reached notifies it. (The worker has a light fence
///     between the end of its task and `reach`; `prepare_wait` has the heavy one.)
template<class Atomics>
class basic_wake_marks {
public:
    /// A mark that is set from its construction to its destruction.
    class mark {
    public:
        /// @param count the mark is reached when at least that many tasks have been taken; 0:
        /// always.
        mark(basic_wake_marks& marks, std::uint64_t count) : marks_(marks), count_(count) {
            const std::lock_guard lock(marks_.mutex_);
            next_ = std::exchange(marks_.all_, this);
            marks_.publish();
        }
        mark(const mark&) = delete;
        mark& operator=(const mark&) = delete;
        ~mark() {
            const std::lock_guard lock(marks_.mutex_);
            mark** at = &marks_.all_;
            while (*at != this) {
                at = &(*at)->next_;
            }
            *at = next_;
            marks_.publish();
        }

    private:
        friend basic_wake_marks;

        basic_wake_marks& marks_;
        const std::uint64_t count_;
        mark* next_ = nullptr; ///< The next mark in the list.
    };

    /// A worker has ended a task: notifies if a mark is reached.
    /// @param taken returns the number of tasks taken.
    template<class Taken, class EventCount>
    void reach(Taken&& taken, EventCount& sleepers) noexcept {
        // relaxed: the fences of I1 order it.
        const std::uint64_t first = first_.load(std::memory_order_relaxed);
        if (first != none && taken() >= first) [[unlikely]] {
            sleepers.notify_all();
        }
    }

private:
    static constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();

    void publish() noexcept {
        std::uint64_t least = none;
        for (const mark* m = all_; m != nullptr; m = m->next_) {
            least = std::min(least, m->count_);
        }
        // relaxed: as in reach().
        first_.store(least, std::memory_order_relaxed);
    }

    /// The least count of all marks. Written under the lock, read by workers after each task.
    typename Atomics::template atomic<std::uint64_t> first_{none};
    typename Atomics::mutex mutex_; ///< Guards the list.
    mark* all_ = nullptr;
};

} // namespace regatta::detail
