// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The pool that forks run on when no other is named.

#include <regatta/base/config.hpp>
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
        // acquire: partner is the release in make(); makes the owner visible.
        shared_pool_owner* const owner = made.load(std::memory_order_acquire);
        return owner != nullptr ? owner : make();
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
    /// Written by the first thread that has made it, read by all.
    static inline constinit std::atomic<shared_pool_owner*> made{nullptr};

    REGATTA_APART static shared_pool_owner* make() {
        // The thread that makes the static object below does not exist in such a fork, which would
        // wait for it without end.
        if (!enter()) {
            return nullptr;
        }
        REGATTA_TRY {
            static shared_pool_owner owner;
            // release: partner is the acquire in instance().
            made.store(&owner, std::memory_order_release);
            return &owner;
        }
        REGATTA_CATCH_ALL {
            leave();
            REGATTA_RETHROW;
        }
    }

    /// The threads that make the pool, or wait for another one that does: how many, above the
    /// process that they belong to; 0: none. Written by them, read in their process and its forks.
    static std::atomic<std::uint64_t>& makers() noexcept {
        static constinit std::atomic<std::uint64_t> threads{0};
        return threads;
    }
    static constexpr std::uint64_t one_maker = std::uint64_t{1} << 48;

    /// @returns false: the makers belong to a process of which this one is a fork.
    static bool enter() noexcept {
        const std::uint64_t here = process_stamp::process();
        // relaxed, all: publishes nothing; a fork has what its parent's threads wrote.
        std::uint64_t before = makers().load(std::memory_order_relaxed);
        do {
            if (before != 0 && before % one_maker != here) {
                return false;
            }
        } while (!makers().compare_exchange_weak(before, (before == 0 ? here : before) + one_maker,
                                                 std::memory_order_relaxed,
                                                 std::memory_order_relaxed));
        return true;
    }
    /// It could not be made: the next one tries again, here or in a fork.
    static void leave() noexcept {
        std::uint64_t before = makers().load(std::memory_order_relaxed); // As in enter().
        while (
            !makers().compare_exchange_weak(before, before < 2 * one_maker ? 0 : before - one_maker,
                                            std::memory_order_relaxed, std::memory_order_relaxed)) {
        }
    }

    static bool& ended() noexcept {
        static constinit bool yes = false;
        return yes;
    }
    REGATTA_APART static fork_team& team_of_one() {
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
