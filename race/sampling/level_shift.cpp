// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "sampling/level_shift.hpp"

#include "sampling/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

namespace regatta::race {
namespace {

/// Standard deviations that are exceeded somewhere in the middle third of 1 in 100 steady series of
/// 15 samples and 4 in 100 of 100, as simulated.
constexpr double critical_distance = 2.75;
constexpr std::size_t least_samples = 12;

/// The place among those from `first` to `last` where values before it and from it on differ most,
/// if they do: by how many standard deviations their rank sum is away from what it is on average.
struct strongest_shift {
    strongest_shift(const std::vector<double>& values, std::size_t first, std::size_t last) {
        const std::vector<double> ranks = ranks_of(values);
        double sum = 0; // of the ranks before a place
        for (std::size_t at = 1; at <= last; ++at) {
            sum += ranks[at - 1];
            const auto before = static_cast<double>(at);
            const auto after = static_cast<double>(values.size() - at);
            const double average = before * (before + after + 1) / 2;
            const double deviation = std::sqrt(before * after * (before + after + 1) / 12);
            const double here = std::max(0.0, std::abs(sum - average) - 0.5) / deviation;
            if (at >= first && here > distance) {
                distance = here;
                split = at;
            }
        }
    }

    std::size_t split = 0;
    double distance = 0;
};

/// Standard deviations that are exceeded at some of the places of `unsteady_head` in fewer than 1
/// of 100 steady series, as simulated for 12 to 100 values.
double critical_of_head(std::size_t values) {
    return 2.7 + 0.4 * std::log(static_cast<double>(values) / 15);
}

/// Of a series, the logarithm of each time that is clean, in its round.
struct timed_round {
    unsigned round = 0;
    double log = 0;
};

std::vector<timed_round> clean_rounds(const series& one) {
    std::vector<timed_round> rounds;
    for (const sample& each : one.samples) {
        if (!each.load.contaminated && each.ns > 0) {
            rounds.push_back({each.round, std::log(each.ns)});
        }
    }
    return rounds;
}

/// The median of sorted values without one of them; @pre there are two or more.
double median_without(const std::vector<double>& sorted, double left_out) {
    const auto place =
        static_cast<std::size_t>(std::ranges::lower_bound(sorted, left_out) - sorted.begin());
    const auto at = [&](std::size_t i) { return sorted[i < place ? i : i + 1]; };
    const std::size_t count = sorted.size() - 1;
    return (at((count - 1) / 2) + at(count / 2)) / 2;
}

} // namespace

level_shift find_shift(const series& measured) {
    std::vector<double> times;
    for (const sample& one : measured.samples) {
        times.push_back(one.ns);
    }
    level_shift found;
    if (times.size() < least_samples) {
        return found;
    }
    const strongest_shift most(times, times.size() / 3, times.size() - times.size() / 3);
    if (most.distance > 0) {
        const auto middle = times.begin() + static_cast<std::ptrdiff_t>(most.split);
        found.round = measured.samples[most.split].round;
        found.ratio = median({middle, times.end()}) / median({times.begin(), middle});
        found.significant = most.distance > critical_distance;
    }
    return found;
}

series faster_rounds(series all, const level_shift& shift) {
    std::erase_if(all.samples, [&](const sample& each) {
        return (each.round < shift.round) != (shift.ratio > 1);
    });
    return all;
}

std::string shift_text(std::string_view who, const level_shift& shift) {
    char ratio[64];
    std::snprintf(ratio, sizeof ratio, "%.2f", shift.ratio);
    return "from round " + std::to_string(shift.round + 1) + " on " + std::string(who) + " took " +
           ratio + " times as long as before: something " +
           (shift.ratio > 1 ? "slowed it down" : "had slowed it down");
}

std::size_t unsteady_head(const std::vector<double>& values) {
    constexpr std::size_t least_head = 4;
    if (values.size() < least_samples) {
        return 0;
    }
    const strongest_shift most(values, least_head, values.size() / 3);
    return most.distance > critical_of_head(values.size()) ? most.split : 0;
}

void cut_heads(std::vector<series>& all) {
    std::vector<std::vector<timed_round>> rounds;
    std::map<unsigned, std::vector<double>> logs; // of all, by the round
    for (const series& one : all) {
        rounds.push_back(clean_rounds(one));
        for (const timed_round& each : rounds.back()) {
            logs[each.round].push_back(each.log);
        }
    }
    for (auto& [round, of_round] : logs) {
        std::ranges::sort(of_round);
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
        std::vector<double> beside;
        std::vector<unsigned> of_round;
        for (const timed_round& each : rounds[i]) {
            if (const std::vector<double>& sorted = logs[each.round]; sorted.size() > 1) {
                beside.push_back(each.log - median_without(sorted, each.log));
                of_round.push_back(each.round);
            }
        }
        const std::size_t head = unsteady_head(beside);
        all[i].settled = head != 0 ? of_round[head] : 0;
    }
}

} // namespace regatta::race
