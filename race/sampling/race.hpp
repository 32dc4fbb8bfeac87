// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The race itself: schemes against each other over one workload.

#include "sampling/race_control.hpp"
#include "sampling/race_result.hpp"
#include "schemes/scheme.hpp"

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace regatta::race {

/// Someone who takes part.
struct entrant {
    std::string name; ///< In this race; the scheme's, or an alias, so that one can run twice.
    const scheme_info* scheme = nullptr;
    bool named = false; ///< See `scheme_result::named`.
};

/// Time that a race may take for more rounds than it has to have, unless the user says how many.
inline constexpr std::chrono::seconds usual_fill{20};

/// How to race.
struct race_options {
    workload_options work{};
    scheme_options scheme{};
    unsigned rounds = 15;             ///< 0: until `time` is up.
    std::chrono::nanoseconds time{0}; ///< 0: no limit.
    std::chrono::nanoseconds fill{0}; ///< More rounds that end within this; see `sampling_options`.
    unsigned warm_up = 1;             ///< Rounds that do not count; at least one.
    std::uint64_t seed = 1;           ///< Of the order of the runs.
    double margin = usual_margin;     ///< A difference that is of no interest, as a share; 0…1.
    unsigned tries_again = 2;         ///< See `sampling_options`.
    /// Shorter runs are repeated until a sample has about that; 0: none is.
    std::chrono::nanoseconds shortest_sample = usual_shortest_sample;
    /// Pools are measured after their first job, others as usual.
    bool reuse = false;
    /// Items that are offered a second to those schemes that take single tasks: the race is then
    /// about the latency of the items. Absent: as fast as they go, and about the time.
    std::optional<double> rate{};
    std::string baseline{}; ///< An entrant's name. Empty: that of `usual_baseline`, or the first.
};

/// Races.
///
/// Each run is verified. A scheme whose library is absent is skipped; one that throws or whose
/// result is wrong has failed; the others go on. After `control.request_stop()` it returns what was
/// measured by then.
///
/// Threads: the calling thread drives everything. Failure: `std::invalid_argument` for options out
/// of range, for entrants of the same name and for a baseline that is none of them;
/// `std::system_error` where the workload's memory cannot be had.
race_result run_race(const workload_info& workload, const std::vector<entrant>& entrants,
                     const race_options& options, race_control& control,
                     const std::function<void(const progress&)>& observer = {});

} // namespace regatta::race
