// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The same race in several processes, one after another.

#include "sampling/statistics.hpp"
#include "sampling/verdict.hpp"
#include "text/json.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace regatta::race {

/// A scheme over all launches.
struct launched_scheme {
    std::string name;
    estimate time;  ///< The median of the launches' medians; nanoseconds.
    estimate ratio; ///< To the baseline; its interval is over the launches.
    /// The lowest and the highest ratio of a launch.
    double lowest = 0;
    double highest = 0;
    verdict word = verdict::undecided;
    unsigned more_launches = 0; ///< See `judgement`.
};

/// A scheme without figures.
struct unmeasured_scheme {
    std::string name;
    std::string reason; ///< Of the first launch that gives one.
};

/// What several launches found out together.
struct launches_result {
    unsigned planned = 0;
    bool stopped = false; ///< Cut short.
    std::string baseline; ///< Empty: nobody could run.
    double margin = usual_margin;
    std::vector<json> races;                ///< The document of each, in their order.
    std::vector<launched_scheme> schemes;   ///< That ran in every launch that counts.
    std::vector<std::string> leaders;       ///< As of a race, by the launches' ratios.
    std::vector<unmeasured_scheme> missing; ///< Schemes that failed in a launch.
    std::vector<std::string> notes;         ///< Launches that do not count though they ran.
    std::vector<unmeasured_scheme> skipped; ///< Schemes that cannot run here.
};

/// Puts the documents of races together. A launch counts as one value: what a process draws once,
/// such as addresses and pages, is alike in all its rounds. One that was stopped before its first
/// round was complete does not count, nor does one in which the baseline failed: its ratios are to
/// another scheme.
/// Failure: `std::invalid_argument` where the documents are not those of the same race.
/// @param seed of the resampling behind the leaders.
launches_result sum_up_launches(std::vector<json> races, unsigned planned, std::uint64_t seed);

} // namespace regatta::race
