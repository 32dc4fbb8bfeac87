// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "sampling/offered_rate.hpp"

#include <regatta/base/error.hpp>

#include <cmath>
#include <cstdio>
#include <string>

namespace regatta::race {
namespace {

/// The longest time that the items of a run may take to arrive: there are many runs.
constexpr double longest_arrival_minutes = 5;

} // namespace

void check_offered_rate(double rate, const workload& work) {
    if (!(std::isfinite(rate) && rate > 0)) {
        fail_argument("rate: " + std::to_string(rate) +
                      " items a second are out of range; allowed is what is above 0");
    }
    if (work.handed_out() != work.items()) {
        fail_argument("rate: the items of " + std::string(work.name()) +
                      " hand out one another; choose a workload whose items are independent");
    }
    if (work.needs_forks()) {
        fail_argument("rate: " + std::string(work.name()) +
                      " is one item; choose a workload whose items are independent");
    }
    constexpr double longest = longest_arrival_minutes * 60;
    const auto items = static_cast<double>(work.items());
    if (items / rate > longest) {
        const double least = items / longest;
        const bool one = work.items() == 1;
        const double round = least > 1 ? 1 : 1e4;
        char text[240];
        std::snprintf(text, sizeof text,
                      "rate: at %g items a second the %zu item%s of a run take%s %.0f minutes to "
                      "arrive; allowed are up to %.0f, so offer %g or more%s",
                      rate, work.items(), one ? "" : "s", one ? "s" : "", items / rate / 60,
                      longest_arrival_minutes, std::ceil(least * round) / round,
                      one ? "" : ", or run fewer items");
        fail_argument(text);
    }
}

std::string rate_words(double rate) {
    char text[64];
    std::snprintf(text, sizeof text, rate < 9.5 ? "%.2g" : "%.0f", rate);
    return text;
}

bool fell_behind(double rate, std::size_t items, double run_ns,
                 const latency_histogram& latency) noexcept {
    if (items < 2) {
        return false;
    }
    const double arriving_ns = static_cast<double>(items - 1) / rate * 1e9;
    const double behind_ns = run_ns - arriving_ns;
    return behind_ns > 0.05 * arriving_ns && behind_ns > 3 * static_cast<double>(latency.min()) &&
           static_cast<double>(latency.max()) > 0.5 * behind_ns;
}

} // namespace regatta::race
