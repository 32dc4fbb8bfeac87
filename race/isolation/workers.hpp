// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The workers of one sample: threads that all do the same fixed amount of work.

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace regatta::race {

/// What the workers of a sample do.
struct team_work {
    unsigned workers = 1;
    std::uint64_t units = 1; ///< Of each worker's `computation`.
    std::uint64_t seed = 1;  ///< Worker i computes with seed + i.
    /// Called by each worker before the clock starts, with its number. Null: nothing.
    std::function<void(unsigned)> enter{};
    /// Asked after each unit: true ends the run, whose figures then mean nothing. Null: never.
    std::function<bool()> stop{};
};

/// What became of one worker's part, or of a program as a whole. All times in nanoseconds.
struct worker_figures {
    double wall_ns = 0; ///< From the start signal to its end.
    double cpu_ns = 0;
    double user_ns = 0;   ///< Of the CPU time in user mode.
    double system_ns = 0; ///< Of the CPU time in the kernel.
    double voluntary_switches = 0;
    double involuntary_switches = 0;
    std::optional<double> run_delay_ns; ///< Ready to run, but without a CPU; where it is counted.
    std::optional<double> migrations;   ///< Changes of the CPU, as seen after each unit.

    /// The share of its time that it had a CPU.
    double cpu_share() const noexcept;

    bool operator==(const worker_figures&) const = default;
};

/// What became of a team's work. All sums are over the workers, all times in nanoseconds.
struct team_figures {
    double wall_ns = 0;        ///< From the start signal to the end of the last worker.
    double worker_wall_ns = 0; ///< Sum of the workers' times from that signal to their own end.
    double cpu_ns = 0;
    double user_ns = 0;
    double system_ns = 0;
    double voluntary_switches = 0;
    double involuntary_switches = 0;
    std::optional<double> run_delay_ns;  ///< Where it is counted for each worker.
    std::optional<double> migrations;    ///< Where they are known of each worker.
    double noise_cpu_ns = 0;             ///< What the noise used meanwhile.
    std::vector<worker_figures> workers; ///< Each one's; none of a program of the user's.

    /// The share of their time that the workers had a CPU.
    double cpu_share() const noexcept;
    /// The time that they had none.
    double displaced_ns() const noexcept;

    bool operator==(const team_figures&) const = default;
};

/// The sum over the workers, each of which is kept.
team_figures sum_of(std::vector<worker_figures> workers);

/// Figures and results.
struct team_run {
    team_figures figures;
    std::vector<std::uint64_t> results; ///< Of each worker's computation.
};

/// Starts the threads, lets each one enter, gives the signal, and waits for the end of all.
///
/// Blocks: for as long as the work takes. Failure: what `enter` throws, once all threads have
/// ended; `std::system_error` where a thread cannot be had.
team_run run_team(const team_work& work);

/// How many units take `cpu` of CPU time here, at least 1. Costs about 50 ms.
std::uint64_t units_for(double cpu_ns);

} // namespace regatta::race
