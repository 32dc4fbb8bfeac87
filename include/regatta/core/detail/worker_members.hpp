// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The present workers of an engine, and the figures of those that have left.

#include <regatta/core/detail/worker.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace regatta::detail {

/// The list of an engine's workers. Some of them may be asked to leave.
///
/// A worker that leaves is on a second list until its last instructions. Its record then stays
/// until the next worker leaves or `end` is called.
///
/// Threads: any, unless stated otherwise.
/// Blocks: for a lock, held for a few instructions.
/// @tparam Worker a `basic_worker`, or a class derived from one that also has its thread.
template<class Worker, class Atomics>
class basic_worker_members {
public:
    /// The activity of one worker at one moment.
    struct sighting {
        unsigned index; ///< The worker's index.
        typename basic_quiescence<Atomics>::stamp seen;
    };

    basic_worker_members() = default;
    basic_worker_members(const basic_worker_members&) = delete;
    basic_worker_members& operator=(const basic_worker_members&) = delete;
    ~basic_worker_members() {
        while (first_ != nullptr) {
            delete std::exchange(first_, first_->next);
        }
    }

    /// Adds a record for worker `index`. Its thread is not started yet.
    REGATTA_APART Worker& add(unsigned index) {
        record* const fresh = new record(index);
        const lock_guard lock(mutex_);
        record** at = &first_;
        while (*at != nullptr) {
            at = &(*at)->next;
        }
        *at = fresh;
        ++count_;
        return *fresh;
    }
    /// Removes a worker whose thread could not be started.
    REGATTA_RARE void remove(Worker& w) noexcept {
        const lock_guard lock(mutex_);
        delete unlink(w);
    }

    /// Asks that many workers, or all there are, to leave.
    REGATTA_APART void ask_to_leave(unsigned count) noexcept {
        const lock_guard lock(mutex_);
        set_surplus(surplus() + std::min(count, staying()));
    }
    /// Takes back up to `count` of these requests. @returns how many.
    REGATTA_APART unsigned ask_to_stay(unsigned count) noexcept {
        const lock_guard lock(mutex_);
        const unsigned kept = std::min(count, surplus());
        set_surplus(surplus() - kept);
        return kept;
    }
    /// The number of workers that are asked to leave and have not begun to.
    unsigned surplus() const noexcept {
        // relaxed: a hint to workers; begin_leave() decides under the lock.
        return surplus_.load(std::memory_order_relaxed);
    }
    /// The worker leaves if one is asked to: it takes no further task. @returns whether it leaves.
    REGATTA_RARE bool begin_leave(Worker& me) noexcept {
        const lock_guard lock(mutex_);
        if (surplus() == 0) {
            return false;
        }
        static_cast<record&>(me).leaves = true;
        ++leaving_;
        set_surplus(surplus() - 1);
        return true;
    }
    /// The last call of a leaving worker.
    REGATTA_RARE void end_leave(Worker& me) noexcept {
        std::unique_ptr<record> ended; // Joins its thread after the lock is free.
        const lock_guard lock(mutex_);
        left_ += me.read();
        --leaving_;
        ended.reset(left_behind_.release());
        left_behind_.reset(unlink(me));
    }
    /// Whether no worker is about to leave.
    REGATTA_APART bool all_left() const noexcept {
        const lock_guard lock(mutex_);
        return surplus() == 0 && leaving_ == 0;
    }

    /// The number of workers, those included that are leaving.
    REGATTA_APART unsigned running() const noexcept {
        const lock_guard lock(mutex_);
        return count_;
    }
    /// The number of workers that are to stay.
    REGATTA_APART unsigned expected() const noexcept {
        const lock_guard lock(mutex_);
        return staying();
    }
    /// The number of workers that have no task at the moment.
    REGATTA_RARE unsigned resting() const noexcept {
        const lock_guard lock(mutex_);
        unsigned sum = 0;
        for (const record* w = first_; w != nullptr; w = w->next) {
            sum += !w->leaves && w->resting() ? 1u : 0u;
        }
        return sum;
    }
    /// The number of tasks that all workers, past ones included, are done with.
    REGATTA_APART std::uint64_t completed() const noexcept {
        const lock_guard lock(mutex_);
        std::uint64_t sum = left_.run + left_.cancelled;
        for (const record* w = first_; w != nullptr; w = w->next) {
            sum += w->completed();
        }
        return sum;
    }
    /// Calls `use(worker, leaves)` for each worker. @returns the figures of those that have left.
    template<class Use>
    worker_figures read(Use&& use) const {
        const lock_guard lock(mutex_);
        for (const record* w = first_; w != nullptr; w = w->next) {
            use(static_cast<const Worker&>(*w), w->leaves);
        }
        return left_;
    }

    /// The activity of the first worker whose index is `from` or above, or nothing. The caller's
    /// own fence or acquire orders the look.
    REGATTA_APART std::optional<sighting> observe_in_order(unsigned from) const noexcept {
        const lock_guard lock(mutex_);
        for (const record* w = first_; w != nullptr; w = w->next) { // By index.
            if (!w->leaves && w->index >= from) {
                return sighting{w->index, w->activity.observe_in_order()};
            }
        }
        return std::nullopt;
    }
    /// Whether the task that `observe_in_order` saw under way has ended.
    REGATTA_APART bool passed(const sighting& task) const noexcept {
        const lock_guard lock(mutex_);
        for (const record* w = first_; w != nullptr; w = w->next) {
            if (!w->leaves && w->index == task.index && !w->activity.passed(task.seen)) {
                return false;
            }
        }
        return true;
    }

    /// Calls `join(worker)` for each worker that has ended.
    /// Threads: one at a time, while no worker is added or leaves.
    template<class Join>
    void end(Join&& join) noexcept {
        for (record* w = first_; w != nullptr; w = w->next) {
            join(static_cast<Worker&>(*w));
        }
        left_behind_.reset();
    }

private:
    struct record : Worker {
        using Worker::Worker;
        record* next = nullptr;
        bool leaves = false; ///< It has begun to leave.
    };
    using lock_guard = std::lock_guard<typename Atomics::mutex>;

    unsigned staying() const noexcept { return count_ - leaving_ - surplus(); }
    void set_surplus(unsigned count) noexcept { surplus_.store(count, std::memory_order_relaxed); }
    REGATTA_APART record* unlink(Worker& w) noexcept {
        record** at = &first_;
        while (*at != &w) {
            at = &(*at)->next;
        }
        --count_;
        return std::exchange(*at, (*at)->next);
    }

    /// First, not aligned: it changes rarely and may be beside what is read at every task. Written
    /// under the lock, read by workers before each task.
    typename Atomics::template atomic<unsigned> surplus_{0};
    mutable typename Atomics::mutex mutex_; ///< Guards every member.
    record* first_ = nullptr;               ///< All of them, in the order of their indices.
    unsigned count_ = 0;
    unsigned leaving_ = 0; ///< How many of them have begun to leave.
    std::unique_ptr<record> left_behind_;
    worker_figures left_; ///< The figures of the workers that have left.
};

} // namespace regatta::detail
