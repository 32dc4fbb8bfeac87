// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "sampling/paired_comparison.hpp"

#include <cmath>
#include <utility>

namespace regatta::race {
namespace {

std::vector<log_time> log_times(const series& one, bool all) {
    std::vector<log_time> found;
    for (const sample& each : one.samples) {
        if (each.ns > 0 && (all || one.clean(each))) {
            found.push_back({each.round, std::log(each.ns)});
        }
    }
    return found;
}

/// Of each round that one of them has: the mean of both, or what there is.
std::vector<log_time> means_of(const std::vector<log_time>& a, const std::vector<log_time>& b) {
    std::vector<log_time> all;
    auto one = a.begin();
    auto other = b.begin();
    while (one != a.end() || other != b.end()) {
        if (other == b.end() || (one != a.end() && one->round < other->round)) {
            all.push_back(*one++);
        } else if (one == a.end() || other->round < one->round) {
            all.push_back(*other++);
        } else {
            all.push_back({one->round, (one->value + other->value) / 2});
            ++one;
            ++other;
        }
    }
    return all;
}

/// The log ratios to the means of both, moved to the centre of those to each of them. A mean of two
/// has another shape than one value: where noise only slows down, its centre is above theirs, and
/// the subject would seem faster than it is.
signed_ranks ranks_beside(const std::vector<log_time>& subject, const std::vector<log_time>& base,
                          const std::vector<log_time>& control) {
    std::vector<double> logs = log_ratios(subject, means_of(base, control));
    const signed_ranks to_base(log_ratios(subject, base));
    const signed_ranks to_control(log_ratios(subject, control));
    if (to_base.count() != 0 && to_control.count() != 0) {
        const auto first = static_cast<double>(to_base.count());
        const auto second = static_cast<double>(to_control.count());
        const double centre =
            (to_base.centre() * first + to_control.centre() * second) / (first + second);
        const double off = centre - signed_ranks(logs).centre();
        for (double& one : logs) {
            one += off;
        }
    }
    return signed_ranks(std::move(logs));
}

} // namespace

std::vector<log_time> log_times(const series& one) {
    return log_times(one, one.disturbed());
}

std::vector<double> log_ratios(const std::vector<log_time>& subject,
                               const std::vector<log_time>& peer) {
    std::vector<double> all;
    auto other = peer.begin();
    for (const log_time& one : subject) {
        while (other != peer.end() && other->round < one.round) {
            ++other;
        }
        if (other != peer.end() && other->round == one.round) {
            all.push_back(one.value - other->value);
        }
    }
    return all;
}

paired_comparison::paired_comparison(const series& subject, const series& peer)
    : paired_comparison(subject, peer, series{}) {}

paired_comparison::paired_comparison(const series& subject, const series& baseline,
                                     const series& control) {
    if (!subject.disturbed() && !baseline.disturbed()) {
        logs_ = ranks_beside(log_times(subject, false), log_times(baseline, false),
                             log_times(control, false));
        rough_ = logs_.count() == 0;
    }
    if (rough_) {
        logs_ = ranks_beside(log_times(subject, true), log_times(baseline, true),
                             log_times(control, true));
    }
}

estimate paired_comparison::ratio() const {
    if (logs_.count() == 0) {
        return {};
    }
    const estimate logs = logs_.interval();
    return {std::exp(logs.median), std::exp(logs.low), std::exp(logs.high), pairs()};
}

estimate paired_ratio(const series& subject, const series& peer) {
    return paired_comparison(subject, peer).ratio();
}

} // namespace regatta::race
