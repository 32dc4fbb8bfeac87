// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "advice/advise_topics.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace regatta::race {
namespace {

/// @param told that it was disturbed is among its own warnings.
void judge_result(const advising& with, const result_evidence& result, bool told = false) {
    if (is_disturbed(result) && !told) {
        with.say(topic::trust,
                 fmt::format("During {} of the samples of {} other processes used the CPUs: quiet "
                             "the machine and measure again before relying on it.",
                             percent_text(result.contaminated_share.value), result.file),
                 {{"contaminated share", result.contaminated_share}});
    }
    if (result.stopped) {
        const auto rounds = static_cast<double>(result.rounds);
        with.say(
            topic::trust,
            fmt::format("{} was cut short after {}.", result.file, counted(result.rounds, "round")),
            {{"rounds", {rounds, result.file, "rounds"}}});
    }
}

/// The figures that a warning is about.
std::vector<cited_figure> figures_of(const scale_evidence& scale, const warning_evidence& warning,
                                     std::size_t index) {
    const point_evidence* point = scale.find(warning.workers);
    if (warning.kind == "disturbed") {
        return {{"contaminated share", scale.contaminated_share},
                {"share of other processes", scale.foreign_share},
                {"share of the hypervisor", scale.stolen_share}};
    }
    if (warning.kind == "baseline_drifted" && scale.baseline_drift) {
        return {{"one worker at the end over the begin", scale.baseline_drift->median}};
    }
    if (warning.kind == "clock_changed" && point != nullptr && point->clock_hz) {
        return {{fmt::format("clock with {}", point->workers), *point->clock_hz}};
    }
    if (point != nullptr && point->speedup) {
        return {{fmt::format("speed-up with {}", point->workers), point->speedup->median}};
    }
    const auto workers = static_cast<double>(warning.workers);
    return {{"workers", {workers, scale.file, fmt::format("warnings[{}].workers", index)}}};
}

void repeat_warnings(const advising& with, const scale_evidence& scale) {
    constexpr std::array<std::string_view, 5> told{"super_linear", "clock_changed",
                                                   "baseline_drifted", "disturbed", "late"};
    for (std::size_t i = 0; i < scale.warnings.size(); ++i) {
        const warning_evidence& one = scale.warnings[i];
        const bool has_figure = one.text.find_first_of("0123456789") != std::string::npos;
        if (has_figure && std::ranges::find(told, one.kind) != told.end()) {
            const std::string_view end = one.text.ends_with('.') ? "" : ".";
            with.say(
                topic::trust,
                fmt::format("{} warns: {}{}", scale.file, with_dots(one.text, with.style), end),
                figures_of(scale, one, i));
        }
    }
}

} // namespace

void advise_on_trust(const advising& with) {
    const evidence& all = with.all;
    if (all.race) {
        judge_result(with, *all.race);
    }
    for (const auto* scale : {&all.scale, &all.bandwidth}) {
        if (*scale) {
            judge_result(with, **scale, (*scale)->warned("disturbed", 0));
            repeat_warnings(with, **scale);
        }
    }
    if (all.isolation) {
        judge_result(with, *all.isolation);
    }
}

} // namespace regatta::race
