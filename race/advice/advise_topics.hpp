// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The topics of the advice, one function each; they are called in this order and add to it.

#include "advice/advice.hpp"

namespace regatta::race {

/// What one topic works with.
struct advising {
    const evidence& all;
    const text_style& style;
    advice& to;

    void say(topic about, std::string text, std::vector<cited_figure> figures) const;
    void leave_open(topic about, std::string text, std::string measure) const;
    /// "1.94…1.98": as `factor_text` writes both.
    std::string range(const figure_interval& interval) const;
    /// "the 2 results given say nothing certain of it".
    std::string nothing_is_said() const;
    /// "regatta race matmul --size 512 --rounds 15 --json race.json".
    std::string command(const std::string& verb, const std::vector<std::string>& further) const;
};

void advise_on_trust(const advising& with);
void advise_on_scheme(const advising& with);
void advise_on_workers(const advising& with);
void advise_on_limit(const advising& with);
void advise_on_processes(const advising& with);
void advise_on_pinning(const advising& with);

/// "1.96": how many times as much; two decimals.
std::string factor_text(double factor);
/// Whether one took less time than the other beyond any doubt, by ratios of times to the same: the
/// intervals are apart, by more than the noise floor.
bool is_below(const figure_interval& one, const figure_interval& other, double floor) noexcept;
/// Whether somebody else used the CPUs too often for the figures to be relied upon.
bool is_disturbed(const result_evidence& result) noexcept;
/// The speed-ups that can be relied upon, rising by workers: enough rounds, none above the number
/// of workers unless the items wait, nothing disturbed.
std::vector<const point_evidence*> sound_points(const scale_evidence& scale);

} // namespace regatta::race
