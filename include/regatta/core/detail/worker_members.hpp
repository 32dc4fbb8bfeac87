// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The workers that an engine has at the moment, and what those did that have left.

#include <regatta/base/cache_line.hpp>
#include <regatta/core/detail/worker.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace regatta::detail {

/// The list of an engine's workers, of which some may be told to leave.
///
/// A worker that leaves is on a second list until its last instructions; then its record is left
/// behind, until the next one that leaves, or `end`, clears it away.
///
/// Threads: any, where nothing else is said. Blocks: for a lock, for a few instructions.
/// @tparam Worker a `basic_worker`, or a class derived from one that also has its thread.
template<class Worker, class Atomics>
class basic_worker_members {
public:
    /// What one worker was at.
    struct sighting {
        unsigned index; ///< The worker's.
        typename basic_quiescence<Atomics>::stamp seen;
    };

    /// A record for a worker of that number; its thread is still to be started.
    Worker& add(unsigned index) {
        auto fresh = std::make_unique<Worker>(index);
        const lock_guard lock(mutex_);
        leaving_.reserve(members_.size() + leaving_.size() + 1); // Leaving must not fail.
        members_.push_back(std::move(fresh));
        return *members_.back();
    }
    /// Its thread could not be started.
    void remove(const Worker& w) noexcept {
        const lock_guard lock(mutex_);
        move_from(members_, w);
    }

    /// That many workers, or all there are, are to leave.
    void ask_to_leave(unsigned count) noexcept {
        const lock_guard lock(mutex_);
        set_surplus(surplus() + std::min(count, staying()));
    }
    /// Up to that many of them are not. @returns how many.
    unsigned ask_to_stay(unsigned count) noexcept {
        const lock_guard lock(mutex_);
        const unsigned kept = std::min(count, surplus());
        set_surplus(surplus() - kept);
        return kept;
    }
    /// Workers that are to leave and have not begun to.
    unsigned surplus() const noexcept {
        // relaxed: a hint to workers; the decision is made under the lock.
        return surplus_.load(std::memory_order_relaxed);
    }
    /// The worker leaves if one is to: it takes no further task. @returns whether it does.
    bool begin_leave(const Worker& me) noexcept {
        const lock_guard lock(mutex_);
        if (surplus() == 0) {
            return false;
        }
        leaving_.push_back(move_from(members_, me));
        set_surplus(surplus() - 1);
        return true;
    }
    /// The last that a leaving worker does.
    void end_leave(const Worker& me) noexcept {
        std::unique_ptr<Worker> ended; // Its thread is joined after the lock is free.
        const lock_guard lock(mutex_);
        left_ += me.read();
        ended = std::exchange(left_behind_, move_from(leaving_, me));
    }
    /// Whether no worker is about to leave.
    bool all_left() const noexcept {
        const lock_guard lock(mutex_);
        return surplus() == 0 && leaving_.empty();
    }

    /// Workers that there are, those included that leave.
    unsigned running() const noexcept {
        const lock_guard lock(mutex_);
        return static_cast<unsigned>(members_.size() + leaving_.size());
    }
    /// Workers that are to stay.
    unsigned expected() const noexcept {
        const lock_guard lock(mutex_);
        return staying();
    }
    /// Workers that have no task at the moment.
    unsigned resting() const noexcept {
        const lock_guard lock(mutex_);
        return static_cast<unsigned>(std::count_if(members_.begin(), members_.end(),
                                                   [](const auto& w) { return w->resting(); }));
    }
    /// Tasks that all workers there have been are done with.
    std::uint64_t completed() const noexcept {
        const lock_guard lock(mutex_);
        std::uint64_t sum = left_.run + left_.cancelled;
        for (const list* const some : {&members_, &leaving_}) {
            for (const auto& w : *some) {
                sum += w->completed();
            }
        }
        return sum;
    }
    /// Calls `use(worker, leaves)` for each worker. @returns what those did that have left.
    template<class Use>
    worker_figures read(Use&& use) const {
        const lock_guard lock(mutex_);
        for (const auto& w : members_) {
            use(static_cast<const Worker&>(*w), false);
        }
        for (const auto& w : leaving_) {
            use(static_cast<const Worker&>(*w), true);
        }
        return left_;
    }

    /// What the first worker is at whose number is `from` or above, for a caller whose own fence or
    /// acquire orders the look. Nothing if there is none.
    std::optional<sighting> observe_in_order(unsigned from) const noexcept {
        const lock_guard lock(mutex_);
        for (const auto& w : members_) { // In the order of their numbers.
            if (w->index >= from) {
                return sighting{w->index, w->activity.observe_in_order()};
            }
        }
        return std::nullopt;
    }
    /// Whether the task that was seen under way has ended.
    bool passed(const sighting& task) const noexcept {
        const lock_guard lock(mutex_);
        return std::all_of(members_.begin(), members_.end(), [&](const auto& w) {
            return w->index != task.index || w->activity.passed(task.seen);
        });
    }

    /// Calls `join(worker)` for each worker that has ended. No worker is added or leaves any more;
    /// one caller at a time.
    template<class Join>
    void end(Join&& join) noexcept {
        for (const auto& w : members_) {
            join(*w);
        }
        left_behind_.reset();
    }

private:
    using list = std::vector<std::unique_ptr<Worker>>;
    using lock_guard = std::lock_guard<typename Atomics::mutex>;

    unsigned staying() const noexcept { return static_cast<unsigned>(members_.size()) - surplus(); }
    void set_surplus(unsigned count) noexcept { surplus_.store(count, std::memory_order_relaxed); }
    static std::unique_ptr<Worker> move_from(list& from, const Worker& w) noexcept {
        const auto at =
            std::find_if(from.begin(), from.end(), [&](const auto& m) { return m.get() == &w; });
        auto moved = std::move(*at);
        from.erase(at);
        return moved;
    }

    mutable typename Atomics::mutex mutex_; ///< Guards all of it.
    list members_;
    list leaving_;
    std::unique_ptr<Worker> left_behind_;
    worker_figures left_; ///< What those have done that have left.
    /// Written under the lock, read by workers before each task.
    alignas(destructive_alignment) typename Atomics::template atomic<unsigned> surplus_{0};
};

} // namespace regatta::detail
