// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "sampling/random.hpp"
#include "schemes/latency_histogram.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

using regatta::race::latency_histogram;
using regatta::race::random_source;

namespace {

latency_histogram histogram_of(const std::vector<std::int64_t>& times) {
    latency_histogram histogram;
    for (const std::int64_t time : times) {
        histogram.record(time);
    }
    return histogram;
}

/// The smallest of the times that at least `share` of them do not exceed.
std::int64_t exact_percentile(const std::vector<std::int64_t>& sorted, double share) {
    const double rank = std::max(1.0, std::ceil(share * static_cast<double>(sorted.size())));
    return sorted[static_cast<std::size_t>(rank) - 1];
}

/// Times from 1 ns to 20 minutes, as many in each doubling.
std::vector<std::int64_t> times_of_all_lengths(std::size_t count) {
    random_source random(3);
    std::vector<std::int64_t> times;
    for (std::size_t i = 0; i < count; ++i) {
        const double exponent = static_cast<double>(random.below(40'000)) / 1000;
        times.push_back(static_cast<std::int64_t>(std::exp2(exponent)));
    }
    return times;
}

} // namespace

TEST(latency_histogram, of_nothing_is_nothing) {
    const latency_histogram empty;
    EXPECT_EQ(empty.count(), 0u);
    EXPECT_EQ(empty.min(), 0);
    EXPECT_EQ(empty.max(), 0);
    EXPECT_EQ(empty.mean(), 0);
    EXPECT_EQ(empty.percentile(0.5), 0);
}

TEST(latency_histogram, short_times_are_exact) {
    std::vector<std::int64_t> times;
    for (std::int64_t time = 0; time < 64; ++time) {
        times.push_back(time);
    }
    const latency_histogram histogram = histogram_of(times);
    for (int percent = 0; percent <= 100; ++percent) {
        EXPECT_EQ(histogram.percentile(percent / 100.0), exact_percentile(times, percent / 100.0));
    }
}

TEST(latency_histogram, every_percentile_is_within_a_bucket_of_the_exact_one) {
    std::vector<std::int64_t> times = times_of_all_lengths(20'000);
    std::sort(times.begin(), times.end());
    const latency_histogram histogram = histogram_of(times);
    for (int permille = 0; permille <= 1000; ++permille) {
        const double share = permille / 1000.0;
        const auto exact = static_cast<double>(exact_percentile(times, share));
        const auto found = static_cast<double>(histogram.percentile(share));
        EXPECT_GE(found, exact / (1 + 1 / 32.0)) << share;
        EXPECT_LE(found, exact * (1 + 1 / 32.0)) << share;
    }
}

// A race at a rate compares percentiles: of two that differ by 1 % it must not see 3.2 % or
// nothing.
TEST(latency_histogram, percentiles_of_evenly_spread_times_are_not_rounded_to_the_buckets) {
    for (double longest = 1e6; longest < 2e6; longest *= 1.01) { // of a queue that grows, say
        latency_histogram histogram;
        for (int i = 1; i <= 10'000; ++i) {
            histogram.record(static_cast<std::int64_t>(longest * i / 10'000));
        }
        for (const double share : {0.5, 0.95, 0.99}) {
            const auto found = static_cast<double>(histogram.percentile(share));
            EXPECT_NEAR(found / (share * longest), 1, 0.001) << share << " of " << longest;
        }
    }
}

TEST(latency_histogram, count_mean_and_both_ends_are_exact) {
    const std::vector<std::int64_t> times{1'000'003, 17, 2'000'000'011, 999};
    const latency_histogram histogram = histogram_of(times);
    EXPECT_EQ(histogram.count(), 4u);
    EXPECT_EQ(histogram.min(), 17);
    EXPECT_EQ(histogram.max(), 2'000'000'011);
    EXPECT_EQ(histogram.percentile(0), 17);
    EXPECT_EQ(histogram.percentile(1), 2'000'000'011);
    EXPECT_DOUBLE_EQ(histogram.mean(), (1'000'003.0 + 17 + 2'000'000'011.0 + 999) / 4);
}

// Where one bucket ends and the next begins: at each doubling and beside it.
TEST(latency_histogram, the_buckets_leave_no_gap) {
    for (int power = 0; power < 43; ++power) {
        for (const std::int64_t beside : {-1, 0, 1}) {
            const std::int64_t time =
                std::max<std::int64_t>(0, (std::int64_t{1} << power) + beside);
            // Between two others, so that it is not simply the smallest or the largest.
            const latency_histogram histogram = histogram_of({0, time, 2 * time + 1});
            EXPECT_GE(histogram.percentile(0.5), time - time / 64);
            EXPECT_LE(histogram.percentile(0.5), time + time / 64);
        }
    }
}

TEST(latency_histogram, times_out_of_range_do_no_harm) {
    constexpr std::int64_t longest = std::numeric_limits<std::int64_t>::max();
    const latency_histogram histogram = histogram_of({-5, longest, longest});
    EXPECT_EQ(histogram.count(), 3u);
    EXPECT_EQ(histogram.min(), 0);
    EXPECT_EQ(histogram.max(), longest);
    EXPECT_GE(histogram.percentile(0.9), std::int64_t{2} * 3600 * 1'000'000'000);
}

TEST(latency_histogram, merged_ones_are_as_one_that_saw_all) {
    const std::vector<std::int64_t> times = times_of_all_lengths(1000);
    latency_histogram parts[3];
    for (std::size_t i = 0; i < times.size(); ++i) {
        parts[i % 3].record(times[i]);
    }
    latency_histogram merged;
    merged.merge(latency_histogram());
    for (const latency_histogram& part : parts) {
        merged.merge(part);
    }
    merged.merge(latency_histogram());
    const latency_histogram whole = histogram_of(times);
    EXPECT_EQ(merged.count(), whole.count());
    EXPECT_EQ(merged.min(), whole.min());
    EXPECT_EQ(merged.max(), whole.max());
    EXPECT_NEAR(merged.mean(), whole.mean(), whole.mean() * 1e-12);
    for (const double share : {0.01, 0.5, 0.95, 0.99}) {
        EXPECT_EQ(merged.percentile(share), whole.percentile(share));
    }
    merged.clear();
    EXPECT_EQ(merged.count(), 0u);
    EXPECT_EQ(merged.percentile(0.5), 0);
}
