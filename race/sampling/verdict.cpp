// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "sampling/verdict.hpp"

#include <algorithm>
#include <stdexcept>

namespace regatta::race {

std::string_view to_string(verdict v) noexcept {
    switch (v) {
    case verdict::baseline:
        return "baseline";
    case verdict::faster:
        return "faster";
    case verdict::slower:
        return "slower";
    case verdict::tie:
        return "tie";
    case verdict::undecided:
        break;
    }
    return "undecided";
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

verdict judge(const estimate& ratio, const noise_floor& floor) noexcept {
    if (ratio.count < pairs_for_a_verdict || floor.control.count < pairs_for_a_verdict) {
        return verdict::undecided;
    }
    if (ratio.high < 1 / (1 + floor.distance)) {
        return verdict::faster;
    }
    if (ratio.low > 1 + floor.distance) {
        return verdict::slower;
    }
    return verdict::tie;
}

} // namespace regatta::race
