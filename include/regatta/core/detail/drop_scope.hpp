// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Whether the calling thread is destroying a task of a pool unrun.

#include <regatta/base/config.hpp>

namespace regatta::detail {

/// While one lives, its thread destroys tasks of a pool unrun. What these own may be called, and
/// must not wait for the pool: they count as done only afterwards. A worker that does so in its
/// turn may wait: the tasks are its own.
/// Threads: lives on the stack of one thread.
class drop_scope {
public:
    /// @param pool an address that stands for it: that of its source of work for a worker in its
    /// turn, otherwise its own.
    /// @param all whether the thread destroys all tasks that wait.
    explicit drop_scope(const void* pool, bool all = false) noexcept
        : pool_(pool)
        , all_(all)
        , outer_(innermost()) {
        innermost() = this;
    }
    drop_scope(const drop_scope&) = delete;
    drop_scope& operator=(const drop_scope&) = delete;
    ~drop_scope() { innermost() = outer_; }

    /// Whether the calling thread is in one.
    static bool any() noexcept { return innermost() != nullptr; }
    /// Whether the calling thread is in one of that pool.
    static bool is_open(const void* pool) noexcept { return find(pool) != nullptr; }
    /// Whether the calling thread destroys all tasks of that pool that wait. There may be no other
    /// thread to end one that it waits for.
    static bool takes_all(const void* pool) noexcept {
        const drop_scope* const open = find(pool);
        return open != nullptr && open->all_;
    }

private:
    static const drop_scope* find(const void* pool) noexcept {
        const drop_scope* at = innermost();
        while (at != nullptr && at->pool_ != pool) {
            at = at->outer_;
        }
        return at;
    }
    REGATTA_POOLS_EXPORT static const drop_scope*& innermost() noexcept {
        static constinit thread_local const drop_scope* scope = nullptr;
        return scope;
    }

    const void* const pool_;
    const bool all_;
    const drop_scope* const outer_;
};

} // namespace regatta::detail
