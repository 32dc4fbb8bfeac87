// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Items that are offered at a rate: which rates can be, and the latencies that come of them.

#include "sampling/sampler.hpp"
#include "schemes/latency_histogram.hpp"
#include "workloads/workload.hpp"

#include <cstddef>
#include <string>

namespace regatta::race {

/// The percentile of the items' latencies that a race at a rate is about.
inline constexpr double judged_percentile = 0.99;

/// Failure: `std::invalid_argument` for a rate that is not above 0, for a workload whose items hand
/// out one another, and where the items of one run take longer than 5 minutes to arrive.
void check_offered_rate(double rate, const workload& work);

/// Items a second, of slow ones with their fraction: "1500", "0.2".
std::string rate_words(double rate);

/// Whether a run of that length took fewer items than were offered, so that its latencies are those
/// of a queue that grows.
///
/// The last item arrives when all before it did. What the run takes longer than that is the latency
/// of the last items: of the usual length while the workers keep up. Where no item waited for about
/// that long it is something else, such as the start of the workers.
bool fell_behind(double rate, std::size_t items, double run_ns,
                 const latency_histogram& latency) noexcept;

/// The latencies of a contender's runs, and which of them count.
class latency_record {
public:
    /// To be called after each run.
    void ran(const latency_histogram& run) { last_ = run; }
    /// To be called for each run that is kept, before the next one: `sampling_options::taken`.
    void keep(const sample& taken) {
        all_.merge(last_);
        if (!taken.load.contaminated) {
            clean_.merge(last_);
        }
    }
    const latency_histogram& last() const noexcept { return last_; }
    /// Of the clean samples of a series, those before it had settled too; of all where none is
    /// clean.
    const latency_histogram& usable(const series& of) const noexcept {
        return of.disturbed() ? all_ : clean_;
    }

private:
    latency_histogram last_{};
    latency_histogram clean_{};
    latency_histogram all_{};
};

} // namespace regatta::race
