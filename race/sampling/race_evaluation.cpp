// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "sampling/race_evaluation.hpp"

#include "sampling/offered_rate.hpp"
#include "sampling/possible_best.hpp"
#include "sampling/scheme_run.hpp"
#include "sampling/super_linear.hpp"

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

namespace regatta::race {
namespace {

/// The details of the samples that count.
std::vector<run_details> details_of(const series& measured) {
    std::vector<run_details> all;
    for (sample& one : measured.usable()) {
        if (one.details) {
            all.push_back(std::move(*one.details));
        }
    }
    return all;
}

std::vector<time_split> splits_of(const std::vector<run_details>& runs) {
    std::vector<time_split> splits;
    for (const run_details& one : runs) {
        splits.push_back(one.split);
    }
    return splits;
}

/// What a program took, if that is what the entrant is.
void sum_up_usages(scheme_result& one, const std::vector<run_details>& runs) {
    if (!one.program) {
        return;
    }
    std::vector<double> cpu;
    for (const run_details& run : runs) {
        if (run.usage) {
            cpu.push_back(static_cast<double>(run.usage->cpu_ns));
        }
    }
    for (const auto* all : {&one.measured.samples, &one.measured.first_tries}) {
        for (const sample& each : *all) { // Load of others makes no memory.
            if (each.details && each.details->usage) {
                one.program->peak_bytes =
                    std::max(one.program->peak_bytes.value_or(0), each.details->usage->peak_bytes);
            }
        }
    }
    if (!cpu.empty()) {
        one.program->cpu_ns = median(std::move(cpu));
    }
}

/// What a scheme measured of its runs: of each figure the median of those that have it.
void sum_up_figures(scheme_result& one, const std::vector<run_details>& runs) {
    std::vector<std::pair<std::string_view, std::vector<double>>> all;
    for (const run_details& run : runs) {
        for (const run_figure& each : run.figures) {
            auto found =
                std::ranges::find(all, each.name, [](const auto& named) { return named.first; });
            if (found == all.end()) {
                found = all.emplace(found, each.name, std::vector<double>());
            }
            found->second.push_back(each.value);
        }
    }
    for (auto& [name, values] : all) {
        one.figures.push_back({name, median(std::move(values))});
    }
}

const scheme_result* find_serial(const race_result& result) {
    const auto found = std::ranges::find_if(result.schemes, [](const scheme_result& one) {
        return one.traits.reference && one.ok() && !one.measured.samples.empty();
    });
    return found == result.schemes.end() ? nullptr : &*found;
}

/// What the baseline is beside itself.
estimate itself(const series& baseline) {
    return {1, 1, 1, baseline.disturbed() ? 0 : baseline.usable().size()};
}

void compare(race_result& result) {
    const scheme_result* base = result.find(result.baseline);
    const scheme_result* serial = find_serial(result);
    for (scheme_result& one : result.schemes) {
        if (one.measured.samples.empty()) {
            continue;
        }
        one.verified = one.ok() && !one.program;
        one.time = one.measured.time();
        if (serial != nullptr) {
            const estimate speedup = paired_ratio(serial->measured, one.measured);
            one.speedup = speedup.median > 0 ? std::optional(speedup) : std::nullopt;
        }
        if (&one == base) {
            one.vs_baseline = itself(one.measured);
            one.vs_baseline_undropped = itself(one.measured.undropped());
            one.word = verdict::baseline;
        }
    }
}

/// Whether the baseline failed before there were enough rounds. Its control, the same scheme, may
/// have gone on, and counts for nothing.
bool lacks_baseline(const race_result& result) {
    return result.baseline_failed() && !result.floor.known();
}

/// All at once, since their number is part of the verdict.
void judge_all(race_result& result) {
    const scheme_result* base = result.find(result.baseline);
    std::vector<scheme_result*> judged;
    std::vector<paired_comparison> beside;
    for (scheme_result& one : result.schemes) {
        if (&one != base && one.ok() && !one.measured.samples.empty()) {
            judged.push_back(&one);
            beside.emplace_back(one.measured, base->measured, result.control);
            one.vs_baseline = beside.back().ratio();
            one.vs_baseline_undropped =
                paired_comparison(one.measured.undropped(), base->measured.undropped(),
                                  result.control.undropped())
                    .ratio();
        }
    }
    if (lacks_baseline(result)) {
        return;
    }
    const std::vector<judgement> words = judge(beside, result.margin);
    for (std::size_t i = 0; i < judged.size(); ++i) {
        judged[i]->word = words[i].word;
        judged[i]->more_rounds = words[i].more_rounds;
    }
}

/// Those that may be the fastest of the schemes that take part. One with too few clean rounds for a
/// verdict does not.
template<class TakesPart>
std::vector<std::string> leaders_among(const race_result& result, TakesPart takes_part) {
    std::vector<const scheme_result*> field;
    if (lacks_baseline(result)) {
        return {};
    }
    for (const scheme_result& one : result.schemes) {
        if (one.ok() && one.vs_baseline.count >= pairs_for_a_verdict && takes_part(one)) {
            field.push_back(&one);
        }
    }
    std::ranges::stable_sort(field, {},
                             [](const scheme_result* s) { return s->vs_baseline.median; });
    std::vector<const series*> times;
    for (const scheme_result* one : field) {
        times.push_back(&one->measured);
    }
    std::vector<std::string> leaders;
    for (const std::size_t place : possible_best(times, result.margin, result.order_seed)) {
        leaders.push_back(field[place]->name);
    }
    return leaders;
}

std::string percent(double share) {
    char text[64];
    std::snprintf(text, sizeof text, "%.*f %%", share < 0.00995 ? 1 : 0, share * 100);
    return text;
}

/// That the baseline failed after it was chosen, as it ran in the warm-up.
void note_failed_baseline(race_result& result) {
    if (result.baseline_failed()) {
        result.notes.push_back("the baseline " + result.baseline +
                               " failed after its first runs: " +
                               (std::ranges::any_of(result.schemes, &scheme_result::has_ratio)
                                    ? "ratios are to its runs before that"
                                    : "nothing is compared with it"));
    }
}

/// That the baseline and its control differ although they are the same.
void note_unsteadiness(race_result& result) {
    const paired_comparison with_itself(result.control, result.find(result.baseline)->measured);
    if (differs(judge(with_itself, result.margin).word)) {
        result.notes.push_back(result.baseline + " differs from itself by up to " +
                               percent(result.floor.distance) +
                               ", which is more than chance: the machine is not steady, so trust "
                               "no difference of that size");
    }
}

/// That a scheme did not keep up with the rate.
void note_lag(race_result& result, const scheme_result& one, const std::vector<run_details>& runs) {
    std::vector<double> walls;
    for (const run_details& run : runs) {
        walls.push_back(run.split.wall_ns);
    }
    const double wall = median(std::move(walls));
    if (wall > 0 && fell_behind(*result.rate, result.items, wall, one.latency_to_end)) {
        const double took = static_cast<double>(result.items) / wall * 1e9;
        result.notes.push_back(one.name + " took " + rate_words(took) + " of the " +
                               rate_words(*result.rate) +
                               " items a second that were offered: its latencies are those of a "
                               "queue that grows as long as the run goes on");
    }
}

/// That a run has too few items for the percentile that is judged.
void note_few_items(race_result& result) {
    if (result.judges_longest()) {
        result.notes.push_back("a run has " + std::to_string(result.items) +
                               " items and a 99th percentile takes " +
                               std::to_string(items_for_a_99th) +
                               ": ratios, verdicts and the winner are about the longest latency of "
                               "each run");
    }
}

/// Whose samples are shorter than they should be.
void note_short_samples(race_result& result) {
    std::string who;
    for (const scheme_result& one : result.schemes) {
        if (one.ok() && one.short_samples) {
            who += (who.empty() ? "" : ", ") + one.name + " " + std::to_string(one.runs_a_sample);
        }
    }
    if (!who.empty()) {
        result.notes.push_back(std::string(scheme_run::short_samples_note) + who);
    }
}

/// Who had not settled in the first rounds.
void note_heads(race_result& result) {
    std::string who;
    for (const scheme_result& one : result.schemes) {
        if (one.measured.cut() != 0) {
            who += (who.empty() ? "" : ", ") + one.name + " " + std::to_string(one.measured.cut());
        }
    }
    if (!who.empty()) {
        result.notes.push_back(
            "not settled at first, beside the others of the same rounds, so that "
            "so many of the first rounds do not count: " +
            who);
    }
}

/// That in many samples a burst of others would have gone unseen.
void note_unmeasurable(race_result& result) {
    std::size_t all = 0;
    std::size_t unknown = 0;
    for (const scheme_result& one : result.schemes) {
        all += one.measured.samples.size();
        unknown += one.measured.not_measurable();
    }
    result.not_measurable = all == 0 ? 0 : static_cast<double>(unknown) / static_cast<double>(all);
    if (result.load_source.starts_with("none")) {
        result.notes.push_back("the load of other processes could not be measured: no sample was "
                               "dropped for it");
    } else if (result.not_measurable > 0.25) {
        result.notes.push_back("whether others used the CPUs is not measurable in " +
                               percent(result.not_measurable) +
                               " of the samples: they are too short for " + result.load_source +
                               ", so a disturbed one among them was not dropped");
    }
}

/// Who used more threads than were asked for, or more processes.
void note_helpers(race_result& result) {
    std::string threads;
    std::string processes;
    for (const scheme_result& one : result.schemes) {
        if (one.ok() && one.where.workers > result.how.workers && !one.where.counts_items) {
            std::string& who = one.traits.workers == worker_kind::processes ? processes : threads;
            who += (who.empty() ? "" : ", ") + one.name + " " + std::to_string(one.where.workers);
        }
    }
    const std::string asked =
        " ran items than the " + std::to_string(result.how.workers) + " that were asked for (";
    if (!threads.empty()) {
        result.notes.push_back("more threads" + asked + "the caller works, too): " + threads);
    }
    if (!processes.empty()) {
        result.notes.push_back("more processes" + asked +
                               "one that ended was replaced): " + processes);
    }
}

void note_disturbances(race_result& result) {
    std::string disturbed;
    std::string rare;
    for (const scheme_result& one : result.schemes) {
        if (one.ok() && !result.leaders.empty() && one.vs_baseline.count < pairs_for_a_verdict) {
            rare += (rare.empty() ? "" : ", ") + one.name;
        }
        if (one.measured.disturbed()) {
            disturbed += (disturbed.empty() ? "" : ", ") + one.name;
        }
    }
    if (!disturbed.empty()) {
        result.notes.push_back("every sample of " + disturbed +
                               " was disturbed by other processes; they were used nevertheless: do "
                               "not trust these figures");
    }
    note_unmeasurable(result);
    note_heads(result);
    if (!rare.empty()) {
        result.notes.push_back("too few clean rounds to say who is faster, so not among those that "
                               "may win: " +
                               rare);
    }
    note_unsteadiness(result);
    if (result.contaminated > 0.25) {
        result.notes.push_back(
            "a disturbed run: during " + percent(result.contaminated) +
            " of the samples other processes used the CPUs; quiet the machine and race again");
    }
}

} // namespace

std::string_view to_string(scheme_status status) noexcept {
    switch (status) {
    case scheme_status::ok:
        return "ok";
    case scheme_status::skipped:
        return "skipped";
    case scheme_status::failed:
        break;
    }
    return "failed";
}

std::optional<double> scheme_result::figure(std::string_view wanted) const noexcept {
    const auto found = std::ranges::find(figures, wanted, &run_figure::name);
    return found == figures.end() ? std::nullopt : std::optional(found->value);
}

const scheme_result* race_result::find(std::string_view name) const noexcept {
    const auto found = std::ranges::find(schemes, name, &scheme_result::name);
    return found == schemes.end() ? nullptr : &*found;
}

void evaluate_race(race_result& result, const sampling_result& measured) {
    result.contaminated = measured.contaminated_share();
    result.control = measured.of(control_name(result.baseline));
    result.floor = floor_of(measured, result.baseline);
    compare(result);
    judge_all(result);

    double reference_ns = 0;
    if (const scheme_result* serial = find_serial(result)) {
        reference_ns = reference_items_ns(splits_of(details_of(serial->measured)));
    }
    for (scheme_result& one : result.schemes) {
        const std::vector<run_details> runs = details_of(one.measured);
        if (result.rate) {
            note_lag(result, one, runs);
            continue; // where workers wait for items to arrive, no time is lost
        }
        one.where = attribute(splits_of(runs), reference_ns);
        if (one.speedup && one.divides_items()) {
            one.efficiency = one.speedup->median / result.how.workers;
        }
        sum_up_usages(one, runs);
        sum_up_figures(one, runs);
    }
    result.leaders = leaders_among(result, [](const scheme_result&) { return true; });
    result.item_leaders =
        leaders_among(result, [](const scheme_result& one) { return one.runs_items(); });
    note_failed_baseline(result);
    note_disturbances(result);
    note_helpers(result);
    note_few_items(result);
    note_short_samples(result);
    note_super_linear(result);
}

} // namespace regatta::race
