// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What a ratio is worth: the noise floor, and the verdict against it.

#include "sampling/paired_comparison.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace regatta::race {

/// What may be said of a contender beside its peer.
enum class verdict {
    baseline,  ///< It is the peer.
    faster,    ///< The whole interval lies below the noise floor's band.
    slower,    ///< The whole interval lies above it.
    tie,       ///< Anything else: not to be told apart from noise.
    undecided, ///< Too few rounds to say anything.
};

/// Its value in JSON and CSV: "baseline", "faster", "slower", "tie", "undecided". A table has words
/// of its own.
std::string_view to_string(verdict v) noexcept;

/// Pairs that a verdict needs: with fewer, a 95 % interval of a median does not exist.
inline constexpr std::size_t pairs_for_a_verdict = 6;

/// How far two runs of the very same thing are apart here. It is measured: the baseline runs twice
/// in each round, under two names, and the floor is the end of its interval farthest from 1.
struct noise_floor {
    double distance = 0; ///< As a share: 0.02 means that below 2 % nothing can be told.
    estimate control;    ///< The ratio that it comes from.
};

/// The name of the control of a contender: a second entry that runs the same function.
std::string control_name(std::string_view baseline);
/// Adds that second entry. Throws `std::out_of_range` if there is no such contender.
void add_control(std::vector<contender>& contenders, std::string_view baseline);
/// The floor that a baseline and its control show.
noise_floor floor_between(const series& control, const series& baseline);
/// The floor of a measurement that has the control of `baseline` in it.
noise_floor floor_of(const sampling_result& result, std::string_view baseline);

/// Holds a ratio of times against the floor: it must clear the band [1 / (1 + d), 1 + d] as a
/// whole.
verdict judge(const estimate& ratio, const noise_floor& floor) noexcept;

} // namespace regatta::race
