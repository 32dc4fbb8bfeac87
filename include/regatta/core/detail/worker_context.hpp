// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What a worker thread is to the code that runs on it.

#include <regatta/base/error.hpp>

namespace regatta::detail {

class block_magazine;
class wait_graph;
class wait_target;

/// One level of a worker's stack: the tasks that it runs one inside the other because each waits
/// for the next. A wait for a whole pool that runs other tasks meanwhile begins a new level.
/// Its members belong to the `wait_graph`.
struct worker_level {
    const wait_target* target = nullptr; ///< What it is blocked on, if that is one task.
    /// What it runs on top of itself while it waits for its pool, but for a limited time only.
    const worker_level* inner = nullptr;
    worker_level* next = nullptr; ///< In the graph's list of blocked levels.
};

/// Describes the worker that the calling thread is, from its construction to its destruction.
///
/// Threads: lives on the worker's own stack and belongs to that thread. Cost: `current` is one load
/// relative to the thread's pointer.
class worker_context {
public:
    /// Makes the calling thread worker `worker` of the pool at that address. @param waits where the
    /// pool's workers register what they are blocked on; none: deadlocks go unseen.
    worker_context(const void* pool_address, unsigned worker, wait_graph* waits = nullptr)
        : pool(pool_address)
        , index(worker)
        , graph(waits) {
        if (current() != nullptr) {
            fail_state("this thread is a worker of a pool already");
        }
        current() = this;
    }
    worker_context(const worker_context&) = delete;
    worker_context& operator=(const worker_context&) = delete;
    ~worker_context() { current() = nullptr; }

    /// The calling thread's own, or none.
    static worker_context*& current() noexcept {
        static constinit thread_local worker_context* context = nullptr;
        return context;
    }
    /// Whether the calling thread is a worker of that pool.
    static bool is_worker_of(const void* pool_address) noexcept {
        const worker_context* const context = current();
        return context != nullptr && context->pool == pool_address;
    }

    const void* const pool;             ///< The pool's own address.
    const unsigned index;               ///< Which of its workers.
    wait_graph* const graph;            ///< The pool's.
    block_magazine* magazine = nullptr; ///< Set by the magazine itself.
    worker_level base{};                ///< Where its stack begins.
    worker_level* level = &base;        ///< The innermost.
};

} // namespace regatta::detail
