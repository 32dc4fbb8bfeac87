// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Who waits for whom among the workers of a pool, so that a wait that cannot end is refused.

#include <regatta/base/error.hpp>
#include <regatta/core/detail/worker_context.hpp>

#include <cerrno>
#include <mutex>

namespace regatta::detail {

/// What a worker can block on: a task that another worker runs.
class wait_target {
public:
    /// The level of the worker's stack that the end of this depends on at the moment; none if it
    /// has ended, or waits in a queue, or if that is unknown. What it returns is only compared.
    virtual const worker_level* runner() const noexcept = 0;

protected:
    ~wait_target() = default;
};

/// The workers of one pool that are blocked, and on what.
///
/// A worker that is about to block registers first, and the chain is followed: the task it wants,
/// the worker that runs it, the task that this one is blocked on, and so on. If the chain comes
/// back to the worker itself, the wait could never end. All this happens under one lock, so that of
/// the waits that close a circle the last one sees all the others.
///
/// A worker that waits for the whole pool waits for every task that does not do so itself: whoever
/// blocks on a task of such a worker closes a circle, too. If it waits for a limited time only, it
/// waits for no more than what it runs meanwhile, on top of it.
///
/// Threads: any. Blocks: for the lock. Cost: a lock and a few comparisons for each blocked worker;
/// only for waits that are about to sleep anyway.
class wait_graph {
public:
    wait_graph() = default;
    wait_graph(const wait_graph&) = delete;
    wait_graph& operator=(const wait_graph&) = delete;

    /// Registers that the worker blocks on a task, until `unblock`. Throws `std::system_error`
    /// (`resource_deadlock_would_occur`) if that could never end; it is not registered then.
    void block(worker_level& self, const wait_target& target) {
        const std::lock_guard lock(mutex_);
        self.target = &target;
        if (leads_to(self, &self)) {
            self.target = nullptr;
            fail_system(EDEADLK, "waiting for a task that waits for this one");
        }
        push(self);
    }
    void unblock(worker_level& self) noexcept {
        const std::lock_guard lock(mutex_);
        remove(self);
        self.target = nullptr;
        self.inner = nullptr;
    }

    /// A worker's wait for its whole pool, from the construction to the destruction: on a new
    /// level, so that what it runs meanwhile is not taken for what waits. Throws as `block` does,
    /// also if another worker is blocked on a task of this one.
    class pool_wait {
    public:
        /// @param limited the wait ends at some time, whatever waits for whom: it is not refused.
        explicit pool_wait(worker_context& worker, bool limited = false)
            : worker_(worker)
            , outer_(*worker.level)
            , graph_(worker.graph) {
            if (graph_ != nullptr) {
                graph_->enter(outer_, limited ? &inner_ : nullptr);
            }
            worker.level = &inner_;
        }
        pool_wait(const pool_wait&) = delete;
        pool_wait& operator=(const pool_wait&) = delete;
        ~pool_wait() {
            worker_.level = &outer_;
            if (graph_ != nullptr) {
                graph_->unblock(outer_);
            }
        }

    private:
        worker_context& worker_;
        worker_level& outer_;
        wait_graph* const graph_;
        worker_level inner_;
    };

private:
    /// @param inner what it runs meanwhile, if it waits for a limited time only.
    void enter(worker_level& self, const worker_level* inner) {
        const std::lock_guard lock(mutex_);
        for (worker_level* other = first_; inner == nullptr && other != nullptr;
             other = other->next) {
            if (other->target != nullptr && leads_to(*other, &self)) {
                fail_system(EDEADLK, "waiting for a pool in which a task waits for this one");
            }
        }
        self.inner = inner;
        push(self); // Without a target: it waits for all.
    }

    /// Whether the chain from a level that is blocked on a task reaches that goal, or, if the goal
    /// is where it began, a level that waits for the whole pool. It ends: no circle was let in.
    bool leads_to(const worker_level& from, const worker_level* goal) const noexcept {
        for (const worker_level* at = &from;;) {
            const worker_level* const next =
                at->target != nullptr ? at->target->runner() : at->inner;
            if (next == nullptr) {
                return at->target == nullptr && &from == goal;
            }
            if (next == goal) {
                return true;
            }
            // Only what is registered is looked at: the runner may have ended since.
            for (at = first_; at != nullptr && at != next; at = at->next) {
            }
            if (at == nullptr) {
                return false;
            }
        }
    }

    void push(worker_level& self) noexcept {
        self.next = first_;
        first_ = &self;
    }
    void remove(worker_level& self) noexcept {
        worker_level** at = &first_;
        while (*at != &self) {
            at = &(*at)->next;
        }
        *at = self.next;
        self.next = nullptr;
    }

    std::mutex mutex_;
    worker_level* first_ = nullptr; ///< The blocked levels. Guarded by the mutex.
};

} // namespace regatta::detail
