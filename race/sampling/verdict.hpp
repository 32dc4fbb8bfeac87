// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What a ratio is worth: verdicts against a margin, and the noise floor.

#include "sampling/paired_comparison.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace regatta::race {

/// What may be said of a contender beside its peer.
enum class verdict {
    baseline,  ///< It is the peer.
    faster,    ///< By more than the margin.
    slower,    ///< By more than the margin.
    equal,     ///< They differ by less than the margin.
    unclear,   ///< None of these is shown.
    undecided, ///< Too few rounds to say anything.
};

/// Its value in JSON and CSV: "baseline", "faster", "slower", "equal", "unclear", "undecided". A
/// table has words of its own.
std::string_view to_string(verdict v) noexcept;
/// Whether a difference was shown.
constexpr bool differs(verdict v) noexcept {
    return v == verdict::faster || v == verdict::slower;
}

/// Pairs that a verdict needs: with fewer, a 95 % interval by ranks does not exist.
inline constexpr std::size_t pairs_for_a_verdict = 6;
/// Pairs from which on a difference can be shown, of so many contenders beside one peer: with
/// fewer, even ratios that all lie beyond the margin are not rare enough. At least those for a
/// verdict.
std::size_t pairs_to_differ(std::size_t contenders) noexcept;
/// A difference that is of no interest, as a share: of 1 % unless another one is asked for.
inline constexpr double usual_margin = 0.01;
/// The share of races in which a verdict may be wrong.
inline constexpr double tolerated_error = 0.05;

/// As many rounds more stand for any number from there on.
inline constexpr unsigned most_rounds_told = 1000;

/// A verdict, and what would take its place.
struct judgement {
    verdict word = verdict::undecided;
    /// About so many rounds more would show a difference or none, if the ratio is what it seems: in
    /// 4 of 5 cases. Two figures of it count, and it is `most_rounds_told` at most. 0 where it is
    /// shown already.
    unsigned more_rounds = 0;
};

/// Judges several contenders beside one peer. A difference is shown where the signed-rank test
/// rejects that the ratio lies within [1 / (1 + margin), 1 + margin], at a level by which in 95 of
/// 100 races none is called that is not there, however many contenders there are (Holm's method).
/// Equality is shown where both one-sided tests at 5 % put the ratio inside the margin.
/// Source: S. Holm, "A simple sequentially rejective multiple test procedure", 1979;
/// D. Schuirmann, "A comparison of the two one-sided tests procedure", 1987.
/// @param margin as a share, from 0 on.
std::vector<judgement> judge(const std::vector<paired_comparison>& all, double margin);
/// The same of one.
judgement judge(const paired_comparison& one, double margin);
/// By an interval of 95 %: what lies wholly beyond the margin or wholly inside it.
verdict judge(const estimate& ratio, double margin) noexcept;

/// How far two runs of the very same thing are apart here: the baseline runs twice in each round,
/// under two names. It says how healthy the machine is; verdicts do not rest on it.
struct noise_floor {
    double distance = 0; ///< The end of the control's interval farthest from 1, as a share.
    estimate control;    ///< The ratio that it comes from.

    /// Whether there are enough rounds to tell.
    bool known() const noexcept { return control.count >= pairs_for_a_verdict; }
};

/// The name of the control of a contender: a second entry that runs the same function.
std::string control_name(std::string_view baseline);
/// Adds that second entry. Throws `std::out_of_range` if there is no such contender.
void add_control(std::vector<contender>& contenders, std::string_view baseline);
/// The floor that a baseline and its control show.
noise_floor floor_between(const series& control, const series& baseline);
/// The floor of a measurement that has the control of `baseline` in it.
noise_floor floor_of(const sampling_result& result, std::string_view baseline);

} // namespace regatta::race
