// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Samples of which one knows what they were drawn from.

#include "sampling/random.hpp"
#include "sampling/sampler.hpp"

#include <cmath>
#include <cstdint>
#include <vector>

namespace regatta::race {

/// Values of the standard normal distribution.
class normal_source {
public:
    explicit normal_source(std::uint64_t seed) : random_(seed) {}

    /// The sum of 12 even ones: so near to normal that no test here can tell.
    double next() {
        double sum = -6;
        for (int i = 0; i < 12; ++i) {
            sum += (static_cast<double>(random_.below(1U << 30)) + 0.5) / (1U << 30);
        }
        return sum;
    }

private:
    random_source random_;
};

/// Undisturbed samples, one a round.
inline series series_of(const std::vector<double>& times_ns) {
    series all{"series", {}, {}};
    for (std::size_t i = 0; i < times_ns.size(); ++i) {
        all.samples.push_back({static_cast<unsigned>(i), times_ns[i], {}});
    }
    return all;
}

/// Of these rounds others had half of the CPU time.
inline series disturbed_in(series all, unsigned first, unsigned last) {
    for (sample& one : all.samples) {
        if (one.round >= first && one.round < last) {
            one.load = {500, 0, 0, 1000, true, true};
        }
    }
    return all;
}

/// Times around `level`, with a relative standard deviation of `noise`.
inline std::vector<double> noisy(std::size_t count, double level, double noise,
                                 std::uint64_t seed) {
    normal_source random(seed);
    std::vector<double> times;
    for (std::size_t i = 0; i < count; ++i) {
        times.push_back(level * std::exp(noise * random.next()));
    }
    return times;
}

} // namespace regatta::race
