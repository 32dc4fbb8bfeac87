// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "report/scale/scale_csv.hpp"

#include "report/common/csv_fields.hpp"

#include <fmt/core.h>

namespace regatta::race {
namespace {

/// As the table and JSON, which show a median without a clean round, too: it has no interval.
std::string csv_figures(const estimate& e, int digits) {
    return e.count == 0 && e.median > 0 ? fmt::format("{:.{}f},,", e.median, digits)
                                        : csv_fields(e, digits);
}

/// Count, least, mean, median, 95th and 99th percentile, most; empty fields of nothing.
std::string latency_fields(const latency_histogram& latency) {
    if (latency.count() == 0) {
        return ",,,,,,";
    }
    return fmt::format("{},{},{:.0f},{},{},{},{}", latency.count(), latency.min(), latency.mean(),
                       latency.percentile(0.5), latency.percentile(0.95), latency.percentile(0.99),
                       latency.max());
}

} // namespace

std::string to_csv(const scale_result& result) {
    std::string out =
        "workers,status,reason,unit,throughput,throughput_low,throughput_high,events_per_second,"
        "events_per_second_low,events_per_second_high,median_ns,low_ns,high_ns,speedup,speedup_low,"
        "speedup_high,efficiency,efficiency_low,efficiency_high,verdict,latency_count,"
        "latency_min_ns,latency_mean_ns,latency_median_ns,latency_p95_ns,latency_p99_ns,"
        "latency_max_ns,clock_hz,samples,dropped\n";
    for (const scale_point& one : result.points) {
        out += fmt::format(
            "{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", one.workers, one.ok() ? "ok" : "failed",
            csv_quoted(one.failure), csv_quoted(result.unit), csv_figures(one.throughput, 6),
            csv_figures(one.events_per_second, 6), csv_figures(one.time, 0),
            csv_figures(one.speedup, 6), csv_figures(one.efficiency, 6),
            one.ran() && !result.rate ? to_string(one.word) : "", latency_fields(one.latency),
            one.clock_hz ? fmt::format("{:.0f}", *one.clock_hz) : "", one.measured.samples.size(),
            one.measured.dropped());
    }
    return out;
}

} // namespace regatta::race
