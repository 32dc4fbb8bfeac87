// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include <regatta/inspect/jitter.hpp>

#include <regatta/base/detail/saturated_time.hpp>

#include <sys/resource.h>

#include <chrono>
#include <cstdint>

namespace regatta {

std::uint64_t detail::displacements_of_this_thread() noexcept {
    rusage usage{};
    ::getrusage(RUSAGE_THREAD, &usage);
    // Voluntary switches count, too: a thread that only reads the clock never yields, but it may be
    // stopped.
    return static_cast<std::uint64_t>(usage.ru_nivcsw) + static_cast<std::uint64_t>(usage.ru_nvcsw);
}

jitter measure_jitter(std::chrono::nanoseconds duration, std::chrono::nanoseconds threshold) {
    jitter result;
    const auto end = detail::saturated_sum(std::chrono::steady_clock::now(), duration);
    result.loop = run_gap_loop(
        end.time_since_epoch().count(), threshold.count(), [] { return false; },
        [&](const gap& one) { result.gaps.add(one.length_ns); });
    return result;
}

} // namespace regatta
