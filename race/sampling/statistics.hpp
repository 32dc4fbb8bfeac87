// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Medians, and how far to trust them.

#include <cstddef>
#include <vector>

namespace regatta::race {

/// A figure with its 95 % interval: a median, or what stands for one (`signed_ranks`).
struct estimate {
    double median = 0;
    double low = 0;
    double high = 0;
    std::size_t count = 0; ///< Of values behind it; 0: nothing is known.
};

/// The middle value, or the mean of the two middle ones; 0 of nothing.
double median(std::vector<double> values);

/// The median with the interval between the two values of equal rank from either end that holds
/// the true median in at least 95 of 100 cases, whatever the distribution: the sign test's. With
/// fewer than 6 values there is no such interval; it is then their whole range.
///
/// The values are taken as independent. Source: W. Thompson, "On confidence ranges for the median",
/// 1936.
estimate median_by_ranks(std::vector<double> values);

/// The rank of each value among all, from 1 on; equal values share the mean of theirs.
std::vector<double> ranks_of(const std::vector<double>& values);

/// How much each value resembles the one before it: the correlation of neighbours' ranks, from 0
/// (no more than by chance) to 0.9 (a drift), corrected for what so few values underrate it by.
double rank_autocorrelation(const std::vector<double>& values);

/// How much wider an interval of these values is than that of as many independent ones: values of
/// which each resembles the last by `r` are worth (1 − r) / (1 + r) as many, so the root of the
/// inverse. From 1 on.
double neighbour_stretch(const std::vector<double>& values);

/// `median_by_ranks` of values in the order in which they were measured, with its interval
/// stretched as far as neighbours resemble each other: that of their logarithms, so that neither
/// end is 0. Where the values go down to 0 it is stretched as it is, and no end is below 0.
estimate median_of_rounds(const std::vector<double>& values);

} // namespace regatta::race
