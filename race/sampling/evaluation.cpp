// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "sampling/evaluation.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

namespace regatta::race {
namespace {

/// Of what goes with the samples, that of those which count.
template<class T>
std::vector<T> usable_of(const series& measured, const std::vector<T>& all) {
    std::vector<T> usable;
    for (std::size_t i = 0; i < measured.samples.size() && i < all.size(); ++i) {
        if (measured.disturbed() || !measured.samples[i].load.contaminated) {
            usable.push_back(all[i]);
        }
    }
    return usable;
}

const scheme_result* find_serial(const race_result& result) {
    const auto found = std::ranges::find_if(result.schemes, [](const scheme_result& one) {
        return one.scheme == "serial" && one.ok() && !one.measured.samples.empty();
    });
    return found == result.schemes.end() ? nullptr : &*found;
}

void compare(race_result& result) {
    const scheme_result* base = result.find(result.baseline);
    const scheme_result* serial = find_serial(result);
    for (scheme_result& one : result.schemes) {
        if (one.measured.samples.empty()) {
            continue;
        }
        one.verified = one.ok() && !one.program;
        one.time = one.measured.time(result.seed);
        one.vs_baseline = paired_ratio(one.measured, base->measured, result.seed);
        one.word = &one == base ? verdict::baseline : judge(one.vs_baseline, result.floor);
        if (serial != nullptr) {
            one.speedup = paired_ratio(serial->measured, one.measured, result.seed);
            one.efficiency = one.speedup->median / result.workers;
        }
    }
}

/// The fastest of those who take part, and all that cannot be told from it. Who has too few clean
/// rounds for a verdict does not take part; nobody does where the noise floor is not known.
template<class TakesPart>
std::vector<std::string> leaders_among(const race_result& result, TakesPart takes_part) {
    std::vector<const scheme_result*> field;
    if (result.floor.control.count < pairs_for_a_verdict) {
        return {};
    }
    for (const scheme_result& one : result.schemes) {
        if (one.ok() && one.vs_baseline.count >= pairs_for_a_verdict && takes_part(one)) {
            field.push_back(&one);
        }
    }
    std::ranges::stable_sort(field, {},
                             [](const scheme_result* s) { return s->vs_baseline.median; });
    std::vector<std::string> leaders;
    for (const scheme_result* one : field) {
        const estimate ratio = paired_ratio(one->measured, field.front()->measured, result.seed);
        if (judge(ratio, result.floor) != verdict::slower) {
            leaders.push_back(one->name);
        }
    }
    return leaders;
}

std::string percent(double share) {
    return std::to_string(std::lround(share * 100)) + " %";
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
    if (!rare.empty()) {
        result.notes.push_back("too few clean rounds to say who is faster, so not among those that "
                               "may win: " +
                               rare);
    }
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

void evaluate(race_result& result, const sampling_result& measured,
              const std::vector<std::vector<time_split>>& splits) {
    result.contaminated = measured.contaminated_share();
    result.control = measured.of(control_name(result.baseline));
    result.floor = floor_of(measured, result.baseline, result.seed);
    compare(result);

    double reference_ns = 0;
    if (const scheme_result* serial = find_serial(result)) {
        const auto index = static_cast<std::size_t>(serial - result.schemes.data());
        reference_ns = reference_items_ns(usable_of(serial->measured, splits[index]));
    }
    for (std::size_t i = 0; i < result.schemes.size(); ++i) {
        scheme_result& one = result.schemes[i];
        one.where = attribute(usable_of(one.measured, splits[i]), reference_ns);
    }
    result.leaders = leaders_among(result, [](const scheme_result&) { return true; });
    result.item_leaders =
        leaders_among(result, [](const scheme_result& one) { return one.runs_items(); });
    note_disturbances(result);
}

void sum_up(scheme_result& one, const std::vector<program_usage>& usages) {
    if (!one.program) {
        return;
    }
    std::vector<double> cpu;
    for (const program_usage& used : usable_of(one.measured, usages)) {
        cpu.push_back(static_cast<double>(used.cpu_ns));
        one.program->peak_bytes = std::max(one.program->peak_bytes.value_or(0), used.peak_bytes);
    }
    if (!cpu.empty()) {
        one.program->cpu_ns = median(std::move(cpu));
    }
}

void sum_up(scheme_result& one, const std::vector<std::vector<run_figure>>& figures) {
    const auto usable = usable_of(one.measured, figures);
    for (std::size_t i = 0; !usable.empty() && i < usable.front().size(); ++i) {
        std::vector<double> values;
        for (const std::vector<run_figure>& of_run : usable) {
            values.push_back(of_run[i].value);
        }
        one.figures.push_back({usable.front()[i].name, median(std::move(values))});
    }
}

} // namespace regatta::race
