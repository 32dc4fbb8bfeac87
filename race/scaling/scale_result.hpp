// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// All that a measurement of scaling found out; every report is a view of it.

#include "sampling/sampler.hpp"
#include "sampling/verdict.hpp"
#include "scaling/scaling_fit.hpp"
#include "schemes/latency_histogram.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace regatta::race {

/// Why a figure must not be taken at its face value.
enum class scale_warning_kind {
    disturbed,        ///< Other processes or the hypervisor used the CPUs.
    super_linear,     ///< A speed-up above the worker count; the text names the cause.
    clock_changed,    ///< The processor's clock differed between worker counts or over time.
    baseline_drifted, ///< One worker was faster or slower at the end than at the start.
    within_noise,     ///< Two worker counts, or a speed-up and 1, cannot be told apart.
    oversubscribed,   ///< More workers than CPUs.
    few_rounds,       ///< Too few for intervals.
    short_samples,    ///< Fewer runs a sample than its length asks for.
    late,             ///< The offered rate was more than the workers could take.
    stopped,          ///< Cut short.
};
/// "disturbed", "super_linear", …
std::string_view to_string(scale_warning_kind kind) noexcept;

struct scale_warning {
    scale_warning_kind kind{};
    unsigned workers = 0; ///< Of the point that it is about; 0: of all.
    std::string text;     ///< A plain sentence with the figures behind it.
    /// The text compares the clock with that of one worker.
    bool compares_clocks = false;
};

/// What was measured with one number of workers.
struct scale_point {
    unsigned workers = 1;
    std::string failure;        ///< Empty, or why there are no figures.
    series measured;            ///< Wall times of the runs.
    unsigned runs_a_sample = 0; ///< Of which a sample is the mean.
    bool short_samples = false; ///< See `scheme_run::short_samples`.
    estimate time;              ///< Of a run, nanoseconds.
    estimate events_per_second; ///< Items a second.
    estimate throughput;        ///< In the workload's unit a second (`scale_result::unit`).
    /// Over one worker, see `speedup_between`. At an offered rate this and what follows from it
    /// is not known (a count of 0): all then take as long as the items take to arrive.
    estimate speedup;
    estimate efficiency;            ///< Speed-up over workers.
    latency_histogram latency;      ///< Of the items: `latency_record::usable`.
    std::optional<double> clock_hz; ///< The processor's clock meanwhile, as far as it can be told.
    /// See `regatta::race::item_cpu_share`.
    std::optional<double> item_cpu_share;
    verdict word = verdict::undecided; ///< Of its time beside one worker's, by its speed-up.

    bool ok() const noexcept { return failure.empty(); }
    /// Whether it has figures.
    bool ran() const noexcept { return ok() && !measured.samples.empty(); }
};

/// What a measurement of scaling found out.
struct scale_result {
    std::string workload;
    std::string scheme;
    std::string scheme_version;
    /// The options that the workload reads, with their values: {"max_prime", "10000"}, …
    std::vector<std::pair<std::string, std::string>> settings;
    std::string unit;             ///< Of the throughput: "events", "GFLOP", "GB", "items".
    double units_a_run = 0;       ///< How many of it a run does.
    std::size_t items = 0;        ///< A run.
    bool counts_items = false;    ///< They are too short to be timed one by one.
    unsigned cpus = 0;            ///< Available to this process.
    bool quota_limits = false;    ///< By a quota of CPU time, below those it may run on.
    std::uint64_t seed = 0;       ///< Of the data.
    std::uint64_t order_seed = 0; ///< Of the order of the runs.
    double margin = usual_margin; ///< Of the verdicts.
    std::optional<double> rate;   ///< Offered items a second; absent: as fast as they go.
    /// The most that this machine could do in the workload's unit a second with one worker, where
    /// that is known (matmul: peak of the floating-point units), and how it was found.
    std::optional<double> peak;
    std::string peak_source;

    unsigned rounds = 0;     ///< Completed.
    unsigned warm_up = 0;    ///< Rounds before those.
    bool stopped = false;    ///< Cut short.
    double contaminated = 0; ///< Share of the samples during which others used the CPUs.
    double stolen = 0;       ///< Share of the CPU time that the hypervisor took.
    double foreign = 0;      ///< Share of the CPU time that other processes took.
    std::string load_source; ///< How other processes' CPU time was read.
    std::int64_t load_resolution_ns = 0;
    std::string clock_source; ///< How the processor's clock was found.

    /// Items of one worker wait for something else than a CPU: see `cause_by_waiting`.
    bool items_wait = false;
    std::vector<scale_point> points; ///< In the rising order of workers; the first has one.
    noise_floor floor;               ///< One worker against itself.
    series control;                  ///< Its second run in each round.
    /// One worker's time after the last round over that before the first; the interval is the whole
    /// range of those few runs.
    estimate baseline_drift;
    scaling_fit fit;
    std::vector<scale_warning> warnings;

    /// The point of that many workers, or null.
    const scale_point* find(unsigned workers) const noexcept;
    bool disturbed() const noexcept;
};

} // namespace regatta::race
