// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A measurement of scaling of which one knows what it was drawn from.

#include "scaling/scale_evaluation.hpp"
#include "scaling_samples.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace regatta::race {

/// A measurement on 4 CPUs, made up: items of 1 ms, 100 a run, 15 rounds.
class made_up_scale : public testing::Test {
protected:
    made_up_scale() {
        result.unit = "events";
        result.units_a_run = 100;
        result.items = 100;
        result.cpus = 4;
        result.seed = 1;
        result.rounds = rounds;
        result.points.reserve(8); // `add` hands out references
        add(1, 1);
        result.control = series_of(noisy(rounds, alone_ns, noise, 1000));
        evidence.before = series_of(noisy(3, alone_ns, noise, 1001));
        evidence.after = series_of(noisy(3, alone_ns, noise, 1002));
    }

    scale_point& add(unsigned workers, double speedup, double clock_hz = 3e9) {
        scale_point& point = result.points.emplace_back();
        point.workers = workers;
        point.measured = series_of(noisy(rounds, alone_ns / speedup, noise, workers));
        for (int i = 0; i < 1500; ++i) {
            point.latency.record(1'000'000);
        }
        std::vector<clock_sample>& clocks = evidence.clocks.emplace_back();
        for (unsigned i = 0; i < rounds; ++i) {
            clocks.push_back({i, clock_hz});
        }
        return point;
    }

    void evaluate() { evaluate_scale(result, evidence); }

    /// Returns the text of the warning of that kind for that number of workers, or an empty text.
    std::string warning(scale_warning_kind what, unsigned workers = 0) const {
        for (const scale_warning& one : result.warnings) {
            if (one.kind == what && one.workers == workers) {
                return one.text;
            }
        }
        return {};
    }

    /// Leaves so many rounds of everything but the runs at both ends.
    void keep_rounds(unsigned count) {
        result.rounds = count;
        for (scale_point& point : result.points) {
            point.measured.samples.resize(count);
        }
        result.control.samples.resize(count);
    }

    /// With others in every run: the last warning's text.
    std::string last_of_all_disturbed() {
        for (scale_point& point : result.points) {
            point.measured = disturbed_in(point.measured, 0, rounds);
        }
        result.control = disturbed_in(result.control, 0, rounds);
        evaluate();
        return result.warnings.back().text;
    }

    static constexpr unsigned rounds = 15;
    static constexpr double alone_ns = 1e8;
    static constexpr double noise = 0.002;
    scale_result result;
    scale_samples evidence;
};

} // namespace regatta::race
