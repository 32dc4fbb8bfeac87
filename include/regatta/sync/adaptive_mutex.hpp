// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A lock for sections of a few instructions: it spins, then sleeps.

#include <regatta/base/config.hpp>
#include <regatta/sync/atomics.hpp>

#include <cstdint>

namespace regatta {

/// A mutual-exclusion lock of one word. A thread that finds it held spins for a moment, then sleeps
/// in the kernel. So a waiting thread of real-time priority leaves its CPU to a preempted holder.
///
/// Meets the standard's Lockable, so `std::lock_guard` and `std::unique_lock` take it.
///
/// Threads: any.
/// Blocks: `lock` until the holder unlocks. Do not hold it across anything that blocks.
/// Order: `unlock` synchronises with the next `lock`. Not fair: a thread that comes may overtake
/// sleepers.
/// Failure: not recursive; locking twice in one thread never returns. The holder does not inherit
/// the priority of a waiting thread.
/// Cost: one compare-and-swap when free, one exchange to unlock. A system call only if a thread
/// sleeps or may.
/// Source: L. Rudolph and Z. Segall, "Dynamic decentralized cache schemes", 1984; U. Drepper,
/// "Futexes are tricky", 2011.
///
/// I1: at most one thread is between a successful `lock`/`try_lock` and its `unlock`.
/// I2: while a thread sleeps in `lock`, the lock is contended, or a thread that is awake will make
///     it contended or unlock it and wake a sleeper.
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
        // release: partner is the acquire in try_lock() and lock_later(); publishes what this
        // holder wrote. After it another thread may end the lock; waking uses only the address.
        if (state_.exchange(unlocked, std::memory_order_release) == contended) [[unlikely]] {
            Atomics::wake(state_, 1);
        }
    }

private:
    static constexpr std::uint32_t unlocked = 0;
    static constexpr std::uint32_t locked = 1;
    static constexpr std::uint32_t contended = 2; ///< Locked; a thread may sleep.

    /// About the length of two sections.
    static constexpr std::uint32_t spins = Atomics::backoff_steps != 0 ? 64 : 0;

    REGATTA_RARE void lock_later() noexcept {
        for (std::uint32_t i = 0; i < spins; ++i) {
            Atomics::relax();
            if (try_lock()) {
                return;
            }
        }
        // It does not know whether others sleep: so it locks as contended, and its unlock() wakes
        // one of them. acquire: as in try_lock().
        while (state_.exchange(contended, std::memory_order_acquire) != unlocked) {
            Atomics::wait(state_, contended, nullptr);
        }
    }

    /// One of the values above. Written by holders and by threads that wait; read by both and by
    /// the kernel.
    typename Atomics::template atomic<std::uint32_t> state_{unlocked};
};

/// The adaptive mutex of real programs.
using adaptive_mutex = basic_adaptive_mutex<std_atomics>;

} // namespace regatta
