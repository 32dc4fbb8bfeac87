// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// All that a race found out; every report is a view of it.

#include "sampling/attribution.hpp"
#include "sampling/sampler.hpp"
#include "sampling/verdict.hpp"
#include "schemes/scheme.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace regatta::race {

enum class scheme_status { ok, skipped, failed };

/// "ok", "skipped", "failed".
std::string_view to_string(scheme_status status) noexcept;

/// What a program of the user's took, over the samples that count.
struct program_result {
    std::string command; ///< How it was started.
    /// User and system time of a run, with its descendants for which it waited; the median.
    std::optional<double> cpu_ns;
    std::optional<std::int64_t> peak_bytes; ///< Memory of its largest process in any of the runs.
};

/// What became of one entrant.
struct scheme_result {
    std::string name;   ///< In this race.
    std::string scheme; ///< In the registry.
    std::string summary;
    std::string suits;
    std::string version; ///< Of the library behind it.
    scheme_traits traits;
    bool named = false; ///< Asked for by name, so that its absence is worth an error.

    scheme_status status = scheme_status::ok;
    std::string reason;        ///< Why it was skipped or failed.
    bool wrong_result = false; ///< It failed because of that: disqualified.
    bool verified = false;     ///< It ran, and the result of each run was checked and right.

    series measured;
    estimate time;        ///< In nanoseconds; at a rate the latency at `judged_percentile`.
    estimate vs_baseline; ///< Its ratio, paired.
    estimate vs_baseline_undropped; ///< The same had nothing been dropped or taken again.
    unsigned runs_a_sample = 0;     ///< Of which a sample is the mean; 0: it never ran.
    bool short_samples = false;     ///< See `scheme_run::short_samples`.
    bool reused = false;            ///< It was measured after its first job.
    /// At a rate: from the arrival of an item to its begin: `latency_record::usable`.
    latency_histogram latency;
    latency_histogram latency_to_end; ///< The same to the item's end.
    verdict word = verdict::undecided;
    unsigned more_rounds = 0;         ///< See `judgement`.
    std::optional<estimate> speedup;  ///< Serial's time over its own, paired; where serial ran.
    std::optional<double> efficiency; ///< Speed-up over workers, where `divides_items`.
    attribution where;
    std::optional<program_result> program; ///< Where it is a program of the user's.
    std::vector<run_figure> figures;       ///< That it measured itself: the medians of its runs.

    bool ok() const noexcept { return status == scheme_status::ok; }
    /// Whether it ran in a round in which the baseline did, too; else `vs_baseline` is nothing.
    bool has_ratio() const noexcept { return vs_baseline.median > 0; }
    /// The figure of that name; nothing where it has none.
    std::optional<double> figure(std::string_view wanted) const noexcept;
    /// Whether its workers ran the workload's items, as their logs show; a scheme that computes the
    /// whole with a library's own code keeps none.
    bool runs_items() const noexcept {
        return where.counts_items || where.share(part::unlogged) < 0.5;
    }
    /// Whether its workers divide the very items that `serial` runs, so that a speed-up by the
    /// workers is their efficiency.
    bool divides_items() const noexcept {
        return runs_items() && !program && traits.workers != worker_kind::one &&
               traits.language == language::cpp;
    }
};

/// So many have a 99th percentile below the longest.
inline constexpr std::size_t items_for_a_99th = 100;

/// What a race found out.
struct race_result {
    std::string workload;
    /// The options that it reads, with their values: {"size", "512"}, …
    std::vector<std::pair<std::string, std::string>> settings;
    std::size_t items = 0;
    /// What a run amounts to: 0.268 "GFLOP". Without a value where only programs race.
    double amount = 0;
    std::string unit;
    scheme_options how{};         ///< What was chosen of the schemes.
    unsigned cpus = 0;            ///< Available to this process.
    bool quota_limits = false;    ///< By a quota of CPU time, below those it may run on.
    std::uint64_t seed = 0;       ///< Of the data.
    std::uint64_t order_seed = 0; ///< Of the order of the runs.
    double margin = usual_margin; ///< Of the verdicts.
    bool reuse = false;           ///< `race_options::reuse`.
    std::optional<double> rate{}; ///< Items that were offered a second: `race_options::rate`.

    unsigned rounds = 0;     ///< Completed.
    unsigned warm_up = 0;    ///< Rounds before those.
    bool stopped = false;    ///< Cut short.
    double contaminated = 0; ///< Share of the samples during which others used the CPUs.
    /// Share of the samples that are not contaminated but would not have been known to be.
    double not_measurable = 0;
    std::string load_source; ///< How other processes' CPU time was read.
    std::int64_t load_resolution_ns = 0;

    std::string baseline; ///< Empty: nothing could run.
    noise_floor floor;
    series control;
    std::vector<scheme_result> schemes; ///< In the order of the entrants.
    /// `possible_best`. One: the winner. Several: any may be the fastest; that with the lowest
    /// ratio first. None: too little was measured.
    std::vector<std::string> leaders;
    /// The same among those that run the items.
    std::vector<std::string> item_leaders;
    std::vector<std::string> notes; ///< In plain words: what a reader must know.

    bool oversubscribed() const noexcept { return how.workers > cpus; }
    /// Whether a run has too few items for a 99th percentile, so that its longest latency is
    /// judged.
    bool judges_longest() const noexcept { return rate && items < items_for_a_99th; }
    const scheme_result* find(std::string_view name) const noexcept;
    /// Whether the baseline failed in the rounds that count.
    bool baseline_failed() const noexcept {
        const scheme_result* const base = find(baseline);
        return base != nullptr && !base->ok();
    }
    /// How much of `amount` the scheme does in a second, by its median time. Nothing for a workload
    /// without an amount, for a program, and at a rate.
    std::optional<double> throughput(const scheme_result& one) const noexcept {
        return amount > 0 && one.time.count != 0 && one.time.median > 0 && !rate && !one.program
                   ? std::optional(amount / one.time.median * 1e9)
                   : std::nullopt;
    }
};

} // namespace regatta::race
