// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Waking a thread that waits for one point in a row of tasks, and not at each task before.

#include <regatta/sync/atomics.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <list>
#include <mutex>

namespace regatta::detail {

/// The counts of tasks at which a worker is to notify, for threads that sleep until then.
///
/// Threads: any. Blocks: setting and dropping a mark, for a lock. Cost: a worker pays one load a
/// task while no mark is set.
///
/// I1: a thread that sets a mark and then prepares to wait at the event count is notified by every
///     worker that ends a task after that and finds the mark reached. (The worker has a light fence
///     between the end of its task and `reach`; `prepare_wait` has the heavy one.)
template<class Atomics>
class basic_wake_marks {
    using counts = std::list<std::uint64_t>;

public:
    /// A mark, from its construction to its destruction.
    class mark {
    public:
        /// @param count it is reached when at least that many tasks have been taken; 0: always.
        mark(basic_wake_marks& marks, std::uint64_t count) : marks_(marks) {
            counts mine{count};
            const std::lock_guard lock(marks_.mutex_);
            at_ = mine.begin();
            marks_.all_.splice(marks_.all_.begin(), mine);
            marks_.publish();
        }
        mark(const mark&) = delete;
        mark& operator=(const mark&) = delete;
        ~mark() {
            counts mine; // Freed after the lock.
            const std::lock_guard lock(marks_.mutex_);
            mine.splice(mine.begin(), marks_.all_, at_);
            marks_.publish();
        }

    private:
        basic_wake_marks& marks_;
        counts::iterator at_;
    };

    /// A worker has ended a task: notifies if a mark is reached.
    /// @param taken gives how many tasks have been taken.
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
        const auto least = std::min_element(all_.begin(), all_.end());
        // relaxed: as in reach().
        first_.store(least != all_.end() ? *least : none, std::memory_order_relaxed);
    }

    /// The least of the marks. Written under the lock, read by workers after each task.
    typename Atomics::template atomic<std::uint64_t> first_{none};
    typename Atomics::mutex mutex_; ///< Guards the list.
    counts all_;
};

} // namespace regatta::detail
