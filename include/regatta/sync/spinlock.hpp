// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A spinning lock, for sections of a few instructions.

#include <regatta/sync/atomics.hpp>

#include <cstdint>

namespace regatta {

/// A mutual-exclusion lock that spins on a plain read until the lock looks free ("test and
/// test-and-set"). If that takes long, it yields its time slice.
///
/// Meets the standard's Lockable, so `std::lock_guard` and `std::unique_lock` take it.
///
/// Threads: any.
/// Blocks: spins, then yields; never sleeps in the kernel. Do not hold it across anything that
/// blocks.
/// Order: `unlock` synchronises with the next `lock`.
/// Failure: not recursive; locking twice in one thread never returns.
/// Cost: one exchange when free.
/// Source: L. Rudolph and Z. Segall, "Dynamic decentralized cache schemes", 1984.
///
/// I1: at most one thread is between a successful `lock`/`try_lock` and its `unlock`.
template<class Atomics>
class basic_spinlock {
public:
    basic_spinlock() = default;
    basic_spinlock(const basic_spinlock&) = delete;
    basic_spinlock& operator=(const basic_spinlock&) = delete;

    void lock() noexcept {
        for (std::uint32_t spins = 0; !try_lock(); ++spins) {
            if (spins < spins_before_yield) {
                Atomics::relax();
            } else {
                Atomics::yield();
            }
        }
    }

    bool try_lock() noexcept {
        // relaxed: a hint that saves the exchange; it decides nothing.
        if (locked_.load(std::memory_order_relaxed) != 0) {
            return false;
        }
        // acquire: partner is the release in unlock(); makes the last holder's writes visible.
        return locked_.exchange(1, std::memory_order_acquire) == 0;
    }

    void unlock() noexcept {
        // release: partner is the acquire in try_lock(); publishes what this holder wrote.
        locked_.store(0, std::memory_order_release);
    }

private:
    static constexpr std::uint32_t spins_before_yield = 64;

    /// 1 while held. Written by the holder and by threads that try; read by all.
    typename Atomics::template atomic<std::uint32_t> locked_{0};
};

/// The spinlock of real programs.
using spinlock = basic_spinlock<std_atomics>;

} // namespace regatta
