// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Speed-ups above the number of workers, which the workers alone cannot bring about.

#include "sampling/race_result.hpp"
#include "sampling/sampler.hpp"

#include <optional>
#include <string>

namespace regatta::race {

/// Adds a note for each scheme whose speed-up is above the workers (or the CPUs, where those are
/// fewer): the cause that the race measured, or that it measured none. Takes an evaluated race.
void note_super_linear(race_result& result);

/// What a quota of CPU time has to do with a speed-up above so many CPUs. Empty where a run takes
/// longer than any period of a quota: then it has nothing to do with it.
std::string cause_by_quota(unsigned cpus, double run_ns);

/// The share of the items' time that they had a CPU, over the samples that count. Absent where that
/// was not measured.
std::optional<double> item_cpu_share(const series& measured);

/// What items that wait for something else than a CPU have to do with it. Empty where those of the
/// one worker had a CPU for nearly all of their time, or where others, seen or not, or a quota may
/// have kept it from them.
std::string cause_by_waiting(const series& alone, bool quota);

} // namespace regatta::race
