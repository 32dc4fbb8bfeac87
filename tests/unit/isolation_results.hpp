// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Results of the experiment on pinning and owning that were recorded elsewhere, to be evaluated
/// and reported.

#include "isolation/isolation_evaluation.hpp"

#include <algorithm>
#include <string>

namespace regatta::race::fakes {

/// An experiment of 15 rounds whose times are given, each sample within 1 % of them.
class isolation_maker {
public:
    isolation_maker() {
        result.workers = 1;
        result.cpus = {1};
        result.worker_cpus = {1};
        result.units = 1000;
        result.seed = 1;
        result.rounds = rounds;
        result.warm_up = 1;
        result.load_source = "a test";
        for (const isolation_mode mode : isolation_modes) {
            mode_result& one = result.modes.emplace_back();
            one.mode = mode;
            one.measured.name = to_string(mode);
        }
        result.control.name = "alone (again)";
    }

    /// A mode whose workers took `wall_ms` and had a CPU for `cpu_ms` of it.
    isolation_maker& add(isolation_mode mode, double wall_ms, double cpu_ms, double switches = 0) {
        mode_result& one = result.of(mode);
        for (unsigned round = 0; round < rounds; ++round) {
            const double factor = wobble(round, static_cast<unsigned>(mode));
            worker_figures worker;
            worker.wall_ns = wall_ms * 1e6 * factor;
            worker.cpu_ns = cpu_ms * 1e6 * factor;
            worker.user_ns = worker.cpu_ns * 3 / 4;
            worker.system_ns = worker.cpu_ns / 4;
            worker.involuntary_switches = switches / result.workers;
            worker.run_delay_ns = std::max(0.0, worker.wall_ns - worker.cpu_ns);
            worker.migrations = 0;
            const team_figures run = sum_of({result.workers, worker});
            one.measured.samples.push_back({round, run.wall_ns, {}});
            one.runs.push_back(run);
        }
        if (mode == isolation_mode::alone) {
            for (unsigned round = 0; round < rounds; ++round) {
                result.control.samples.push_back({round, wall_ms * 1e6 * wobble(round, 7), {}});
            }
        }
        return *this;
    }
    isolation_maker& refuse(isolation_mode mode, const std::string& reason) {
        result.of(mode).status = mode_status::unavailable;
        result.of(mode).reason = reason;
        return *this;
    }

    isolation_result finish() {
        evaluate_isolation(result);
        return result;
    }

    static constexpr unsigned rounds = 15;
    isolation_result result;

private:
    static double wobble(unsigned round, unsigned salt) {
        return 1 + static_cast<double>((round * 7 + salt * 5) % 11) / 1100;
    }
};

/// Two processes that spin on the worker's CPU; recorded on a guest with two CPUs.
inline isolation_maker under_hostile_noise() {
    isolation_maker maker;
    maker.add(isolation_mode::alone, 191, 191, 2)
        .add(isolation_mode::unpinned, 192.5, 191, 6)
        .add(isolation_mode::pinned, 571, 191, 48)
        .add(isolation_mode::exclusive, 192, 191, 1);
    return maker;
}

/// Five threads on a machine with 24 CPUs, whose times an article gives: they kept their CPUs in
/// every mode, and their work took longer all the same.
inline isolation_maker of_the_article() {
    isolation_maker maker;
    maker.result.workers = 5;
    maker.result.cpus = {19, 20, 21, 22, 23};
    maker.result.worker_cpus = {19, 20, 21, 22, 23};
    maker.add(isolation_mode::alone, 4380, 4370)
        .add(isolation_mode::unpinned, 7700, 7650)
        .add(isolation_mode::pinned, 8160, 8130)
        .add(isolation_mode::exclusive, 5200, 5190);
    return maker;
}

} // namespace regatta::race::fakes
