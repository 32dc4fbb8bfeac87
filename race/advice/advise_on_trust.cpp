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

/// "mine failed in race.json: a reason": one that failed, without its number of workers.
struct failed_one {
    std::string text;
    figure workers;
};

/// Up to three by their reason, and how many others there are.
void say_failures(const advising& with, const std::vector<failed_one>& failed) {
    constexpr std::size_t most_named = 3;
    for (std::size_t i = 0; i < std::min(most_named, failed.size()); ++i) {
        const std::string_view end = failed[i].text.ends_with('.') ? "" : ".";
        with.say(topic::trust,
                 fmt::format("With {} {}{}",
                             counted(static_cast<std::size_t>(failed[i].workers.value), "worker"),
                             failed[i].text, end),
                 {{"workers", failed[i].workers}});
    }
    if (failed.size() > most_named) {
        with.say(
            topic::trust,
            fmt::format("With {} {} failed.",
                        counted(static_cast<std::size_t>(failed.back().workers.value), "worker"),
                        counted(failed.size() - most_named, "other")),
            {{"workers", failed.back().workers}});
    }
}

void say_failures(const advising& with, const race_evidence& race) {
    std::vector<failed_one> failed;
    const figure workers{static_cast<double>(race.workers), race.file, "workers"};
    for (const scheme_evidence& one : race.schemes) {
        if (one.failure) {
            failed.push_back(
                {fmt::format("{} failed in {}: {}", one.name, race.file, *one.failure), workers});
        }
    }
    say_failures(with, failed);
}

void say_failures(const advising& with, const scale_evidence& scale) {
    std::vector<failed_one> failed;
    for (std::size_t i = 0; i < scale.points.size(); ++i) {
        const point_evidence& one = scale.points[i];
        if (one.failure) {
            failed.push_back(
                {fmt::format("{} failed in {}: {}", scale.scheme, scale.file, *one.failure),
                 {static_cast<double>(one.workers), scale.file,
                  fmt::format("points[{}].workers", i)}});
        }
    }
    say_failures(with, failed);
}

} // namespace

void advise_on_trust(const advising& with) {
    const evidence& all = with.all;
    if (all.race) {
        judge_result(with, *all.race);
        say_failures(with, *all.race);
    }
    for (const auto* scale : {&all.scale, &all.bandwidth}) {
        if (*scale) {
            judge_result(with, **scale, (*scale)->warned("disturbed", 0));
            repeat_warnings(with, **scale);
            say_failures(with, **scale);
        }
    }
    if (all.isolation) {
        judge_result(with, *all.isolation);
    }
}

} // namespace regatta::race
