// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The times of one series as multiples of those of another, and how far that is known. Every
/// interval and every verdict of a race and of `regatta scale` comes from here.

#include "sampling/sampler.hpp"
#include "sampling/signed_ranks.hpp"

#include <cstddef>
#include <vector>

namespace regatta::race {

/// The logarithm of a time, and in which round it was taken.
struct log_time {
    unsigned round = 0;
    double value = 0;
};

/// Those of the usable samples, in the order of the rounds.
std::vector<log_time> log_times(const series& one);
/// The differences within the rounds that both have, in the order of the rounds.
std::vector<double> log_ratios(const std::vector<log_time>& subject,
                               const std::vector<log_time>& peer);

/// A subject beside its peer, paired within the rounds: ranks of the log ratios.
class paired_comparison {
public:
    paired_comparison() = default;
    paired_comparison(const series& subject, const series& peer);
    /// Beside a baseline that ran twice in each round: the ratio of a round is by
    /// √(baseline · control), which scatters less than one of them; where the round lacks one of
    /// the two, by the other. The ratio of all is where those to baseline and control have their
    /// centre.
    paired_comparison(const series& subject, const series& baseline, const series& control);

    /// The Hodges–Lehmann estimate of the ratio of times with its 95 % interval. Where no round is
    /// clean of both, or one of them has no clean sample at all, it is that of all rounds with a
    /// count of 0: for the eye only.
    estimate ratio() const;
    /// Rounds behind it on which a verdict may rest.
    std::size_t pairs() const noexcept { return rough_ ? 0 : logs_.count(); }
    const signed_ranks& logs() const noexcept { return logs_; }

private:
    signed_ranks logs_{};
    bool rough_ = true; ///< Of disturbed samples, or of none.
};

/// `paired_comparison(subject, peer).ratio()`.
estimate paired_ratio(const series& subject, const series& peer);

} // namespace regatta::race
