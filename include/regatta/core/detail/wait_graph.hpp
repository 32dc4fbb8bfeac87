// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Detects waits between the workers of a pool that could never end.

#include <regatta/base/error.hpp>
#include <regatta/core/detail/worker_context.hpp>

#include <cerrno>
#include <mutex>

namespace regatta::detail {

/// A task that a worker can block on while another worker runs it.
class wait_target {
public:
    /// The level of a worker's stack that the task needs to end. Null if the task has ended, waits
    /// in a queue, or if the level is unknown. Callers only compare the pointer.
    virtual const worker_level* runner() const noexcept = 0;

protected:
    ~wait_target() = default;
};

/// The blocked workers of one pool, and what each is blocked on.
///
/// A worker registers before it blocks, and the chain is followed: the task that it wants, the
/// worker that runs it, the task that this worker is blocked on, and so on. If the chain leads back
/// to the first worker, the wait could never end. All this happens under one lock. So of the waits
/// that form a circle, the last one sees all the others.
///
/// A worker that waits for the whole pool waits for every task that does not do so itself. A worker
/// that blocks on a task of such a worker also forms a circle. If the wait for the pool has a
/// deadline, it depends only on the tasks that run on top of it.
///
/// Threads: any.
/// Blocks: for the lock.
/// Cost: a lock and a few comparisons for each blocked worker, only for waits that are about to
/// sleep.
///
/// I1: the levels that are registered form no circle.
template<class Mutex, class Context>
class basic_wait_graph {
public:
    basic_wait_graph() = default;
    basic_wait_graph(const basic_wait_graph&) = delete;
    basic_wait_graph& operator=(const basic_wait_graph&) = delete;

    /// Registers that the worker is blocked on a task, until `unblock`. If the wait could never
    /// end, throws `std::system_error` (`resource_deadlock_would_occur`) and registers nothing.
    REGATTA_RARE void block(worker_level& self, const wait_target& target) {
        const std::lock_guard lock(mutex_);
        self.target = &target;
        if (leads_to(self, &self)) {
            self.target = nullptr;
            fail_system(EDEADLK, "waiting for a task that waits for this one");
        }
        push(self);
    }
    REGATTA_RARE void unblock(worker_level& self) noexcept {
        const std::lock_guard lock(mutex_);
        remove(self);
        self.target = nullptr;
        self.inner = nullptr;
    }

    /// A worker's wait for its whole pool, from construction to destruction. It begins a new level,
    /// so that the tasks that run on top are not taken for the task that waits. Throws as `block`,
    /// also if another worker is blocked on a task of this worker.
    class pool_wait {
    public:
        /// @param limited the wait has a deadline: it ends even in a circle, so it is not refused.
        explicit pool_wait(Context& worker, bool limited = false)
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
        Context& worker_;
        worker_level& outer_;
        basic_wait_graph* const graph_;
        worker_level inner_;
    };

private:
    /// @param inner the level on top, if the wait has a deadline; otherwise null.
    REGATTA_RARE void enter(worker_level& self, const worker_level* inner) {
        const std::lock_guard lock(mutex_);
        for (worker_level* other = first_; inner == nullptr && other != nullptr;
             other = other->next) {
            if (other->target != nullptr && leads_to(*other, &self)) {
                fail_system(EDEADLK, "waiting for a pool in which a task waits for this one");
            }
        }
        self.inner = inner;
        push(self); // No target: it waits for all tasks.
    }

    /// Whether the chain from a blocked level reaches `goal`. If `goal` is `from` itself, a level
    /// that waits for the whole pool also counts. The loop ends: no circle was registered.
    REGATTA_RARE bool leads_to(const worker_level& from, const worker_level* goal) const noexcept {
        for (const worker_level* at = &from;;) {
            const worker_level* const next =
                at->target != nullptr ? at->target->runner() : at->inner;
            if (next == nullptr) {
                return at->target == nullptr && &from == goal;
            }
            if (next == goal) {
                return true;
            }
            // Looks only at registered levels: the runner may have ended since.
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

    Mutex mutex_;
    worker_level* first_ = nullptr; ///< The blocked levels. Guarded by the mutex.
};

/// The graph of real programs.
class wait_graph : public basic_wait_graph<std::mutex, worker_context> {};

} // namespace regatta::detail
