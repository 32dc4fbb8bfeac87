// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "isolation/isolation_evaluation.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

namespace regatta::race {
namespace {

using figure = std::function<double(const team_figures&)>;

/// Without a verdict, a slowdown below this is not worth a cause.
constexpr double small_slowdown = 0.05;
/// A part of the difference that is smaller than this is not its cause.
constexpr double minor_part = 1.0 / 3;

/// The mode's series with a figure of each run in the place of the wall time.
series series_of(const mode_result& mode, const figure& value) {
    series other = mode.measured;
    for (std::size_t i = 0; i < other.samples.size(); ++i) {
        other.samples[i].ns = value(mode.runs[i]);
    }
    return other;
}

estimate median_of(const mode_result& mode, const figure& value) {
    return series_of(mode, value).time();
}

/// Nothing where a run does not have the figure.
std::optional<estimate> median_where_known(const mode_result& mode,
                                           std::optional<double> team_figures::*value) {
    const bool known = std::ranges::all_of(
        mode.runs, [&](const team_figures& r) { return (r.*value).has_value(); });
    return known
               ? std::optional(median_of(mode, [&](const team_figures& r) { return *(r.*value); }))
               : std::nullopt;
}

/// The centre of the differences within the rounds in which both have a usable sample; where there
/// is none, of all rounds, with a count of 0.
estimate paired_difference(const series& subject, const series& peer) {
    const auto differences = [](const std::vector<sample>& a, const std::vector<sample>& b) {
        std::vector<double> all;
        auto other = b.begin();
        for (const sample& one : a) {
            while (other != b.end() && other->round < one.round) {
                ++other;
            }
            if (other != b.end() && other->round == one.round) {
                all.push_back(one.ns - other->ns);
            }
        }
        return all;
    };
    const auto clean = differences(subject.usable(), peer.usable());
    if (!clean.empty() && !subject.disturbed() && !peer.disturbed()) {
        return signed_ranks(clean).interval();
    }
    estimate rough = signed_ranks(differences(subject.samples, peer.samples)).interval();
    rough.count = 0;
    return rough;
}

cause cause_in(const mode_result& mode) {
    const bool small = std::abs(mode.slowdown.median - 1) < small_slowdown;
    const bool slower = mode.word == verdict::slower || (mode.word == verdict::undecided && !small);
    return slower && mode.slowdown.median > 1 ? cause_of(mode.displaced.median, mode.slower.median)
                                              : cause::none;
}

/// CPUs that others used during each sample.
estimate others_in(const mode_result& mode) {
    series used = mode.measured;
    for (sample& one : used.samples) {
        one.ns = one.ns > 0 ? static_cast<double>(one.load.others_ns) / one.ns : 0;
    }
    return used.time();
}

void describe(mode_result& mode) {
    mode.others = others_in(mode);
    mode.wall = mode.measured.time();
    mode.cpu_share = median_of(mode, &team_figures::cpu_share);
    mode.involuntary_switches = median_of(mode, &team_figures::involuntary_switches);
    mode.voluntary_switches = median_of(mode, &team_figures::voluntary_switches);
    mode.user = median_of(mode, &team_figures::user_ns);
    mode.system = median_of(mode, &team_figures::system_ns);
    mode.migrations = median_where_known(mode, &team_figures::migrations);
    mode.run_delay = median_where_known(mode, &team_figures::run_delay_ns);
}

/// All modes beside alone at once, since their number is part of the verdict.
void judge_all(isolation_result& result) {
    mode_result& alone = result.of(isolation_mode::alone);
    alone.slowdown = paired_ratio(alone.measured, alone.measured);
    alone.word = verdict::baseline;
    std::vector<mode_result*> judged;
    std::vector<paired_comparison> beside;
    for (mode_result& mode : result.modes) {
        if (mode.ran() && &mode != &alone) {
            judged.push_back(&mode);
            beside.emplace_back(mode.measured, alone.measured, result.control);
            mode.slowdown = beside.back().ratio();
        }
    }
    if (!result.floor.known()) {
        return;
    }
    const std::vector<judgement> words = judge(beside, usual_margin);
    for (std::size_t i = 0; i < judged.size(); ++i) {
        judged[i]->word = words[i].word;
    }
}

void compare(mode_result& mode, const mode_result& alone, const isolation_result& result) {
    const auto workers = static_cast<double>(std::max(1U, result.workers));
    const figure cost = [&](const team_figures& r) { return r.cpu_ns / workers; };
    const figure gap = [&](const team_figures& r) { return r.displaced_ns() / workers; };
    const series alone_cost = series_of(alone, cost);
    mode.work_cost = paired_ratio(series_of(mode, cost), alone_cost);
    mode.slower = paired_difference(series_of(mode, cost), alone_cost);
    mode.displaced = paired_difference(series_of(mode, gap), series_of(alone, gap));
    mode.why = cause_in(mode);
}

/// That the real load was not alike in all modes, so that the mode is not all that differs.
void note_unlike_load(isolation_result& result) {
    constexpr double alike = 1.2;
    constexpr double negligible = 0.05; // of a CPU
    const mode_result* least = nullptr;
    const mode_result* most = nullptr;
    for (const mode_result& mode : result.modes) {
        if (mode.ran()) {
            least = least == nullptr || mode.others.median < least->others.median ? &mode : least;
            most = most == nullptr || mode.others.median > most->others.median ? &mode : most;
        }
    }
    if (most != nullptr && most->others.median > negligible &&
        most->others.median > alike * least->others.median) {
        const auto used = [](const mode_result& mode) {
            char text[64];
            std::snprintf(text, sizeof text, "%.2f", mode.others.median);
            return std::string(text) + " CPUs during " + std::string(to_string(mode.mode));
        };
        result.notes.push_back("the load was not the same: others used " + used(*most) + " and " +
                               used(*least) +
                               ", which differ by more than 20 %, so that not only the mode sets "
                               "them apart");
    }
}

/// That a program had fewer CPUs where it was pinned or owned them than it can use.
void note_few_cpus(isolation_result& result) {
    constexpr double tolerance = 1.1;
    const mode_result& alone = result.of(isolation_mode::alone);
    if (result.program.empty() || !alone.ran()) {
        return;
    }
    const double used = median_of(alone, [](const team_figures& r) {
                            return r.wall_ns > 0 ? r.cpu_ns / r.wall_ns : 0;
                        }).median;
    if (used > tolerance * result.workers) {
        char cpus[64];
        std::snprintf(cpus, sizeof cpus, "%.2f", used);
        result.notes.push_back("the program used " + std::string(cpus) + " CPUs alone, and has " +
                               std::to_string(result.workers) +
                               " where it is pinned or owns them: that slows it down, too; "
                               "--workers gives it more");
    }
}

void note_disturbances(isolation_result& result) {
    for (const mode_result& mode : result.modes) {
        if (mode.ran() && mode.measured.disturbed()) {
            result.notes.push_back("every sample of " + std::string(to_string(mode.mode)) +
                                   " was disturbed by other processes; they are used nevertheless");
        }
    }
}

} // namespace

std::string_view to_string(isolation_mode mode) noexcept {
    switch (mode) {
    case isolation_mode::alone:
        return "alone";
    case isolation_mode::unpinned:
        return "unpinned";
    case isolation_mode::pinned:
        return "pinned";
    case isolation_mode::exclusive:
        break;
    }
    return "exclusive";
}

std::string_view to_string(mode_status status) noexcept {
    switch (status) {
    case mode_status::ok:
        return "ok";
    case mode_status::unavailable:
        return "unavailable";
    case mode_status::failed:
        break;
    }
    return "failed";
}

std::string_view to_string(cause why) noexcept {
    switch (why) {
    case cause::none:
        return "none";
    case cause::displaced:
        return "displaced";
    case cause::slower:
        return "slower";
    case cause::both:
        break;
    }
    return "both";
}

cause cause_of(double displaced_ns, double slower_ns) noexcept {
    const double displaced = std::max(0.0, displaced_ns);
    const double slower = std::max(0.0, slower_ns);
    if (displaced + slower <= 0) {
        return cause::none;
    }
    const double part = displaced / (displaced + slower);
    return part < minor_part       ? cause::slower
           : part > 1 - minor_part ? cause::displaced
                                   : cause::both;
}

void evaluate_isolation(isolation_result& result) {
    const mode_result& alone = result.of(isolation_mode::alone);
    std::size_t samples = result.control.samples.size();
    std::size_t bad = result.control.contaminated();
    result.floor = floor_between(result.control, alone.measured);
    for (mode_result& mode : result.modes) {
        samples += mode.measured.samples.size();
        bad += mode.measured.contaminated();
        if (mode.ran()) {
            describe(mode);
        }
    }
    result.contaminated =
        samples == 0 ? 0 : static_cast<double>(bad) / static_cast<double>(samples);
    if (alone.ran()) {
        judge_all(result);
        for (mode_result& mode : result.modes) {
            if (mode.ran()) {
                compare(mode, alone, result);
            }
        }
    }
    if (result.compares_owning()) {
        const paired_comparison beside(result.of(isolation_mode::exclusive).measured,
                                       result.of(isolation_mode::pinned).measured);
        result.owning = beside.ratio();
        result.owning_word = judge(beside, usual_margin).word;
    }
    note_disturbances(result);
    note_few_cpus(result);
    if (!result.noise.made()) {
        note_unlike_load(result);
    }
}

} // namespace regatta::race
