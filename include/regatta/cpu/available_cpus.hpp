// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// How many threads can run at once: the default size of a pool.

#include <regatta/cpu/affinity.hpp>
#include <regatta/cpu/cpu_quota.hpp>
#include <regatta/cpu/cpu_set.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <thread>

namespace regatta {

/// `cpus` capped by `quota`, which is rounded up; never below 1.
inline unsigned cap_cpus(unsigned cpus, std::optional<double> quota) noexcept {
    if (quota && *quota <= static_cast<double>(cpus) - 1) {
        const auto whole = static_cast<unsigned>(*quota);
        cpus = whole + (static_cast<double>(whole) < *quota ? 1 : 0);
    }
    return std::max(1u, cpus);
}

/// The number of CPUs that the calling thread may keep busy, at least 1: the CPUs of its affinity
/// mask, capped by the CPU quota of its control groups. The kernel has already removed CPUs that
/// the cpuset forbids from the mask.
///
/// `std::thread::hardware_concurrency()` ignores quotas: a container with a quota of two CPUs on a
/// large machine gets far too many threads.
///
/// Threads: any; a pinned thread gets its own, smaller result.
/// Failure: never; an unreadable file limits nothing.
/// Cost: reads about ten small files; call it once.
/// @param root a directory that replaces `/` when the quota is read.
REGATTA_RARE inline unsigned available_cpus(const std::string& root = {}) {
    cpu_set allowed;
    const bool known = try_affinity_of_this_thread(allowed) == 0;
    return cap_cpus(known ? allowed.count() : std::thread::hardware_concurrency(), cpu_quota(root));
}

} // namespace regatta
