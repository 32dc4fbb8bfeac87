// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Measurements of scaling that never took place, to be reported.

#include "scaling/scale_result.hpp"
#include "workloads/settings.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

namespace regatta::race::fakes {

/// A measurement of 15 rounds whose figures are given, each with an interval of half a percent.
class scale_maker {
public:
    scale_maker(unsigned cpus, std::string unit, double units_a_run, std::size_t items) {
        runs("primes", {.size = items});
        result.scheme = "std_thread";
        result.unit = std::move(unit);
        result.units_a_run = units_a_run;
        result.items = items;
        result.cpus = cpus;
        result.seed = 1;
        result.rounds = rounds;
        result.warm_up = 1;
        result.load_source = "a test";
        result.control.name = "1 worker (again)";
        result.floor = {0.006, around(1, 0.003)};
        result.baseline_drift = around(1.002, 0.004);
    }

    /// What it was that ran; `primes` unless named.
    scale_maker& runs(std::string_view workload, const workload_options& options) {
        result.workload = workload;
        result.settings = settings_of(*find_workload(workload), options);
        return *this;
    }

    /// A number of workers whose runs did so much of the unit a second; its items took `item_ms`,
    /// and up to a quarter more.
    scale_maker& add(unsigned workers, double throughput, double item_ms = 0) {
        scale_point& one = result.points.emplace_back();
        one.workers = workers;
        const double seconds = result.units_a_run / throughput;
        one.measured.name = std::to_string(workers);
        for (unsigned round = 0; round < rounds; ++round) {
            one.measured.samples.push_back({round, seconds * 1e9, {.measurable = true}});
        }
        const double first = result.points.front().throughput.median;
        const double speedup = workers == 1 ? 1 : throughput / first;
        one.time = around(seconds * 1e9, 0.005);
        one.throughput = around(throughput, 0.005);
        one.events_per_second = around(static_cast<double>(result.items) / seconds, 0.005);
        one.speedup = around(speedup, workers == 1 ? 0 : 0.005);
        one.efficiency = around(speedup / workers, workers == 1 ? 0 : 0.005);
        one.word = workers == 1      ? verdict::baseline
                   : speedup > 1.011 ? verdict::faster
                   : speedup < 0.989 ? verdict::slower
                                     : verdict::equal;
        for (int i = 0; i < 1000 && item_ms > 0; ++i) {
            one.latency.record(std::llround(item_ms * 1e6 * (1 + std::pow(i / 999.0, 8) / 4)));
        }
        return *this;
    }
    scale_maker& add_failed(unsigned workers, const std::string& reason) {
        scale_point& one = result.points.emplace_back();
        one.workers = workers;
        one.failure = reason;
        return *this;
    }
    scale_maker& warn(scale_warning_kind kind, unsigned workers, const std::string& text) {
        result.warnings.push_back({kind, workers, text});
        return *this;
    }
    /// The same for a text that compares the clock with that of one worker.
    scale_maker& warn_of_clock(scale_warning_kind kind, unsigned workers, const std::string& text) {
        result.warnings.push_back({kind, workers, text, true});
        return *this;
    }
    scale_maker& fit_amdahl(double serial, double residual) {
        result.fit.amdahl = amdahl_fit{around(serial, 0.1), residual, true};
        prefer();
        return *this;
    }
    scale_maker& fit_usl(double contention, double coherence, double residual) {
        usl_fit law{around(contention, 0.1), around(coherence, 0.2), residual, {}, {}};
        if (coherence > 0) {
            law.peak_workers = std::sqrt((1 - contention) / coherence);
            law.peak_speedup = law.speedup(*law.peak_workers);
        }
        result.fit.usl = law;
        prefer();
        return *this;
    }

    static constexpr unsigned rounds = 15;
    scale_result result;

    /// An estimate whose interval is so large a share of it to both sides.
    static estimate around(double median, double share) {
        return {median, median * (1 - share), median * (1 + share), rounds};
    }

private:
    void prefer() {
        scaling_fit& fit = result.fit;
        fit.points = static_cast<std::size_t>(
            std::ranges::count_if(result.points, [&](const scale_point& one) {
                return one.ok() && one.workers <= result.cpus;
            }));
        fit.preferred = !fit.usl ? scaling_law::amdahl
                        : !fit.amdahl || fit.usl->residual < fit.amdahl->residual
                            ? scaling_law::usl
                            : scaling_law::amdahl;
    }
};

/// sysbench's event `cpu` on a machine with four cores, as an article has it: faster than linear,
/// since the clock was low while one thread ran.
inline scale_maker of_the_evaluation() {
    scale_maker maker(4, "events", 400, 400);
    maker.add(1, 3377, 0.296).add(2, 7405, 0.270).add(4, 15172, 0.264).add(8, 15316, 0.522);
    maker.result.points[0].clock_hz = 2.13e9;
    maker.result.points[1].clock_hz = 2.34e9;
    maker.result.points[2].clock_hz = 2.4e9;
    maker.result.points[3].clock_hz = 2.4e9;
    maker.fit_amdahl(0, 0.09).fit_usl(0, 0, 0.09);
    maker.warn_of_clock(scale_warning_kind::clock_changed, 4,
                        "with 4 workers the clock was 2.40 GHz, with 1 2.13 GHz");
    maker.warn_of_clock(
        scale_warning_kind::super_linear, 2,
        "a speed-up of 2.19 (2.18 … 2.20) with 2 workers on 4 CPUs is more than 2: the "
        "clock was 2.34 GHz with 2 workers and 2.13 GHz with 1: 1.10 times as fast, which "
        "leaves a speed-up of 2.00");
    maker.warn_of_clock(
        scale_warning_kind::super_linear, 4,
        "a speed-up of 4.49 (4.47 … 4.52) with 4 workers on 4 CPUs is more than 4: the "
        "clock was 2.40 GHz with 4 workers and 2.13 GHz with 1: 1.13 times as fast, which "
        "leaves a speed-up of 3.99");
    maker.warn_of_clock(
        scale_warning_kind::super_linear, 8,
        "a speed-up of 4.54 (4.51 … 4.56) with 8 workers on 4 CPUs is more than 4: the "
        "clock was 2.40 GHz with 8 workers and 2.13 GHz with 1: 1.13 times as fast, which "
        "leaves a speed-up of 4.03");
    maker.warn(scale_warning_kind::oversubscribed, 8,
               "8 workers share 4 CPUs: they wait for one another, and this point is no part of "
               "the fit");
    return maker;
}

/// What the product of two matrices of 512 x 512 takes.
inline constexpr double gflop_of_512 = 2 * 512.0 * 512.0 * 512.0 / 1e9;

/// A server whose workers get into each other's way, by the Universal Scalability Law.
inline scale_maker of_a_server() {
    scale_maker maker(32, "GFLOP", gflop_of_512, 512);
    maker.runs("matmul", {.size = 512});
    maker.result.peak = 76.8;
    maker.result.peak_source = "multiply-add loop in registers, AVX2 and FMA, 8 floats at once";
    constexpr double alone = 2400 * gflop_of_512 / 512; // 2400 rows a second
    const usl_fit law{scale_maker::around(0.03, 0.1), scale_maker::around(0.0011, 0.1), 0, {}, {}};
    for (const unsigned workers : {1U, 2U, 4U, 8U, 16U, 32U}) {
        const double wobble = 1 + 0.004 * ((workers * 7) % 5 - 2.0);
        maker.add(workers, alone * (workers == 1 ? 1 : wobble * law.speedup(workers)),
                  0.416 * workers / law.speedup(workers));
    }
    maker.add(64, alone * 9.9, 2.7);
    maker.fit_amdahl(0.0484, 0.061).fit_usl(0.0302, 0.00108, 0.0061);
    maker.warn(scale_warning_kind::oversubscribed, 64,
               "64 workers share 32 CPUs: they wait for one another, and this point is no part "
               "of the fit");
    return maker;
}

/// Matrix products against the peak of the machine.
inline scale_maker of_matrices() {
    scale_maker maker(2, "GFLOP", gflop_of_512, 512);
    maker.runs("matmul", {.size = 512, .kernel = "blas"});
    maker.result.peak = 96;
    maker.result.peak_source = "multiply-add loop in registers, AVX-512, 16 floats at once";
    maker.add(1, 78.4, 0.0067).add(2, 153.1, 0.0069).add(4, 150.2, 0.0135);
    maker.fit_amdahl(0.0242, 0);
    maker.warn(scale_warning_kind::oversubscribed, 4,
               "4 workers share 2 CPUs: they wait for one another, and this point is no part "
               "of the fit");
    return maker;
}

/// Three numbers of workers at an offered rate that one of them cannot take.
inline scale_maker at_a_rate() {
    scale_maker maker(4, "events", 400, 400);
    maker.result.rate = 5000;
    maker.add(1, 3377, 30).add(2, 5000, 0.31).add(4, 5000, 0.3);
    maker.warn(scale_warning_kind::late, 1,
               "1 worker took 3377 of the 5000 items a second that were offered: the latencies are "
               "those of a queue that grows as long as the run goes on");
    return maker;
}

} // namespace regatta::race::fakes
