// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// How many threads can run at once here: what a pool takes as its default size.

#include <regatta/cpu/affinity.hpp>
#include <regatta/cpu/cpu_quota.hpp>
#include <regatta/cpu/cpu_set.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <thread>

namespace regatta {

/// `cpus` capped by `quota`, which is rounded up; never below 1.
inline unsigned cap_cpus(unsigned cpus, std::optional<double> quota) noexcept {
    if (quota && std::ceil(*quota) < static_cast<double>(cpus)) {
        cpus = static_cast<unsigned>(std::ceil(*quota));
    }
    return std::max(1u, cpus);
}

/// How many CPUs the calling thread may keep busy: those of its affinity mask (from which the
/// kernel takes what its cpuset forbids), capped by the CPU quota of its control groups. At
/// least 1.
///
/// `std::thread::hardware_concurrency()` knows no quota, so that a container with two CPUs' worth
/// of time on a large machine gets far too many threads.
///
/// Threads: any; a thread that was pinned gets its own, smaller answer. Failure: none; what cannot
/// be read limits nothing. Cost: about ten small files; ask once.
/// @param root a directory that stands in for `/` when the quota is read.
inline unsigned available_cpus(const std::string& root = {}) {
    cpu_set allowed;
    const bool known = try_affinity_of_this_thread(allowed) == 0;
    return cap_cpus(known ? allowed.count() : std::thread::hardware_concurrency(), cpu_quota(root));
}

} // namespace regatta
