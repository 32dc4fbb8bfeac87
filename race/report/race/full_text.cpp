// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "report/race/full_text.hpp"
#include "report/info/info_text.hpp"
#include "report/race/latency_table.hpp"
#include "report/race/program_words.hpp"
#include "report/race/python_words.hpp"
#include "report/race/table.hpp"
#include "report/race/words.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace regatta::race {
namespace {

std::string title(const race_result& result, const provenance& from, const text_style& style) {
    const std::string_view dot = style.unicode ? " · " : ", ";
    std::string text = result.workload;
    if (text.empty()) {
        text = counted(result.schemes.size(), "program");
    }
    for (const auto& [name, value] : result.settings) {
        text += fmt::format(" {} {}", name, value);
    }
    if (!result.workload.empty()) {
        text += fmt::format("{}{}", dot, counted(result.items, "item"));
    }
    text += fmt::format("{}{} on {}", dot, counted(result.how.workers, "worker"),
                        counted(result.cpus, "CPU"));
    if (!from.machine.cpu_model.empty()) {
        text += fmt::format(" ({})", from.machine.cpu_model);
    }
    text += fmt::format("{}{} after {} of warm-up", dot, counted(result.rounds, "round"),
                        result.warm_up);
    if (result.reuse) {
        text += fmt::format("{}pools after their first job", dot);
    }
    if (result.rate) {
        text += fmt::format("{}{} items/s offered", dot, amount_text(*result.rate));
    }
    return text;
}

/// Why schemes were skipped, in the order of the first of each reason, and their names.
std::vector<std::pair<std::string, std::string>> skipped_by_reason(const race_result& result) {
    std::vector<std::pair<std::string, std::string>> all;
    for (const scheme_result& one : result.schemes) {
        if (one.status != scheme_status::skipped) {
            continue;
        }
        const auto same =
            std::ranges::find(all, one.reason, [](const auto& of) { return of.first; });
        if (same == all.end()) {
            all.emplace_back(one.reason, one.name);
        } else {
            same->second += ", " + one.name;
        }
    }
    return all;
}

/// How many samples were dropped, and whose.
std::string dropped(const race_result& result) {
    std::size_t all = 0;
    std::size_t bad = 0;
    std::string who;
    const auto count = [&](std::string_view name, const series& measured) {
        all += measured.samples.size();
        bad += measured.dropped();
        if (measured.dropped() != 0) {
            who += fmt::format("{}{} {}", who.empty() ? "" : ", ", name, measured.dropped());
        }
    };
    for (const scheme_result& one : result.schemes) {
        count(one.name, one.measured);
    }
    count("control", result.control);
    if (bad == 0) {
        return {};
    }
    return fmt::format("Dropped {} of {}, because other processes used the CPUs meanwhile: {}.",
                       bad, counted(all, "sample"), who);
}

/// The least number of rounds that a scheme without a difference lacks.
std::optional<unsigned> least_lacking(const race_result& result) {
    std::optional<unsigned> least;
    for (const scheme_result& one : result.schemes) {
        if (one.word == verdict::unclear) {
            least = std::min(least.value_or(one.more_rounds), one.more_rounds);
        }
    }
    return least;
}

/// The schemes that are compared with the baseline.
std::vector<const scheme_result*> compared(const race_result& result) {
    std::vector<const scheme_result*> found;
    for (const scheme_result& one : result.schemes) {
        if (one.name != result.baseline && one.has_ratio() &&
            one.vs_baseline.count >= pairs_for_a_verdict) {
            found.push_back(&one);
        }
    }
    return found;
}

/// See `lacking_words`.
std::string lacking_rounds(const race_result& result) {
    std::size_t most = 0;
    const auto all = compared(result);
    for (const scheme_result* one : all) {
        most = std::max<std::size_t>(most, one->vs_baseline.count);
    }
    return lacking_words(most, all.size(), least_lacking(result), "round", "rounds");
}

std::string floor_words(const race_result& result, const text_style& style) {
    if (std::ranges::none_of(result.schemes, &scheme_result::has_ratio)) {
        return fmt::format("{}No ratios: {}, the baseline, {}.",
                           result.rate ? "Latency: from when an item was due to its begin. " : "",
                           result.baseline,
                           result.baseline_failed() ? "failed" : "was not measured");
    }
    const std::string ratios =
        fmt::format("{}Ratios are {} of {} = 1; verdicts are about differences of {} and more. ",
                    result.rate ? "Latency: from when an item was due to its begin. " : "",
                    result.judges_longest() ? "longest latencies"
                    : result.rate           ? "the runs' own 99th percentiles"
                                            : "times",
                    result.baseline, margin_text(result.margin));
    if (!result.floor.known()) {
        return ratios + "Noise floor: unknown, too few clean rounds.";
    }
    const std::string floor =
        fmt::format("Noise floor {}{}: {} against itself.", style.unicode ? "±" : "+-",
                    percent_text(result.floor.distance), result.baseline);
    // Programs are begun anew for each run.
    const bool one_launch =
        std::ranges::any_of(result.schemes, [](const scheme_result& one) { return !one.program; });
    return ratios + floor +
           (one_launch
                ? fmt::format(" One launch: differences by addresses, pages and layout go "
                              "unseen; --launches {} shows them.",
                              std::max<std::size_t>(10, pairs_to_differ(compared(result).size())))
                : "");
}

} // namespace

std::string to_text(const race_result& result, const provenance& from, const text_style& style) {
    std::string out = heading(title(result, from, style), style);
    const auto say = [&](const std::string& text, std::string_view colour = {}) {
        out += paragraph(text, style, colour);
    };
    if (result.oversubscribed()) {
        say(fmt::format("Oversubscribed: {} workers share {}.", result.how.workers,
                        counted(result.cpus, "CPU")),
            "33");
    }
    out += short_warnings(from.machine, style);
    for (const std::string& note : result.notes) {
        say("NOTE: " + note + ".", "1;33");
    }
    const std::string table =
        result.rate ? latency_table_text(result, style) : table_text(result, style);
    if (!table.empty()) {
        out += '\n' + table;
        say(floor_words(result, style));
        say(lacking_rounds(result));
    }
    say(dropped(result));
    for (const scheme_result& one : result.schemes) {
        if (one.status == scheme_status::failed) {
            say(fmt::format("{} {}: {}", one.wrong_result ? "DISQUALIFIED" : "FAILED", one.name,
                            one.reason),
                "1;31");
        }
    }
    for (const auto& [reason, names] : skipped_by_reason(result)) {
        say(fmt::format("skipped {}: {}", names, reason));
    }
    if (result.stopped) {
        say(fmt::format("Cut short after {}: this is what was measured by then.",
                        counted(result.rounds, "round")),
            "1;33");
    }
    out += '\n';
    say(outcome_words(result, style), "1");
    const bool schemes = std::ranges::any_of(
        result.schemes, [](const scheme_result& one) { return !one.program.has_value(); });
    if (schemes && !result.rate) { // the workers' time says nothing of a latency
        say(reason_words(result));
    }
    say(set_up_words(result, style));
    say(death_words(result, style));
    say(program_words(result, style));
    for (const std::string& text : python_words(result, style)) {
        say(text);
    }
    if (schemes) {
        say(choice_words(result));
    }
    return out;
}

} // namespace regatta::race
