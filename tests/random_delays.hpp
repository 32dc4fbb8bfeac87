// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Lets threads lose their CPU at random points, so that tests meet the orders of steps that a
/// quiet machine hardly shows. REGATTA_RANDOM_DELAYS includes it in every source file; GCC calls
/// the function below at the start of each basic block.

#include <sched.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <ctime>

namespace random_delays {

/// One block in so many is delayed, for up to so many nanoseconds and what the system adds.
struct settings {
    std::uint64_t blocks = 50;
    std::uint64_t longest_ns = 3000;
    std::uint64_t seed = 0; ///< Of the next thread. Different in each process.
};
inline constinit settings shared{};
/// The random numbers of this thread; 0 before the first.
inline constinit thread_local std::uint64_t state = 0;

/// Reads REGATTA_DELAYS, "BLOCKS,NANOSECONDS". Threads that do so at once do the same.
[[gnu::no_sanitize_coverage, gnu::noinline]] inline void begin_thread() noexcept {
    if (__atomic_load_n(&shared.seed, __ATOMIC_RELAXED) == 0) {
        if (const char* text = std::getenv("REGATTA_DELAYS")) {
            char* end = nullptr;
            const std::uint64_t blocks = std::strtoull(text, &end, 10);
            shared.blocks = blocks != 0 ? blocks : shared.blocks;
            shared.longest_ns = *end == ',' ? std::strtoull(end + 1, nullptr, 10) : 0;
        }
        std::timespec now{};
        std::timespec_get(&now, TIME_UTC);
        __atomic_store_n(&shared.seed, static_cast<std::uint64_t>(now.tv_nsec) | 1,
                         __ATOMIC_RELAXED);
    }
    state = (__atomic_add_fetch(&shared.seed, 2, __ATOMIC_RELAXED) * 0x9e3779b97f4a7c15u) | 1;
}

} // namespace random_delays

extern "C" [[gnu::no_sanitize_coverage, gnu::used]] inline void __sanitizer_cov_trace_pc() {
    using namespace random_delays;
    if (state == 0) {
        begin_thread();
    }
    std::uint64_t x = state; // xorshift64, G. Marsaglia, "Xorshift RNGs", 2003
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    state = x;
    if ((x >> 20) % shared.blocks != 0) {
        return;
    }
    const int error = errno;
    if ((x & 3) == 0) {
        ::sched_yield();
    } else {
        const std::timespec length{0, static_cast<long>((x >> 2) % (shared.longest_ns + 1))};
        ::nanosleep(&length, nullptr);
    }
    errno = error;
}
