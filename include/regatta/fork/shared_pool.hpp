// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The pool that forks run on when no other is named.

#include <regatta/base/detail/process_stamp.hpp>
#include <regatta/base/error.hpp>
#include <regatta/core/detail/fork_access.hpp>
#include <regatta/pool/balanced_pool.hpp>

#include <atomic>
#include <cerrno>
#include <cstdint>

namespace regatta {

namespace detail {

/// The process-wide pool from its first use to the end of the process.
class shared_pool_owner {
public:
    shared_pool_owner() : pool_({.name = "shared"}) {}
    shared_pool_owner(const shared_pool_owner&) = delete;
    shared_pool_owner& operator=(const shared_pool_owner&) = delete;
    ~shared_pool_owner() { ended() = true; }

    /// Makes it at the first call. @returns null in a fork of a process that was making it.
    static shared_pool_owner* instance() {
        static constinit std::atomic<shared_pool_owner*> made{nullptr};
        static constinit std::atomic<std::uint64_t> maker{0}; ///< The process that makes it.
        // acquire: partner is the release below; makes the owner visible.
        if (shared_pool_owner* const owner = made.load(std::memory_order_acquire)) [[likely]] {
            return owner;
        }
        // The thread that makes the static object below does not exist in such a fork, which would
        // wait for it without end.
        // relaxed: publishes nothing; a fork has what its parent's threads wrote.
        const std::uint64_t here = process_stamp::process() + 1; // Not 0.
        std::uint64_t other = 0;
        if (!maker.compare_exchange_strong(other, here, std::memory_order_relaxed) &&
            other != here) {
            return nullptr;
        }
        static shared_pool_owner owner;
        // release: partner is the acquire above.
        made.store(&owner, std::memory_order_release);
        return &owner;
    }
    balanced_pool& pool() noexcept { return pool_; }

    /// The pool's team. While the process ends, after the pool, and in a fork of the process that
    /// made it, or was making it: a team without workers.
    static fork_team& team() {
        shared_pool_owner* const owner = ended() ? nullptr : instance();
        if (owner == nullptr || owner->stamp_.elsewhere()) {
            return team_of_one();
        }
        return fork_access::team(owner->pool_);
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
/// Failure: the first use throws what the constructor of a pool throws. `std::system_error`
/// (`no_such_process`) in a fork of a process that was making the pool at that moment.
inline balanced_pool& shared_pool() {
    detail::shared_pool_owner* const owner = detail::shared_pool_owner::instance();
    if (owner == nullptr) [[unlikely]] {
        fail_system(ESRCH, "use the shared pool in a fork of the process that was making it");
    }
    return owner->pool();
}

} // namespace regatta
