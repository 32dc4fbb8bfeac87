// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The workers that a thread pool has at the moment, and what those did that have left.

#include <regatta/base/cache_line.hpp>
#include <regatta/core/detail/pool_worker.hpp>
#include <regatta/core/pool_stats.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace regatta::detail {

/// A pool's list of workers, of which some may be told to leave.
///
/// A worker that leaves is on a second list until its last instructions; then its record is left
/// behind, until the next one that leaves, or `join`, clears it away.
///
/// Threads: any, where nothing else is said. Blocks: for a lock, for a few instructions; `join` for
/// the threads' end.
class pool_members {
public:
    /// What `observe` saw of each worker.
    using observation = std::vector<std::pair<unsigned, quiescence::stamp>>;

    /// A record for a worker of that number; its thread is still to be started.
    pool_worker& add(unsigned index) {
        auto fresh = std::make_unique<pool_worker>(index);
        const std::lock_guard lock(mutex_);
        leaving_.reserve(members_.size() + leaving_.size() + 1); // Leaving must not fail.
        members_.push_back(std::move(fresh));
        return *members_.back();
    }
    /// Its thread could not be started.
    void remove(const pool_worker& w) noexcept {
        const std::lock_guard lock(mutex_);
        move_from(members_, w);
    }

    /// So many workers, or all there are, are to leave.
    void ask_to_leave(unsigned count) noexcept {
        const std::lock_guard lock(mutex_);
        set_surplus(surplus() + std::min(count, staying()));
    }
    /// Up to so many of them are not. @returns how many.
    unsigned ask_to_stay(unsigned count) noexcept {
        const std::lock_guard lock(mutex_);
        const unsigned kept = std::min(count, surplus());
        set_surplus(surplus() - kept);
        return kept;
    }
    /// Workers that are to leave and have not begun to.
    unsigned surplus() const noexcept {
        // relaxed: a hint to workers; what counts is looked at under the lock.
        return surplus_.load(std::memory_order_relaxed);
    }
    /// The worker leaves if one is to: it takes no task any more. @returns whether it does.
    bool begin_leave(const pool_worker& me) noexcept {
        const std::lock_guard lock(mutex_);
        if (surplus() == 0) {
            return false;
        }
        leaving_.push_back(move_from(members_, me));
        set_surplus(surplus() - 1);
        return true;
    }
    /// The last that a worker does that leaves.
    void end_leave(const pool_worker& me) noexcept {
        std::unique_ptr<pool_worker> ended; // Its thread is joined after the lock is free.
        const std::lock_guard lock(mutex_);
        const auto did = me.read();
        left_.run += did.run;
        left_.stolen += did.stolen;
        left_.parked += did.parked;
        left_cancelled_ += me.cancelled();
        ended = std::exchange(left_behind_, move_from(leaving_, me));
    }
    /// Whether nobody is about to leave.
    bool all_left() const noexcept {
        const std::lock_guard lock(mutex_);
        return surplus() == 0 && leaving_.empty();
    }

    /// Workers that there are, those included that leave.
    unsigned running() const noexcept {
        const std::lock_guard lock(mutex_);
        return static_cast<unsigned>(members_.size() + leaving_.size());
    }
    /// Workers that are to stay.
    unsigned expected() const noexcept {
        const std::lock_guard lock(mutex_);
        return staying();
    }

    /// Workers that have no task at the moment.
    unsigned resting() const noexcept {
        const std::lock_guard lock(mutex_);
        return static_cast<unsigned>(std::count_if(members_.begin(), members_.end(),
                                                   [](const auto& w) { return w->resting(); }));
    }

    /// Tasks that all workers there have been are done with.
    std::uint64_t completed() const noexcept {
        const std::lock_guard lock(mutex_);
        std::uint64_t sum = left_.run + left_cancelled_;
        for (const list* const some : {&members_, &leaving_}) {
            for (const auto& w : *some) {
                sum += w->completed();
            }
        }
        return sum;
    }
    /// Adds what the workers have done.
    void read(pool_stats& s) const {
        const std::lock_guard lock(mutex_);
        s.run += left_.run;
        s.stolen += left_.stolen;
        s.parked += left_.parked;
        s.cancelled += left_cancelled_;
        for (const list* const some : {&members_, &leaving_}) {
            for (const auto& w : *some) {
                const auto did = w->read();
                s.run += did.run;
                s.stolen += did.stolen;
                s.parked += did.parked;
                s.cancelled += w->cancelled();
                if (some == &members_) {
                    s.workers.push_back(did);
                }
            }
        }
    }

    /// What each worker is at.
    observation observe() const {
        observation seen;
        const std::lock_guard lock(mutex_);
        for (const auto& w : members_) {
            seen.emplace_back(w->index, w->activity.observe());
        }
        return seen;
    }
    /// Whether the tasks that were seen under way have ended.
    bool passed(const observation& seen) const noexcept {
        const std::lock_guard lock(mutex_);
        return std::all_of(members_.begin(), members_.end(), [&](const auto& w) {
            return std::all_of(seen.begin(), seen.end(), [&](const auto& s) {
                return s.first != w->index || w->activity.passed(s.second);
            });
        });
    }

    /// Waits for the end of every worker. Nobody is added or leaves any more; one caller at a time.
    void join() noexcept {
        for (const auto& w : members_) {
            w->thread.join();
        }
        left_behind_.reset();
    }

private:
    using list = std::vector<std::unique_ptr<pool_worker>>;

    unsigned staying() const noexcept { return static_cast<unsigned>(members_.size()) - surplus(); }
    void set_surplus(unsigned count) noexcept { surplus_.store(count, std::memory_order_relaxed); }
    static std::unique_ptr<pool_worker> move_from(list& from, const pool_worker& w) noexcept {
        const auto at =
            std::find_if(from.begin(), from.end(), [&](const auto& m) { return m.get() == &w; });
        auto moved = std::move(*at);
        from.erase(at);
        return moved;
    }

    mutable std::mutex mutex_; ///< Guards all of it.
    list members_;
    list leaving_;
    std::unique_ptr<pool_worker> left_behind_;
    pool_stats::worker left_; ///< What those have done that have left.
    std::uint64_t left_cancelled_ = 0;
    /// Written under the lock, read by workers before each task.
    alignas(destructive_alignment) std::atomic<unsigned> surplus_{0};
};

} // namespace regatta::detail
