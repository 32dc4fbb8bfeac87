// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "scaling/scale.hpp"

#include "machine/clock_meter.hpp"
#include "machine/peak.hpp"
#include "machine/quiesce.hpp"
#include "sampling/level_shift.hpp"
#include "sampling/offered_rate.hpp"
#include "sampling/raced_workload.hpp"
#include "sampling/scheme_run.hpp"
#include "scaling/scale_evaluation.hpp"
#include "text/text.hpp"
#include "workloads/settings.hpp"

#include <regatta/base/error.hpp>
#include <regatta/cpu/affinity.hpp>
#include <regatta/cpu/available_cpus.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace regatta::race {
namespace {

constexpr unsigned baseline_runs = 3; ///< Before the first round, and after the last.

std::vector<unsigned> counts_of(const scale_options& options) {
    std::vector<unsigned> counts = options.workers;
    if (counts.empty()) {
        counts = usual_worker_counts(available_cpus());
    }
    counts.push_back(1);
    std::ranges::sort(counts);
    const auto same = std::ranges::unique(counts);
    counts.erase(same.begin(), same.end());
    if (counts.front() == 0 || counts.back() > run_log::max_workers) {
        fail_argument(
            "workers: " + std::to_string(counts.front() == 0 ? counts.front() : counts.back()) +
            " is out of range; allowed are 1 to " + std::to_string(run_log::max_workers));
    }
    return counts;
}

void check(const scale_options& options) {
    if (options.rounds == 0 && options.time.count() <= 0) {
        fail_argument("rounds: neither a number of rounds nor a time is given");
    }
}

/// One number of workers.
struct course {
    scheme_run runs;
    latency_record latencies{};
    std::optional<double> last_clock{};
    std::vector<clock_sample> clocks{};
};

/// The whole of one call of `run_scale`.
class measurement_of_scaling {
public:
    measurement_of_scaling(const workload_info& workload, const scheme_info& scheme,
                           const scale_options& options, race_control& control,
                           const std::function<void(const progress&)>& observer)
        : options_(options)
        , control_(control)
        , observer_(observer)
        , work_(workload, options.work, control) {
        if (options.rate) {
            check_offered_rate(*options.rate, *work_);
        }
        if (const std::string why = scheme.missing(*work_); !why.empty()) {
            throw scheme_failure(std::string(scheme.name) + " cannot run: " + why);
        }
        describe(workload, scheme);
        result_.counts_items = !options.rate && items_are_short(*work_);
        for (const unsigned workers : counts_of(options)) {
            scale_point& point = result_.points.emplace_back();
            point.workers = workers;
            point.measured.name = counted(workers, "worker");
            enter(scheme, workers);
        }
        enter(scheme, 1); // the control
    }

    scale_result run() {
        control_.note_measuring(true);
        warm_up();
        if (!result_.stopped) {
            evidence_.before = measure_baseline();
        }
        if (!result_.stopped) {
            measure_rounds();
        }
        if (!result_.stopped && result_.points.front().ok()) {
            evidence_.after = measure_baseline();
        }
        control_.note_measuring(false);
        for (std::size_t i = 0; i < result_.points.size(); ++i) {
            scale_point& point = result_.points[i];
            point.runs_a_sample = courses_[i].runs.repeats();
            point.short_samples = courses_[i].runs.short_samples();
            point.latency = courses_[i].latencies.usable(point.measured);
            evidence_.clocks.push_back(std::move(courses_[i].clocks));
        }
        evaluate_scale(result_, evidence_);
        return std::move(result_);
    }

private:
    void describe(const workload_info& workload, const scheme_info& scheme) {
        result_.workload = workload.name;
        result_.scheme = scheme.name;
        result_.scheme_version = scheme.version();
        result_.settings = settings_of(workload, options_.work);
        const amount work = work_->work_of_run();
        result_.unit = work.unit;
        result_.units_a_run = work.value;
        result_.items = work_->items();
        result_.cpus = available_cpus();
        cpu_set allowed;
        result_.quota_limits =
            try_affinity_of_this_thread(allowed) == 0 && result_.cpus < allowed.count();
        result_.seed = options_.work.seed;
        result_.order_seed = options_.seed;
        result_.margin = options_.margin;
        result_.rate = options_.rate;
        result_.warm_up = std::max(1U, options_.warm_up);
        result_.load_source = load_.source();
        result_.load_resolution_ns = load_.resolution_ns();
        result_.clock_source = clock_source();
        if (workload.name == "matmul") {
            floating_point_peak peak = peak_gflops(options_.work.type == "double");
            result_.peak = peak.gflops;
            result_.peak_source = std::move(peak.source);
        }
    }

    void enter(const scheme_info& scheme, unsigned workers) {
        scheme_options how = options_.scheme;
        how.workers = workers;
        courses_.push_back({scheme_run(scheme, how, *work_, control_,
                                       {.rate = options_.rate.value_or(0),
                                        .meter = &load_,
                                        .shortest_sample = options_.shortest_sample,
                                        .count_items = result_.counts_items})});
    }

    outcome run_once(course& one, unsigned workers) {
        outcome got = one.runs.run_sample();
        if (got.failure.empty()) {
            one.latencies.ran(one.runs.latencies());
            one.last_clock = clock_now(std::min(workers, result_.cpus));
        }
        return got;
    }

    contender contender_of(std::size_t index) {
        const bool control = index == result_.points.size();
        const unsigned workers = control ? 1 : result_.points[index].workers;
        return {control ? control_name(counted(1, "worker")) : counted(workers, "worker"),
                [this, index, workers] { return run_once(courses_[index], workers); }};
    }

    /// Everyone who can run; `numbers_` says which course each is.
    std::vector<contender> contenders() {
        std::vector<contender> all;
        numbers_.clear();
        for (std::size_t i = 0; i < courses_.size(); ++i) {
            if (i == result_.points.size() || result_.points[i].ok()) {
                all.push_back(contender_of(i));
                numbers_.push_back(i);
            }
        }
        return all;
    }

    sampling_options sampling() const {
        return {.rounds = options_.rounds,
                .time = options_.time,
                .warm_up = 0,
                .seed = options_.seed,
                .tries_again = options_.tries_again,
                .settle = [] { quiesce(); },
                .stop = [this] { return control_.stop_requested(); }};
    }

    /// Takes over what was measured, and who failed.
    void take(sampling_result measured) {
        result_.stopped = result_.stopped || measured.stopped;
        for (std::size_t i = 0; i < measured.all.size(); ++i) {
            const std::size_t number = numbers_[i];
            if (number == result_.points.size()) {
                result_.control = std::move(measured.all[i]);
                continue;
            }
            scale_point& point = result_.points[number];
            point.failure = measured.all[i].failure;
            point.measured = std::move(measured.all[i]);
        }
        // The control is one worker, too.
        const scale_point& base = result_.points.front();
        if (!base.ok() || result_.control.failed()) {
            one_worker_failed(base.ok() ? result_.control.failure : base.failure);
        }
    }

    /// What was measured by then is kept; without anything there is no result.
    void one_worker_failed(const std::string& why) {
        scale_point& base = result_.points.front();
        if (base.measured.samples.empty()) {
            throw scheme_failure("one worker: " + why);
        }
        base.failure = why;
    }

    /// Finds out which numbers of workers can run, and warms caches and clocks.
    void warm_up() {
        sampling_options warm = sampling();
        warm.warm_up = result_.warm_up;
        warm.rounds = 0;
        warm.time = {};
        take(measure(contenders(), warm, observer_));
    }

    series measure_baseline() {
        sampling_options few = sampling();
        few.rounds =
            options_.rounds == 0 ? baseline_runs : std::min(options_.rounds, baseline_runs);
        few.time = options_.time / 8;
        sampling_result measured = measure({contender_of(0)}, few);
        result_.stopped = result_.stopped || measured.stopped;
        if (measured.all.front().failed()) {
            one_worker_failed(measured.all.front().failure);
        }
        return std::move(measured.all.front());
    }

    void measure_rounds() {
        sampling_options how = sampling();
        how.taken = [this](std::size_t index, const sample& taken) {
            course& one = courses_[numbers_[index]];
            one.latencies.keep(taken);
            if (one.last_clock) {
                one.clocks.push_back({taken.round, *one.last_clock});
            }
        };
        sampling_result measured = measure(contenders(), how, observer_);
        cut_heads(measured.all);
        result_.rounds = measured.rounds;
        take(std::move(measured));
    }

    const scale_options& options_;
    race_control& control_;
    const std::function<void(const progress&)>& observer_;
    load_meter load_;
    raced_workload work_;
    std::vector<course> courses_;        ///< Of the points, and last of the control.
    std::vector<std::size_t> numbers_{}; ///< Of those that are being measured.
    scale_samples evidence_{};
    scale_result result_;
};

} // namespace

std::vector<unsigned> usual_worker_counts(unsigned cpus) {
    std::vector<unsigned> counts;
    for (unsigned workers = 1; workers < std::min(cpus, run_log::max_workers); workers *= 2) {
        counts.push_back(workers);
    }
    for (const unsigned workers : {std::max(1U, cpus), 2 * std::max(1U, cpus)}) {
        counts.push_back(std::min(workers, run_log::max_workers));
    }
    const auto same = std::ranges::unique(counts);
    counts.erase(same.begin(), same.end());
    return counts;
}

const scheme_info& usual_scheme(const workload_info& workload) {
    workload_options small;
    if (workload.small_size != 0) {
        small.size = workload.small_size;
    }
    const auto work = workload.make(small);
    const auto found = std::ranges::find_if(schemes(), [&](const scheme_info& one) {
        return one.traits.workers != worker_kind::one && one.library_version == nullptr &&
               !one.on_request && one.missing(*work).empty();
    });
    return found != schemes().end() ? *found : usual_baseline();
}

scale_result run_scale(const workload_info& workload, const scheme_info& scheme,
                       const scale_options& options, race_control& control,
                       const std::function<void(const progress&)>& observer) {
    check(options);
    return measurement_of_scaling(workload, scheme, options, control, observer).run();
}

} // namespace regatta::race
