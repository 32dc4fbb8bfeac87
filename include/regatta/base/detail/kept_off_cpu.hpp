// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A wake-up of a thread on another CPU than the caller's.

#include <regatta/base/config.hpp>
#include <regatta/base/detail/platform.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace regatta::detail {

/// Keeps a sleeping thread off a CPU while it lives, so that the kernel wakes the thread on another
/// one. Linux puts a woken thread on the CPU of its waker if it takes all others for busy. It takes
/// a halted virtual CPU for one whose host runs something else, and does not look for an idle CPU
/// at all where few share a cache and all were busy lately.
///
/// Does nothing where the system refuses, or the thread may use no other CPU, or not the very CPUs
/// that the process had at the first call of `usual`: then somebody else decides about its mask.
///
/// Threads: any. Of two at once for the same thread, each may undo what the other does.
/// Failure: a change that another thread makes to the mask within a microsecond of the begin or end
/// is lost. From Linux 6.2 on the mask counts as requested: if the process gets further CPUs later,
/// the thread does not get them.
/// Cost: two system calls at each end, 2 µs together.
/// Source: sched_setaffinity(2); wake_affine and select_idle_sibling in Linux, kernel/sched/fair.c.
class kept_off_cpu {
public:
    /// @param thread the system's number of the thread, or 0 for none.
    /// @param cpu the CPU, or a negative number for none.
    REGATTA_RARE kept_off_cpu(std::int32_t thread, int cpu) noexcept {
        const auto at = static_cast<std::size_t>(cpu);
        const mask all = usual();
        if (thread == 0 || cpu < 0 || at / word_bits >= all.size() || mask_of(thread) != all ||
            all == mask{}) {
            return;
        }
        narrowed_ = all;
        narrowed_[at / word_bits] &= ~(1UL << at % word_bits);
        if (narrowed_ != all && set(thread, narrowed_)) { // Refused if that leaves it no CPU.
            thread_ = thread;
        }
    }
    kept_off_cpu(const kept_off_cpu&) = delete;
    kept_off_cpu& operator=(const kept_off_cpu&) = delete;
    REGATTA_RARE ~kept_off_cpu() {
        if (thread_ != 0 && mask_of(thread_) == narrowed_) {
            set(thread_, usual());
        }
    }

    /// The CPUs that the thread of the first call could use then; those of this thread where that
    /// call is not over. It never is in the child of a fork that came in between.
    REGATTA_APART static std::array<unsigned long, 16> usual() noexcept {
        enum { none, being_written, there };
        struct record {
            std::atomic<int> state{none};
            mask cpus{};
        };
        static constinit record first;
        // acquire: partner is the release below; the mask.
        if (first.state.load(std::memory_order_acquire) == there) {
            return first.cpus;
        }
        const mask now = mask_of(0);
        int before = none;
        // relaxed: decides who writes; publishes nothing.
        if (first.state.compare_exchange_strong(before, being_written, std::memory_order_relaxed)) {
            first.cpus = now;
            first.state.store(there, std::memory_order_release);
        }
        return now;
    }

    /// How many more wake-ups are to be such, in the whole process. Relaxed: a hint.
    static std::atomic<std::uint32_t>& due() noexcept {
        static constinit std::atomic<std::uint32_t> wakes{0};
        return wakes;
    }

private:
    using mask = std::array<unsigned long, 16>; ///< With more than 1,024 CPUs it does nothing.
    static constexpr std::size_t word_bits = 8 * sizeof(unsigned long);

    /// All zero if it cannot be read.
    static mask mask_of(std::int32_t thread) noexcept {
        mask read;
        if (platform::affinity_of_thread(thread, read.data(), sizeof read) != 0) {
            read.fill(0);
        }
        return read;
    }
    static bool set(std::int32_t thread, const mask& cpus) noexcept {
        return platform::pin_thread(thread, cpus.data(), sizeof cpus) == 0;
    }

    std::int32_t thread_ = 0; ///< 0: nothing was done.
    mask narrowed_;
};

} // namespace regatta::detail
