// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// One scheme that runs one workload, again and again.

#include "machine/load_meter.hpp"
#include "sampling/race_control.hpp"
#include "sampling/sampler.hpp"
#include "schemes/scheme.hpp"

#include <chrono>
#include <memory>
#include <string_view>

namespace regatta::race {

/// How a scheme is run.
struct run_conditions {
    /// Items that are offered a second, by a producer where the scheme has one that hands over
    /// single tasks; 0: as fast as they go.
    double rate = 0;
    /// Reads the load of others, of `scheme::run` alone; null: nobody does.
    const load_meter* meter = nullptr;
    /// Shorter runs are repeated until a sample has about that; 0: none is.
    std::chrono::nanoseconds shortest_sample{0};
    /// One that is `scheme_info::reusable` is measured after its first job.
    bool reuse = false;
    /// The items are counted, not timed, as those are that take less than `shortest_timed_item`.
    bool count_items = false;
    log_cost cost{}; ///< Of an item's log; 0: nothing is taken off.
};

/// Of a shorter item the two clock reads are a per cent or more.
inline constexpr std::chrono::nanoseconds shortest_timed_item{5000};

/// Whether the items take less than that on average: some of them, spread over all, until one or
/// all together have taken too long for it. Leaves the workload as `reset` does.
bool items_are_short(workload& work);

/// What it costs to log an item, measured once, with items that do nothing. Uses the log, and
/// clears it.
log_cost measured_log_cost(run_log& log);

class thread_state;

/// Runs a scheme over a workload; each run begins from nothing, is timed, and its result verified.
/// The workload and the control must outlive it.
///
/// Threads: one, and no other runs the same workload meanwhile.
class scheme_run {
public:
    scheme_run(const scheme_info& scheme, const scheme_options& options, workload& work,
               race_control& control, const run_conditions& how = {})
        : scheme_(&scheme)
        , options_(options)
        , work_(&work)
        , control_(&control)
        , how_(how) {}

    /// One sample: the mean time of its runs and their details, or that it was stopped, or what is
    /// wrong with a result. Exceptions of the scheme are passed on.
    ///
    /// How many runs a sample has is found out by the first one, from the shortest of up to 10
    /// runs, two at least unless the first takes 20 times as long as a sample should, and stays: if
    /// it followed the times of each sample, it would favour short ones. Only a sample whose runs
    /// have taken 20 times as long as they should ends before its last run, or that has taken 80
    /// times as long with all between them. Where what surrounds the runs of a sample (making them
    /// ready, resets, verifications) would take more than 40 times as long as they should, it has
    /// fewer.
    outcome run_sample();

    /// Runs of a sample; 0 before the first one.
    unsigned repeats() const noexcept { return repeats_; }
    /// Whether these are fewer than half of what the sample's length asks for.
    bool short_samples() const noexcept { return short_samples_; }
    /// What a report says of that; the numbers of runs follow.
    static constexpr std::string_view short_samples_note =
        "preparing a run, resetting and verifying take far longer than the run, so that a sample "
        "has few runs and varies more: ";
    /// The latencies of the items of the last sample, of all its workers.
    const latency_histogram& latencies() const noexcept { return latencies_; }
    /// Where they are offered at a rate: how long each waited from its arrival to its begin.
    const latency_histogram& delays() const noexcept { return delays_; }
    /// Whether a result was wrong.
    bool wrong() const noexcept { return wrong_; }

private:
    struct sums;

    /// One run; @returns why the whole is over, or nothing.
    /// @param usual how each scheme finds the thread.
    std::string run_once(std::unique_ptr<scheme>& one, const thread_state& usual, sums& into);
    std::unique_ptr<scheme> make_ready(run_context& context) const;
    void begin_anew() const;
    verification verify(bool logged) const;

    const scheme_info* scheme_;
    scheme_options options_;
    workload* work_;
    race_control* control_;
    run_conditions how_;
    unsigned repeats_ = 0;
    bool short_samples_ = false;
    latency_histogram latencies_{};
    latency_histogram delays_{};
    bool wrong_ = false;
};

} // namespace regatta::race
