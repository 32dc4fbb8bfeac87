// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "scaling/scale_evaluation.hpp"

#include "sampling/super_linear.hpp"
#include "scaling/speedup.hpp"
#include "scaling/truth_checks.hpp"

#include <algorithm>
#include <utility>

namespace regatta::race {
namespace {

std::vector<double> times_of(const series& one) {
    std::vector<double> times;
    for (const sample& each : one.usable()) {
        times.push_back(each.ns);
    }
    return times;
}

std::optional<double> median_clock(const std::vector<clock_sample>& clocks) {
    if (clocks.empty()) {
        return std::nullopt;
    }
    std::vector<double> values;
    for (const clock_sample& one : clocks) {
        values.push_back(one.hz);
    }
    return median(std::move(values));
}

estimate divided(const estimate& of, double by) noexcept {
    return {of.median / by, of.low / by, of.high / by, of.count};
}

void evaluate_point(scale_point& point, const scale_result& result) {
    point.time = point.measured.time();
    point.events_per_second = rate_of(static_cast<double>(result.items), point.time);
    point.throughput = rate_of(result.units_a_run, point.time);
    const scale_point& base = result.points.front();
    if (result.rate) {
        return;
    }
    const std::size_t pairs = paired_ratios(base.measured, point.measured).size();
    point.speedup = &point == &base ? estimate{1, 1, 1, base.measured.disturbed() ? 0 : pairs}
                                    : speedup_between(base.measured, result.control, point.measured,
                                                      result.floor.distance);
    point.efficiency = divided(point.speedup, point.workers);
    if (&point == &base) {
        point.word = verdict::baseline;
    } else { // A difference is worth what the control says of it.
        point.word = result.floor.known() ? judge(inverse(point.speedup), result.margin)
                                          : verdict::undecided;
    }
}

/// The shares of the CPU time that others had.
void sum_up_load(scale_result& result) {
    double available = 0;
    double foreign = 0;
    double stolen = 0;
    std::size_t samples = 0;
    std::size_t contaminated = 0;
    const auto add = [&](const series& one) {
        for (const sample& each : one.samples) {
            available += static_cast<double>(each.load.available_ns);
            foreign += static_cast<double>(each.load.others_ns);
            stolen += static_cast<double>(each.load.stolen_ns);
            contaminated += each.load.contaminated ? 1 : 0;
            ++samples;
        }
    };
    for (const scale_point& point : result.points) {
        add(point.measured);
    }
    add(result.control);
    // The counters and the clock are read one after another: on a crowded machine the sum may be
    // more than there was.
    result.foreign = available > 0 ? std::min(1.0, foreign / available) : 0;
    result.stolen = available > 0 ? std::min(1.0, stolen / available) : 0;
    result.contaminated =
        samples == 0 ? 0 : static_cast<double>(contaminated) / static_cast<double>(samples);
}

/// Of what was measured undisturbed, with no more workers than there are CPUs.
scaling_fit fit_of(const scale_result& result) {
    std::vector<scaling_observation> observed;
    const scale_point& base = result.points.front();
    for (const scale_point& point : result.points) {
        if (point.ran() && !base.measured.disturbed() && !point.measured.disturbed() &&
            point.workers <= result.cpus) {
            observed.push_back({static_cast<double>(point.workers),
                                ratios_by_round(base.measured, point.measured)});
        }
    }
    return fit_scaling(observed, result.order_seed, result.floor.distance);
}

} // namespace

estimate rate_of(double amount, const estimate& time_ns) noexcept {
    const auto at = [&](double ns) { return ns > 0 ? amount / ns * 1e9 : 0; };
    return {at(time_ns.median), at(time_ns.high), at(time_ns.low), time_ns.count};
}

estimate ratio_between(const series& late, const series& early) {
    const std::vector<double> after = times_of(late);
    const std::vector<double> before = times_of(early);
    if (after.empty() || before.empty()) {
        return {};
    }
    const auto [after_low, after_high] = std::ranges::minmax(after);
    const auto [before_low, before_high] = std::ranges::minmax(before);
    return {median(after) / median(before), after_low / before_high, after_high / before_low,
            std::min(after.size(), before.size())};
}

void evaluate_scale(scale_result& result, const scale_samples& evidence) {
    sum_up_load(result);
    result.floor = floor_between(result.control, result.points.front().measured);
    result.items_wait =
        !cause_by_waiting(result.points.front().measured, result.quota_limits).empty();
    result.baseline_drift = ratio_between(evidence.after, evidence.before);
    for (std::size_t i = 0; i < result.points.size(); ++i) {
        if (result.points[i].ran()) {
            evaluate_point(result.points[i], result);
            result.points[i].item_cpu_share = item_cpu_share(result.points[i].measured);
            result.points[i].clock_hz = median_clock(evidence.clocks[i]);
        }
    }
    if (!result.rate && result.points.front().ok()) {
        result.fit = fit_of(result);
    }
    check_truth(result, evidence);
}

} // namespace regatta::race
