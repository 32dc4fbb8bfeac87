// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Which CPUs the workers of the experiment are pinned to, and which are owned for them.

#include <regatta/cpu/cpu_set.hpp>
#include <regatta/cpu/topology.hpp>

#include <vector>

namespace regatta::race {

/// The CPUs of an experiment.
struct worker_cpus {
    std::vector<unsigned> workers; ///< Worker i is pinned to the i-th.
    cpu_set owned;                 ///< Those, and what is owned with them.
};

/// Chooses a CPU for each worker, no core twice before each has one.
///
/// Without a wish they are CPUs that were isolated at boot if those suffice, otherwise those to
/// which this process keeps, if it keeps to some and they suffice, and otherwise neither the first
/// CPU, where most interrupts go, nor its siblings if the others suffice; with them their siblings
/// are owned, so that nobody shares a core with a worker, unless that leaves no CPU.
/// @param workers 0: as many as `wish` has CPUs, and one without a wish.
/// @param wish all that are to be owned; empty: none.
/// @param usable those that this process may use.
/// @param own the mask of this process, perhaps narrower.
/// Failure: `std::invalid_argument` for a wish that may not be used, and for more workers than
/// CPUs.
worker_cpus choose_worker_cpus(unsigned workers, const cpu_set& wish, const cpu_set& usable,
                               const cpu_set& own, const topology& machine);

/// The CPUs to which the calling thread could be pinned, those isolated at boot included, which its
/// own mask does not have as a rule. Failure: `std::system_error`.
cpu_set usable_cpus(const topology& machine);

} // namespace regatta::race
