// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "sampling/paired_comparison.hpp"

#include <cmath>

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
        logs_ = signed_ranks(
            log_ratios(log_times(subject, false),
                       means_of(log_times(baseline, false), log_times(control, false))));
        rough_ = logs_.count() == 0;
    }
    if (rough_) {
        logs_ =
            signed_ranks(log_ratios(log_times(subject, true),
                                    means_of(log_times(baseline, true), log_times(control, true))));
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
