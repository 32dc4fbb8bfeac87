// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "sampling/super_linear.hpp"

#include "sampling/level_shift.hpp"
#include "sampling/paired_comparison.hpp"

#include <algorithm>
#include <cstdio>
#include <string>

namespace regatta::race {
namespace {

/// Without an interval, and of a cause: how far a figure may be off.
constexpr double tolerance = 0.05;

std::string number(double value) {
    char text[64];
    std::snprintf(text, sizeof text, "%.2f", value);
    return text;
}

/// The most that the workers of it can gain.
double most_possible(const race_result& result, const scheme_result& one) {
    return std::min(std::max(result.how.workers, one.where.workers), std::max(1U, result.cpus));
}

bool is_super_linear(const race_result& result, const scheme_result& one) {
    if (one.traits.reference || one.program || !one.speedup) {
        return false;
    }
    const double possible = most_possible(result, one);
    return one.speedup->count >= pairs_for_a_verdict
               ? one.speedup->low > possible * (1 + result.margin)
               : one.speedup->median > possible * (1 + tolerance);
}

std::string cause_of(const race_result& result, const scheme_result& one,
                     const scheme_result& serial) {
    if (one.traits.language != language::cpp || !one.runs_items()) {
        return "it computes with code of its own, not with the items that serial runs";
    }
    const series& alone = serial.measured;
    if (std::string cause = cause_by_waiting(alone, result.quota_limits); !cause.empty()) {
        return cause;
    }
    if (const std::string cause = cause_by_quota(result.cpus, one.time.median);
        result.quota_limits && result.oversubscribed() && !cause.empty()) {
        return cause;
    }
    if (alone.disturbed()) { // Else the disturbed samples do not count.
        return "others slowed down serial in all of its samples";
    }
    if (const level_shift shift = find_shift(alone);
        shift.significant && paired_ratio(faster_rounds(alone, shift), one.measured).median <=
                                 most_possible(result, one) * (1 + tolerance)) {
        return shift_text("serial", shift);
    }
    const auto cost = one.where.item_cost;
    if (cost && one.speedup->median * *cost <= most_possible(result, one) * (1 + tolerance)) {
        return "its items cost " + number(*cost) +
               " of what they cost in serial: what each worker touches may fit its own caches, or "
               "the clock may have been higher";
    }
    return "no figure of this race explains it: do not trust the time of serial";
}

} // namespace

std::string cause_by_quota(unsigned cpus, double run_ns) {
    constexpr double longest_period_ns = 1e9; // The kernel refuses longer ones.
    return run_ns > longest_period_ns
               ? std::string()
               : "a quota grants the time of at most " + std::to_string(cpus) +
                     (cpus == 1 ? " CPU" : " CPUs") +
                     " on average, and runs that end within its period may use more";
}

std::optional<double> item_cpu_share(const series& measured) {
    double on_cpu_ns = 0;
    double items_ns = 0;
    for (const sample& one : measured.usable()) {
        if (one.details) {
            on_cpu_ns += one.details->split.items_ns;
            items_ns += one.details->split.items_ns + one.details->split.preempted_ns;
        }
    }
    return items_ns > 0 ? std::optional(on_cpu_ns / items_ns) : std::nullopt;
}

std::string cause_by_waiting(const series& alone, bool quota) {
    const double waited = 1 - item_cpu_share(alone).value_or(1);
    // Others that are busy all the time, seen or not, and a quota leave it a good part of a CPU.
    const bool maybe_others = quota || alone.disturbed() || alone.not_measurable() != 0;
    if (waited < (maybe_others ? 0.9 : 0.1)) {
        return {};
    }
    char text[64];
    std::snprintf(text, sizeof text, "its items had a CPU for %.2g %% of their time",
                  100 * (1 - waited));
    return std::string(text) + ": they wait for something else, as a sleep, a lock or input, and "
                               "items of further workers wait meanwhile";
}

void note_super_linear(race_result& result) {
    const auto serial = std::ranges::find_if(
        result.schemes, [](const scheme_result& one) { return one.traits.reference && one.ok(); });
    if (serial == result.schemes.end() || result.rate) {
        return;
    }
    for (const scheme_result& one : result.schemes) {
        if (is_super_linear(result, one)) {
            result.notes.push_back("the speed-up of " + one.name + ", " +
                                   number(one.speedup->median) + ", is more than " +
                                   number(most_possible(result, one)) +
                                   " workers can bring about: " + cause_of(result, one, *serial));
        }
    }
}

} // namespace regatta::race
