// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The policy through which every primitive of this folder reaches memory and the scheduler.
///
/// A primitive is a template on such a policy. `std_atomics` is the real one. A model checker
/// brings another one with the same members, so that it runs the code that ships. A policy has only
/// the members that the primitives need.

#include <regatta/base/config.hpp>
#include <regatta/base/detail/cache_lines.hpp>
#include <regatta/base/detail/clock.hpp>
#include <regatta/base/detail/kept_off_cpu.hpp>
#include <regatta/base/detail/platform.hpp>
#include <regatta/base/detail/word_copy.hpp>

#include <atomic>
#include <climits>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

namespace regatta {

/// Storage for one `T` whose lifetime the primitive controls. The primitive's atomics synchronise
/// the access; the cell itself does not.
template<class T>
class raw_cell {
public:
    raw_cell() noexcept {}
    ~raw_cell() {}
    raw_cell(const raw_cell&) = delete;
    raw_cell& operator=(const raw_cell&) = delete;

    template<class... Args>
    void emplace(Args&&... args) {
        // The element may be const.
        void* const at =
            const_cast<void*>(static_cast<const volatile void*>(std::addressof(value_)));
        detail::construct_value<T>(at, std::forward<Args>(args)...);
    }
    T& get() noexcept { return value_; }
    void destroy() noexcept { std::destroy_at(std::addressof(value_)); }
    /// Of an empty cell: as `detail::own_lines`.
    REGATTA_INLINE void own_lines() noexcept { detail::own_lines(*this); }

private:
    union {
        T value_;
    };
};

/// A full fence: no load or store moves across it, and all threads agree on the order of such
/// fences. The thread sanitizer does not model fences; there a read-modify-write does the same
/// work.
inline void full_fence() noexcept {
#if REGATTA_THREAD_SANITIZER
    std::atomic<int> word{0};
    word.fetch_add(1, std::memory_order_seq_cst);
#else
    std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

/// The two sides of a fence, one frequent and one rare.
///
/// Thread A writes x, calls `light()`, then reads y. Thread B writes y, calls `heavy()`, then reads
/// x. At least one of them reads what the other wrote: the guarantee of two full fences.
///
/// Where the kernel offers membarrier(2), `light()` costs nothing at run time, and `heavy()` is a
/// system call of some microseconds. Elsewhere both are full fences.
///
/// Threads: any.
/// Cost: the first construction in a process is a system call.
class asymmetric_fence {
public:
    REGATTA_APART asymmetric_fence() noexcept
        : kernel_(detail::platform::register_process_fence()) {}

    REGATTA_INLINE void light() const noexcept {
        if (kernel_) {
            std::atomic_signal_fence(std::memory_order_seq_cst);
        } else {
            full_fence();
        }
    }
    /// A full fence for where both sides are frequent. It also pairs with `heavy()`.
    void full() const noexcept { full_fence(); }
    REGATTA_APART void heavy() const noexcept {
        full_fence();
        if (kernel_) {
            detail::platform::process_fence();
        }
    }

private:
    const bool kernel_; ///< Whether the kernel interrupts the other cores.
};

/// The policy of real programs: the standard's atomics; threads sleep in the operating system.
struct REGATTA_POOLS_EXPORT std_atomics {
    template<class T>
    using atomic = std::atomic<T>;
    template<class T>
    using cell = raw_cell<T>;
    using fence = asymmetric_fence;
    /// For rare paths.
    using mutex = std::mutex;
    /// How many times a thread spins before it parks: for one hint, then 0.1, 0.2 … 12.8 µs.
    static constexpr std::uint32_t backoff_steps = 9;

    /// Blocks while `word` holds `expected`; returns false only if `deadline` has passed.
    /// @param bits by which `wake_one` knows the thread.
    REGATTA_APART static bool wait(std::atomic<std::uint32_t>& word, std::uint32_t expected,
                                   const std::chrono::steady_clock::time_point* deadline,
                                   std::uint32_t bits = detail::platform::any_wake) noexcept {
        return detail::platform::futex_wait(word, expected, deadline,
                                            detail::platform::futex_scope::process, bits);
    }
    REGATTA_APART static void wake(std::atomic<std::uint32_t>& word, std::uint32_t count) noexcept {
        detail::platform::futex_wake(word, static_cast<int>(count));
    }
    /// Wakes one thread: one with these bits if any waits, otherwise another one.
    /// @returns whether a thread is known to have been woken.
    REGATTA_APART static bool wake_one(std::atomic<std::uint32_t>& word,
                                       std::uint32_t bits) noexcept {
        return (bits != 0 && detail::platform::futex_wake_of(word, 1, bits)) ||
               detail::platform::futex_wake(word, 1);
    }
    /// Wakes every thread with these bits, and perhaps others.
    REGATTA_APART static void wake_all_of(std::atomic<std::uint32_t>& word,
                                          std::uint32_t bits) noexcept {
        if constexpr (detail::platform::tells_threads_apart) {
            detail::platform::futex_wake_of(word, INT_MAX, bits);
        } else {
            detail::platform::futex_wake(word);
        }
    }
    /// Whether a deadline has passed, for a thread that has been woken before it.
    static bool is_past(std::chrono::steady_clock::time_point deadline) noexcept {
        return std::chrono::steady_clock::now() >= deadline;
    }
    /// The clock of figures and of pacing. It decides only how long a thread spins.
    static std::int64_t now_ns() noexcept {
        const std::chrono::nanoseconds now = std::chrono::steady_clock::now().time_since_epoch();
        return now.count();
    }
    /// The CPU of the calling thread, or -1 where the system does not say.
    static int this_cpu() noexcept { return detail::platform::cpu_of_this_thread(); }
    /// The system's number of the calling thread; 0 where it has none.
    static std::int32_t this_thread_number() noexcept {
        return detail::platform::this_thread_number();
    }
    using kept_off_cpu = detail::kept_off_cpu;
    static void relax() noexcept { REGATTA_CPU_RELAX(); }
    /// Spins for about that long.
    static void relax_for(std::chrono::nanoseconds duration) noexcept {
        const auto until = std::chrono::steady_clock::now() + duration;
        do {
            relax();
        } while (std::chrono::steady_clock::now() < until);
    }
    /// Sleeps for about that long: also threads of lower real-time priority get the CPU, which a
    /// yield would not give them.
    REGATTA_RARE static void sleep_for(std::chrono::nanoseconds duration) noexcept {
        std::atomic<std::uint32_t> word{0}; // Nobody wakes it.
        const auto until = std::chrono::steady_clock::now() + duration;
        while (detail::platform::futex_wait(word, 0, &until)) {
        }
    }

    /// Names a thread; a default-constructed one names none.
    using thread_id = std::thread::id;
    static thread_id this_thread() noexcept { return std::this_thread::get_id(); }
};

} // namespace regatta
