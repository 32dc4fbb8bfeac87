// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The identity of a worker thread, for code that runs on it.

#include <regatta/base/config.hpp>
#include <regatta/base/error.hpp>

#include <thread>

namespace regatta::detail {

class block_magazine;
class wait_graph;
class wait_target;

/// One level of a worker's stack: nested tasks, each of which waits for the next. A wait for a
/// whole pool that runs other tasks begins a new level. The members belong to the `wait_graph`.
struct worker_level {
    const wait_target* target = nullptr; ///< The task it is blocked on, or null.
    /// The level that runs on top of it during a wait with a deadline for its pool.
    const worker_level* inner = nullptr;
    worker_level* next = nullptr; ///< The next in the graph's list of blocked levels.
};

/// Makes the calling thread a worker, from its construction to its destruction.
///
/// Threads: lives on the worker's own stack and belongs to that thread.
/// Cost: `current` is one load relative to the thread pointer.
class worker_context {
public:
    /// Makes the calling thread worker `worker` of the pool at that address.
    /// @param waits where the pool's workers register what they are blocked on. Null: deadlocks are
    /// not detected.
    worker_context(const void* pool_address, unsigned worker, wait_graph* waits = nullptr)
        : pool(pool_address)
        , thread(std::this_thread::get_id())
        , index(worker)
        , graph(waits) {
        if (current() != nullptr) {
            fail_state("this thread is already a worker of a pool");
        }
        current() = this;
    }
    worker_context(const worker_context&) = delete;
    worker_context& operator=(const worker_context&) = delete;
    ~worker_context() { current() = nullptr; }

    /// The context of the calling thread, or null. Modules of one program that hide their names,
    /// and share no regatta::pools, have a variable each: there it is null on the workers of
    /// another module's pool. Only `block_store::find_worker` finds those.
    REGATTA_POOLS_EXPORT static worker_context*& current() noexcept {
        static constinit thread_local worker_context* context = nullptr;
        return context;
    }
    /// Whether the calling thread is a worker of that pool.
    static bool is_worker_of(const void* pool_address) noexcept {
        const worker_context* const context = current();
        return context != nullptr && context->pool == pool_address;
    }

    /// The worker has run a task in a wait, before its turn: its job, still in a queue, is over.
    void overtake() {
        if (++overtaken >= most_overtaken && sweep != nullptr) [[unlikely]] {
            sweep(*this);
        }
    }

    const void* const pool;       ///< The address of the pool.
    const std::thread::id thread; ///< The worker's.
    const unsigned index;         ///< The worker's index in the pool.
    wait_graph* const graph;      ///< The pool's graph, or null.
    /// The `basic_fork_team` of the pool, whose workers share the forks of its tasks; or null.
    void* forks = nullptr;
    /// The `basic_task_ground` of the worker, if `forks` is set.
    const void* ground = nullptr;
    worker_context* next = nullptr;      ///< In the list of the pool's `block_store`.
    worker_context** previous = nullptr; ///< The pointer of that list that points here.
    block_magazine* magazine = nullptr;  ///< Set by the magazine itself.
    worker_level base{};                 ///< The outermost level.
    worker_level* level = &base;         ///< The innermost level.
    unsigned overtaken = 0;              ///< Tasks since the last call of `sweep`.
    unsigned most_overtaken = 64;        ///< How many before it is called.
    /// Ends the jobs that are over in the queues that the worker appends to; sets `overtaken` to 0.
    void (*sweep)(worker_context&) noexcept = nullptr;
};

} // namespace regatta::detail
