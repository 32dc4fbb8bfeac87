// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A lock for sections of a few instructions: it spins, then sleeps.

#include <regatta/base/config.hpp>
#include <regatta/sync/atomics.hpp>
#include <regatta/sync/backoff.hpp>

#include <cstdint>

namespace regatta {

/// A mutual-exclusion lock of one word. A thread that finds it held spins for some tens of
/// microseconds, then looks again after sleeps of 62 µs to a millisecond. So a waiting thread of
/// real-time priority leaves its CPU to a preempted holder.
///
/// Nobody wakes a sleeper: knowing of one would make `unlock` a read-modify-write, some 20 ns that
/// every section would pay. A section is so short that a thread sleeps only where the holder was
/// preempted, which takes milliseconds itself.
///
/// Meets the standard's Lockable, so `std::lock_guard` and `std::unique_lock` take it.
///
/// Threads: any.
/// Blocks: `lock` until the holder unlocks. Do not hold it across anything that blocks.
/// Order: `unlock` synchronises with the next `lock`. Not fair: a thread that comes may overtake
/// sleepers.
/// Failure: not recursive; locking twice in one thread never returns. The holder does not inherit
/// the priority of a waiting thread.
/// Cost: one compare-and-swap when free, one store to unlock.
/// Source: L. Rudolph and Z. Segall, "Dynamic decentralized cache schemes", 1984.
///
/// I1: at most one thread is between a successful `lock`/`try_lock` and its `unlock`.
template<class Atomics>
class basic_adaptive_mutex {
public:
    basic_adaptive_mutex() = default;
    basic_adaptive_mutex(const basic_adaptive_mutex&) = delete;
    basic_adaptive_mutex& operator=(const basic_adaptive_mutex&) = delete;

    void lock() noexcept {
        if (!try_lock()) [[unlikely]] {
            lock_later();
        }
    }

    bool try_lock() noexcept {
        // relaxed: saves the compare-and-swap; it decides nothing.
        std::uint32_t seen = state_.load(std::memory_order_relaxed);
        while (seen == unlocked) {
            // acquire: partner is the release in unlock(); makes the last holder's writes visible.
            if (state_.compare_exchange_weak(seen, locked, std::memory_order_acquire,
                                             std::memory_order_relaxed)) {
                return true;
            }
        }
        return false;
    }

    void unlock() noexcept {
        // release: partner is the acquire in try_lock(); publishes what this holder wrote.
        state_.store(unlocked, std::memory_order_release);
    }

private:
    static constexpr std::uint32_t unlocked = 0;
    static constexpr std::uint32_t locked = 1;

    REGATTA_RARE void lock_later() noexcept {
        basic_backoff<Atomics> pace;
        do {
            pace.pause_or_sleep();
        } while (!try_lock());
    }

    /// One of the values above. Written by holders, read by threads that wait.
    typename Atomics::template atomic<std::uint32_t> state_{unlocked};
};

/// The adaptive mutex of real programs.
using adaptive_mutex = basic_adaptive_mutex<std_atomics>;

} // namespace regatta
