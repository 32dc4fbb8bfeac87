// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "sampling/race.hpp"

#include "machine/quiesce.hpp"
#include "sampling/level_shift.hpp"
#include "sampling/offered_rate.hpp"
#include "sampling/race_evaluation.hpp"
#include "sampling/raced_workload.hpp"
#include "sampling/scheme_run.hpp"
#include "workloads/settings.hpp"

#include <regatta/base/error.hpp>
#include <regatta/cpu/affinity.hpp>
#include <regatta/cpu/available_cpus.hpp>

#include <algorithm>
#include <set>
#include <utility>

namespace regatta::race {
namespace {

void check(const std::vector<entrant>& entrants, const race_options& options) {
    if (options.scheme.workers < 1 || options.scheme.workers > run_log::max_workers) {
        fail_argument("workers: " + std::to_string(options.scheme.workers) +
                      " is out of range; allowed are 1 to " + std::to_string(run_log::max_workers));
    }
    if (options.rounds == 0 && options.time.count() <= 0) {
        fail_argument("rounds: neither a number of rounds nor a time is given");
    }
    if (!(options.margin >= 0 && options.margin <= 1)) {
        fail_argument("margin: " + std::to_string(options.margin) +
                      " is out of range; allowed are shares from 0 to 1");
    }
    if (entrants.empty()) {
        fail_argument("schemes: none is given");
    }
    std::set<std::string_view> names;
    for (const entrant& one : entrants) {
        if (!names.insert(one.name).second) {
            fail_argument("schemes: \"" + one.name +
                          "\" is given twice; give one of them another name: other=" + one.name);
        }
    }
    if (!options.baseline.empty() && !names.contains(options.baseline)) {
        fail_argument("baseline: \"" + options.baseline + "\" is not in this race");
    }
}

/// The whole of one call of `run_race`.
class contest {
public:
    contest(const workload_info& workload, const std::vector<entrant>& entrants,
            const race_options& options, race_control& control,
            const std::function<void(const progress&)>& observer)
        : entrants_(entrants)
        , options_(options)
        , control_(control)
        , observer_(observer)
        , work_(workload, options.work, control) {
        if (options.rate) {
            check_offered_rate(*options.rate, *work_);
        }
        result_.workload = workload.name;
        result_.settings = settings_of(workload, options.work);
        result_.items = work_->items();
        const regatta::race::amount whole = work_->work_of_run();
        result_.amount = workload.name.empty() ? 0 : whole.value;
        result_.unit = whole.unit;
        result_.how = options.scheme;
        result_.cpus = available_cpus();
        cpu_set allowed;
        result_.quota_limits =
            try_affinity_of_this_thread(allowed) == 0 && result_.cpus < allowed.count();
        result_.seed = options.work.seed;
        result_.order_seed = options.seed;
        result_.margin = options.margin;
        result_.rate = options.rate;
        result_.reuse = options.reuse;
        result_.warm_up = std::max(1U, options.warm_up);
        result_.load_source = meter_.source();
        result_.load_resolution_ns = meter_.resolution_ns();
        if (work_->forks()) {
            result_.notes.push_back("workers that fork keep no log: work is what serial needs for "
                                    "all of it, dispatch is "
                                    "all else; without serial in the race both are unlogged");
        }
        counts_items_ = !options.rate && items_are_short(*work_);
        cost_ = measured_log_cost(control.log());
        if (counts_items_) {
            result_.notes.push_back(
                "the items are too short to be timed one by one: work is what serial needs for "
                "all of them, dispatch is all else between a worker's first item and its last; "
                "without serial in the race both are unlogged");
        }
    }

    race_result run() {
        control_.note_measuring(true);
        enter();
        note_programs();
        warm_up();
        choose_baseline();
        if (!result_.baseline.empty() && !result_.stopped) {
            race();
        }
        return std::move(result_);
    }

private:
    void enter() {
        for (const entrant& one : entrants_) {
            scheme_result& mine = result_.schemes.emplace_back();
            mine.name = one.name;
            mine.scheme = one.scheme->name;
            mine.summary = one.scheme->summary;
            mine.suits = one.scheme->suits;
            mine.version = one.scheme->version();
            mine.traits = one.scheme->traits;
            mine.named = one.named;
            mine.reused = options_.reuse && one.scheme->reusable;
            mine.measured.name = one.name;
            if (!one.scheme->command.empty()) {
                mine.program.emplace().command = one.scheme->command;
            }
            mine.reason = one.scheme->missing(*work_);
            if (options_.rate && !one.scheme->single_tasks && mine.reason.empty()) {
                mine.reason = "it takes no single tasks, which a producer could hand over on time";
            }
            if (!mine.reason.empty()) {
                mine.status = scheme_status::skipped;
            }
            courses_.push_back(course_of(*one.scheme));
        }
    }

    /// One of those who take part, or the control.
    struct course {
        scheme_run runs;
        latency_record delays{};
        latency_record latencies{};
    };

    course course_of(const scheme_info& scheme) const {
        return {scheme_run(scheme, options_.scheme, *work_, control_,
                           {.rate = options_.rate.value_or(0),
                            .meter = &meter_,
                            .shortest_sample = options_.shortest_sample,
                            .reuse = options_.reuse,
                            .count_items = counts_items_,
                            .cost = scheme.traits.language == language::cpp ? cost_ : log_cost{}})};
    }

    outcome run_once(course& one) const {
        outcome got = one.runs.run_sample();
        if (options_.rate && got.failure.empty()) {
            one.delays.ran(one.runs.delays());
            one.latencies.ran(one.runs.latencies());
            const std::int64_t latency = one.delays.last().percentile(judged_percentile);
            got.ns = static_cast<double>(std::max<std::int64_t>(1, latency));
        }
        return got;
    }

    void note_programs() {
        if (std::ranges::any_of(result_.schemes,
                                [](const auto& one) { return one.program.has_value(); })) {
            result_.notes.push_back("programs are timed as a whole, from their start to their end, "
                                    "and what they computed was not checked");
        }
    }

    sampling_options sampling() const {
        return {.rounds = options_.rounds,
                .time = options_.time,
                .fill = options_.fill,
                .warm_up = 0,
                .seed = options_.seed,
                .tries_again = options_.tries_again,
                .settle = [] { quiesce(); },
                .stop = [this] { return control_.stop_requested(); }};
    }

    std::vector<contender> contenders() {
        std::vector<contender> all;
        numbers_.clear();
        for (std::size_t i = 0; i < courses_.size(); ++i) {
            if (result_.schemes[i].ok()) {
                all.push_back({result_.schemes[i].name,
                               [this, &one = courses_[i]] { return run_once(one); }});
                numbers_.push_back(i);
            }
        }
        return all;
    }

    /// Takes over what was measured, and who failed.
    void take(const sampling_result& measured) {
        result_.stopped = result_.stopped || measured.stopped;
        for (std::size_t i = 0; i < result_.schemes.size(); ++i) {
            scheme_result& mine = result_.schemes[i];
            const auto found = std::ranges::find(measured.all, mine.name, &series::name);
            if (!mine.ok() || found == measured.all.end()) {
                continue;
            }
            mine.measured = *found;
            if (found->failed()) {
                mine.status = scheme_status::failed;
                mine.reason = found->failure;
                mine.wrong_result = courses_[i].runs.wrong();
            }
        }
    }

    /// The control is the baseline's scheme under another name: if it failed, that scheme did.
    void take_control(const sampling_result& measured, bool wrong) {
        const series& control = measured.of(control_name(result_.baseline));
        for (scheme_result& one : result_.schemes) {
            if (control.failed() && one.name == result_.baseline && one.ok()) {
                one.status = scheme_status::failed;
                one.reason = control.failure;
                one.wrong_result = wrong;
            }
        }
    }

    /// Finds out who can run at all, and warms caches and clocks.
    void warm_up() {
        sampling_options warm = sampling();
        warm.warm_up = result_.warm_up;
        warm.rounds = 0;
        warm.time = {};
        take(measure(contenders(), warm, observer_));
    }

    void choose_baseline() {
        const auto runs = [&](std::string_view name) {
            const scheme_result* found = result_.find(name);
            return found != nullptr && found->ok();
        };
        std::string wanted = options_.baseline;
        for (const scheme_result& one : result_.schemes) {
            if (wanted.empty() && one.traits.usual_baseline) {
                wanted = one.name;
            }
        }
        if (runs(wanted)) {
            result_.baseline = wanted;
            return;
        }
        for (const scheme_result& one : result_.schemes) {
            if (one.ok()) {
                result_.baseline = one.name;
                break;
            }
        }
        if (!options_.baseline.empty() && !result_.baseline.empty()) {
            result_.notes.push_back("the baseline " + wanted + " could not run; " +
                                    result_.baseline + " took its place");
        }
    }

    void race() {
        std::vector<contender> all = contenders();
        // The control is a runner of its own, which knows whether its own results were wrong.
        const auto base =
            std::ranges::find(result_.schemes, result_.baseline, &scheme_result::name);
        // A copy: its samples have as many runs.
        course control = courses_[static_cast<std::size_t>(base - result_.schemes.begin())];
        all.push_back({control_name(result_.baseline), [&] { return run_once(control); }});
        sampling_options how = sampling();
        how.taken = [this](std::size_t index, const sample& taken) {
            if (options_.rate && index < numbers_.size()) { // the last one is the control
                courses_[numbers_[index]].delays.keep(taken);
                courses_[numbers_[index]].latencies.keep(taken);
            }
        };
        sampling_result measured = measure(all, how, observer_);
        control_.note_measuring(false);
        cut_heads(measured.all);
        take(measured);
        take_control(measured, control.runs.wrong());
        for (std::size_t i = 0; i < courses_.size(); ++i) {
            scheme_result& one = result_.schemes[i];
            one.runs_a_sample = courses_[i].runs.repeats();
            one.short_samples = courses_[i].runs.short_samples();
            one.latency = courses_[i].delays.usable(one.measured);
            one.latency_to_end = courses_[i].latencies.usable(one.measured);
        }
        result_.rounds = measured.rounds;
        evaluate_race(result_, measured);
    }

    const std::vector<entrant>& entrants_;
    const race_options& options_;
    race_control& control_;
    const std::function<void(const progress&)>& observer_;
    load_meter meter_;
    raced_workload work_;
    bool counts_items_ = false; ///< They are too short to be timed one by one.
    log_cost cost_{};
    std::vector<course> courses_;
    std::vector<std::size_t> numbers_; ///< Of those courses that are being measured.
    race_result result_;
};

} // namespace

race_result run_race(const workload_info& workload, const std::vector<entrant>& entrants,
                     const race_options& options, race_control& control,
                     const std::function<void(const progress&)>& observer) {
    check(entrants, options);
    return contest(workload, entrants, options, control, observer).run();
}

} // namespace regatta::race
