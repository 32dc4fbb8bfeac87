// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The experiment on pinning and owning: one computation, four ways to place its threads.

#include "isolation/isolation_result.hpp"
#include "sampling/race_control.hpp"

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace regatta::race {

/// How to run the experiment.
struct isolation_options {
    /// A program of the user's and its arguments, in which "{workers}" becomes their number; it is
    /// run once a sample in the place of the computation, and `work` means nothing. Empty: none.
    std::vector<std::string> program{};
    noise_plan noise{};
    /// 0: one for each of `cpus`, and one where those are not given. Of a program how many CPUs it
    /// is pinned to.
    unsigned workers = 0;
    /// Those to pin to and to own; at least as many as workers. Empty: chosen.
    cpu_set cpus{};
    bool move_others = false; ///< Other processes may be moved off the CPUs to own these.
    unsigned rounds = 15;
    unsigned warm_up = 1;
    std::chrono::nanoseconds work{std::chrono::milliseconds(200)}; ///< CPU time of each worker.
    std::uint64_t seed = 1;                                        ///< Of the order of the modes.
    std::string noise_program{}; ///< Its `main` begins with `run_as_noise`. Empty: this program.
};

/// Runs the experiment: in each round all modes, in random order, and alone once more as its own
/// control. In each sample noise is started and seen running, the workers compute, the noise is
/// ended and waited for; the result of each worker is held against that of the first run. A program
/// has failed where it does not return 0; what it computes is not looked at.
///
/// Where the CPUs cannot be owned, that mode is unavailable and the others run. A mode that fails
/// is out. After `control.request_stop()` it returns what was measured by then.
///
/// Threads: call it from one that outlives it, as the noise dies with its thread. Failure:
/// `std::invalid_argument` for options that are out of range, for CPUs that may not be used and for
/// more workers than CPUs.
isolation_result run_isolation(const isolation_options& options, race_control& control,
                               const std::function<void(const progress&)>& observer = {});

} // namespace regatta::race
