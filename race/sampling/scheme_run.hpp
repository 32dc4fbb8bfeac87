// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// One scheme that runs one workload, again and again.

#include "sampling/race_control.hpp"
#include "sampling/sampler.hpp"
#include "schemes/scheme.hpp"

namespace regatta::race {

/// Runs a scheme over a workload; each run begins from nothing, is timed, and its result verified.
/// The workload and the control must outlive it.
///
/// Threads: one, and no other runs the same workload meanwhile.
class scheme_run {
public:
    /// @param rate items that are offered a second, by a producer where the scheme has one that
    /// hands over single tasks; 0: as fast as they go.
    scheme_run(const scheme_info& scheme, const scheme_options& options, workload& work,
               race_control& control, double rate = 0)
        : scheme_(&scheme)
        , options_(options)
        , work_(&work)
        , control_(&control)
        , rate_(rate) {}

    /// One run: its time and its details, or that it was stopped, or what is wrong with its result.
    /// Exceptions of the scheme are passed on.
    outcome run_once();

    /// The latencies of the items of the last run, of all its workers.
    latency_histogram latencies() const { return sum_of(control_->log().latencies); }
    /// Where they are offered at a rate: how long each waited from its arrival to its begin.
    latency_histogram delays() const { return sum_of(control_->log().delays); }
    /// Whether a result was wrong.
    bool wrong() const noexcept { return wrong_; }

private:
    verification verify(bool logged) const;
    latency_histogram sum_of(const latency_histogram* of_workers) const;

    const scheme_info* scheme_;
    scheme_options options_;
    workload* work_;
    race_control* control_;
    double rate_;
    bool wrong_ = false;
};

} // namespace regatta::race
