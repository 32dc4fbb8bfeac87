// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The pool that forks run on when no other is named.

#include <regatta/base/detail/process_stamp.hpp>
#include <regatta/core/detail/fork_access.hpp>
#include <regatta/pool/balanced_pool.hpp>

namespace regatta {

namespace detail {

/// The process-wide pool from its first use to the end of the process.
class shared_pool_owner {
public:
    shared_pool_owner() : pool_({.name = "shared"}) {}
    shared_pool_owner(const shared_pool_owner&) = delete;
    shared_pool_owner& operator=(const shared_pool_owner&) = delete;
    ~shared_pool_owner() { ended() = true; }

    static shared_pool_owner& instance() {
        static shared_pool_owner owner;
        return owner;
    }
    balanced_pool& pool() noexcept { return pool_; }

    /// The pool's team. While the process ends, after the pool, and in a fork of its process: a
    /// team without workers.
    static fork_team& team() {
        if (ended() || instance().stamp_.elsewhere()) {
            return team_of_one();
        }
        return fork_access::team(instance().pool_);
    }

private:
    static bool& ended() noexcept {
        static constinit bool yes = false;
        return yes;
    }
    static fork_team& team_of_one() {
        static fork_team& never_ends = *new fork_team(
            {nullptr, [](void*) noexcept {}, [](void*, unsigned) noexcept { return false; },
             [](void*, unsigned) noexcept { return false; }, [](void*) noexcept {},
             [](void*) noexcept { return false; }});
        return never_ends;
    }

    const process_stamp stamp_;
    balanced_pool pool_;
};

} // namespace detail

/// The process-wide pool: forks run on it if they neither name a pool nor run in a task of one.
///
/// It is made at the first use, as `balanced_pool()` is: one thread for each CPU that the calling
/// thread may use, with the CPUs and the scheduling of that thread.
/// It ends with the process, after `main` and before the static objects that were made before it.
/// Forks of objects that are destroyed later run on their own thread alone.
///
/// Threads: any.
/// Failure: the first use throws what the constructor of a pool throws.
inline balanced_pool& shared_pool() {
    return detail::shared_pool_owner::instance().pool();
}

} // namespace regatta
