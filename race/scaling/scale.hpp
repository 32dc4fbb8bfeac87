// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// How far a workload scales: one scheme with several numbers of workers.

#include "sampling/race_control.hpp"
#include "scaling/scale_result.hpp"
#include "schemes/scheme.hpp"

#include <chrono>
#include <functional>
#include <optional>
#include <vector>

namespace regatta::race {

/// How to measure.
struct scale_options {
    workload_options work{};
    scheme_options scheme{};       ///< Its `workers` is not read.
    std::vector<unsigned> workers; ///< Empty: `usual_worker_counts`. One is always added.
    unsigned rounds = 15;          ///< 0: until `time` is up.
    std::chrono::nanoseconds time{0};
    unsigned warm_up = 1;         ///< Rounds that do not count; at least one.
    std::uint64_t seed = 1;       ///< Of the order of the runs.
    double margin = usual_margin; ///< A difference that is of no interest, as a share.
    unsigned tries_again = 2;     ///< See `sampling_options`.
    /// Shorter runs are repeated until a sample has about that; 0: none is.
    std::chrono::nanoseconds shortest_sample = usual_shortest_sample;
    std::optional<double> rate; ///< Items a second that are offered; absent: as fast as they go.
};

/// 1, 2, 4 … up to the CPUs, the CPUs themselves, and twice as many.
std::vector<unsigned> usual_worker_counts(unsigned cpus);

/// What runs it where the user names no scheme: the first in the list that can, with as many
/// workers as it is given and without a library, so that it is the same on every machine. That is
/// std_thread but for items that fork or hand over others.
///
/// Failure: `std::system_error` where the memory of a small one cannot be had.
const scheme_info& usual_scheme(const workload_info& workload);

/// Measures: in each round every number of workers runs once, in random order, and one worker once
/// more as its own control; before the first round and after the last one worker runs again, so
/// that a drift shows. Each run is verified.
///
/// Threads: the calling thread drives everything. Failure: `std::invalid_argument` for options out
/// of range; `scheme_failure` where one worker cannot run (one that fails in a later round
/// keeps what was measured); `std::system_error` where the workload's
/// memory cannot be had. After `control.request_stop()` it returns what was measured by then.
scale_result run_scale(const workload_info& workload, const scheme_info& scheme,
                       const scale_options& options, race_control& control,
                       const std::function<void(const progress&)>& observer = {});

} // namespace regatta::race
