// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "sampling/verdict.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace regatta::race {
namespace {

/// The value that a standard normal one exceeds with this chance, of 0.5 or less.
double normal_above(double chance) {
    double low = 0;
    double high = 40;
    for (int i = 0; i < 60; ++i) {
        const double middle = std::midpoint(low, high);
        (std::erfc(middle / std::sqrt(2.0)) / 2 > chance ? low : high) = middle;
    }
    return high;
}

/// Rounds up to two figures.
unsigned about(double rounds) {
    if (!(rounds < most_rounds_told)) {
        return most_rounds_told;
    }
    const double unit = rounds > 100 ? 10 : 1;
    return static_cast<unsigned>(std::max(1.0, std::ceil(rounds / unit) * unit));
}

/// How many rounds more show a difference at this level, or equality at the usual one: as many as
/// make the interval so narrow that its end clears the margin in 4 of 5 cases.
unsigned more_rounds(const paired_comparison& one, double limit, double error) {
    const estimate logs = one.logs().interval(0.05);
    const auto count = static_cast<double>(logs.count);
    const double beyond = std::abs(logs.median) - limit;
    const double level = beyond > 0 ? error / 2 : tolerated_error;
    const double deviation = (logs.high - logs.low) / 2 / normal_above(0.025);
    const double wanted = std::abs(beyond) / (normal_above(level) + normal_above(0.2));
    double rounds = wanted > 0 ? count * std::pow(deviation / wanted, 2) : HUGE_VAL;
    // With fewer, even values of one sign are not rare enough.
    rounds = std::max(rounds, std::ceil(-std::log2(level)));
    return about(rounds - count);
}

/// How likely it looks like this where there is no difference beyond the limit.
double doubt_of_difference(const paired_comparison& one, double limit) {
    return std::min(1.0,
                    2 * std::min(one.logs().doubt_below(-limit), one.logs().doubt_above(limit)));
}

judgement without_difference(const paired_comparison& one, double limit, double error) {
    const double doubt = std::max(one.logs().doubt_below(limit), one.logs().doubt_above(-limit));
    return doubt <= tolerated_error ? judgement{verdict::equal, 0}
                                    : judgement{verdict::unclear, more_rounds(one, limit, error)};
}

} // namespace

std::string_view to_string(verdict v) noexcept {
    switch (v) {
    case verdict::baseline:
        return "baseline";
    case verdict::faster:
        return "faster";
    case verdict::slower:
        return "slower";
    case verdict::equal:
        return "equal";
    case verdict::unclear:
        return "unclear";
    case verdict::undecided:
        break;
    }
    return "undecided";
}

std::size_t pairs_to_differ(std::size_t contenders) noexcept {
    std::size_t pairs = pairs_for_a_verdict;
    while (std::ldexp(2.0, -static_cast<int>(pairs)) * static_cast<double>(contenders) >
           tolerated_error) {
        ++pairs;
    }
    return pairs;
}

std::vector<judgement> judge(const std::vector<paired_comparison>& all, double margin) {
    const double limit = std::log1p(margin);
    std::vector<judgement> found(all.size());
    std::vector<double> doubts(all.size());
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i].pairs() >= pairs_for_a_verdict) {
            doubts[i] = doubt_of_difference(all[i], limit);
            order.push_back(i);
        } else {
            found[i].more_rounds = static_cast<unsigned>(pairs_for_a_verdict - all[i].pairs());
        }
    }
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return doubts[i]; });
    // The surest first; where one is not sure enough, none after it is.
    auto left = static_cast<double>(order.size());
    bool sure = true;
    for (const std::size_t i : order) {
        const double error = tolerated_error / left;
        sure = sure && doubts[i] <= error;
        if (sure) {
            found[i].word = all[i].logs().centre() < 0 ? verdict::faster : verdict::slower;
            --left;
        } else {
            found[i] = without_difference(all[i], limit, error);
        }
    }
    return found;
}

judgement judge(const paired_comparison& one, double margin) {
    return judge(std::vector{one}, margin).front();
}

verdict judge(const estimate& ratio, double margin) noexcept {
    const double most = 1 + margin;
    const double least = 1 / most;
    if (ratio.count < pairs_for_a_verdict) {
        return verdict::undecided;
    }
    if (ratio.high < least) {
        return verdict::faster;
    }
    if (ratio.low > most) {
        return verdict::slower;
    }
    return ratio.low >= least && ratio.high <= most ? verdict::equal : verdict::unclear;
}

std::string control_name(std::string_view baseline) {
    return std::string(baseline) + " (again)";
}

void add_control(std::vector<contender>& contenders, std::string_view baseline) {
    const auto found = std::ranges::find(contenders, baseline, &contender::name);
    if (found == contenders.end()) {
        throw std::out_of_range("no contender is called \"" + std::string(baseline) + "\"");
    }
    contenders.push_back({control_name(baseline), found->run});
}

noise_floor floor_between(const series& control, const series& baseline) {
    noise_floor floor;
    floor.control = paired_ratio(control, baseline);
    if (floor.control.count != 0) {
        // Times are compared by their ratio, so 1 / low is as far away as low is.
        floor.distance = std::max(floor.control.high, 1 / floor.control.low) - 1;
    }
    return floor;
}

noise_floor floor_of(const sampling_result& result, std::string_view baseline) {
    return floor_between(result.of(control_name(baseline)), result.of(baseline));
}

} // namespace regatta::race
