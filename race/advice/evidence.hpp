// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What the advice rests on: of each result file that which matters.

#include "advice/figure.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace regatta::race {

/// Where a result was measured.
struct machine_evidence {
    std::string cpu_model; ///< Empty: not known.
    unsigned online_cpus = 0;
    unsigned available_cpus = 0;
};

/// What every result has.
struct result_evidence {
    std::string file;
    machine_evidence machine;
    unsigned rounds = 0;
    bool stopped = false; ///< Cut short.
    std::optional<figure> noise_floor;
    figure contaminated_share;
};

/// What the workload was, and how it was set up.
struct workload_evidence {
    std::string name;
    std::vector<std::pair<std::string, std::string>> settings;
};

/// One entrant of a race.
struct scheme_evidence {
    std::string name;
    std::string scheme;
    bool ok = false;
    std::optional<std::string> failure; ///< Why it failed; one that cannot run here did not.
    bool program = false;               ///< A program of the user's.
    std::optional<figure_interval> time;
    std::optional<figure_interval> vs_baseline;
    std::optional<figure_interval> speedup;
    std::vector<std::pair<std::string, figure>> parts; ///< Of the workers' time, nanoseconds.
    bool times_items = false; ///< It is known what they cost; if not, the part `inflation` is 0.

    /// The part of that name; null where there is none.
    const figure* part(std::string_view wanted) const noexcept;
    /// It as a share of all parts; 0 where there are none.
    double share(std::string_view wanted) const noexcept;
};

/// A result of `regatta race`.
struct race_evidence : result_evidence {
    workload_evidence workload;
    unsigned workers = 0;
    std::string baseline;
    std::vector<std::string> leaders;
    std::vector<std::string> item_leaders;
    std::vector<scheme_evidence> schemes;

    const scheme_evidence* find(std::string_view name) const noexcept;
};

/// A number of workers in a measurement of scaling.
struct point_evidence {
    unsigned workers = 0;
    bool ok = false;
    std::optional<std::string> failure;   ///< Why it failed.
    std::optional<figure> item_cpu_share; ///< Of the items' time, that they had a CPU.
    std::optional<figure> throughput;
    std::optional<figure_interval> speedup;
    std::optional<figure> efficiency;
    bool faster = false;                ///< Its verdict beside one worker.
    std::optional<figure> mean_latency; ///< Of an item, nanoseconds.
    std::optional<figure> clock_hz;
};

struct warning_evidence {
    std::string kind;
    unsigned workers = 0; ///< 0: of all.
    std::string text;
};

/// A result of `regatta scale`.
struct scale_evidence : result_evidence {
    workload_evidence workload;
    std::string scheme;
    std::string unit;
    unsigned cpus = 0;
    bool items_wait = false; ///< For something else than a CPU: CPUs set no limit.
    bool disturbed = false;
    figure stolen_share;
    figure foreign_share;
    std::optional<figure_interval> baseline_drift; ///< One worker's time at the end over the begin.
    std::vector<point_evidence> points;            ///< Rising.
    std::string preferred_law;                     ///< "none", "amdahl", "usl".
    std::optional<figure_interval> serial_fraction;
    std::optional<figure_interval> contention;
    std::optional<figure_interval> coherence;
    std::optional<figure> peak_workers;
    std::optional<figure> peak_speedup;
    std::vector<warning_evidence> warnings;

    const point_evidence* find(unsigned workers) const noexcept;
    /// Whether there is a warning of that kind about that many workers, or about all.
    bool warned(std::string_view kind, unsigned workers) const noexcept;
    /// Whether the Universal Scalability Law is preferred, and its coherence certain.
    bool has_sure_peak() const noexcept;
};

/// A way of placing threads.
struct mode_evidence {
    std::string name;
    bool ok = false;
    std::string reason; ///< Why it was not measured.
    std::optional<figure_interval> slowdown;
};

/// A result of `regatta race isolation`.
struct isolation_evidence : result_evidence {
    std::string noise; ///< "hostile:2", which is 2 beside each worker, or "none".
    unsigned workers = 0;
    std::vector<mode_evidence> modes;

    const mode_evidence* find(std::string_view name) const noexcept;
};

/// All that was given, at most one of each. `bandwidth` is a measurement of how `stream` scales,
/// given beside that of another workload.
struct evidence {
    std::optional<race_evidence> race;
    std::optional<scale_evidence> scale;
    std::optional<scale_evidence> bandwidth;
    std::optional<isolation_evidence> isolation;

    std::size_t count() const noexcept {
        return std::size_t{race.has_value()} + std::size_t{scale.has_value()} +
               std::size_t{bandwidth.has_value()} + std::size_t{isolation.has_value()};
    }
};

/// A result file: its name and what it holds.
struct result_text {
    std::string file;
    std::string text;
};

/// Reads results. Failure: `result_error` for what is no result of this program's version, for two
/// of one kind, and for results of different workloads or machines.
evidence read_evidence(const std::vector<result_text>& files);

} // namespace regatta::race
