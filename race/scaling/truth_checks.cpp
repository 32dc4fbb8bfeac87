// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "scaling/truth_checks.hpp"

#include "sampling/level_shift.hpp"
#include "sampling/offered_rate.hpp"
#include "sampling/scheme_run.hpp"
#include "sampling/super_linear.hpp"
#include "scaling/speedup.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>

namespace regatta::race {
namespace {

using kind = scale_warning_kind;

std::string number(double value, int digits = 2) {
    char text[64];
    std::snprintf(text, sizeof text, "%.*f", digits, value);
    return text;
}

std::string interval(const estimate& one) {
    return number(one.median) + " (" + number(one.low) + " … " + number(one.high) + ")";
}

/// Without its interval where too few rounds are behind it.
std::string speedup_text(const scale_point& point) {
    const estimate& one = point.speedup;
    return one.count < pairs_for_a_verdict ? number(one.median) : interval(one);
}

std::string gigahertz(double hz) {
    return number(hz / 1e9) + " GHz";
}

bool differs(double ratio, double by) {
    return ratio > 1 + by || ratio < 1 / (1 + by);
}

/// The clock by which a difference is no longer within the precision of its measurement.
constexpr double clock_tolerance = 0.02;
/// The difference between two levels of times that is worth a word.
constexpr double level_tolerance = 0.05;

/// One call of `check_truth`.
class checks {
public:
    checks(scale_result& result, const scale_samples& evidence)
        : result_(result)
        , evidence_(evidence)
        , base_(result.points.front()) {}

    void run() {
        note_end();
        if (base_.measured.samples.empty()) {
            return;
        }
        note_load();
        note_levels();
        note_short_samples();
        if (result_.rate) {
            note_late();
            note_oversubscribed();
            note_few();
            return;
        }
        note_drift();
        note_clocks();
        note_super_linear();
        note_noise();
        note_oversubscribed();
        note_few();
    }

private:
    void warn(kind what, unsigned workers, std::string text, bool compares_clocks = false) {
        result_.warnings.push_back({what, workers, std::move(text), compares_clocks});
    }

    void note_end() {
        if (!result_.stopped) {
            return;
        }
        if (result_.rounds == 0) {
            warn(kind::stopped, 0, "stopped before the first round was complete");
        } else if (result_.rounds == 1) {
            warn(kind::stopped, 0, "stopped after 1 round: the figures rest on that");
        } else {
            warn(kind::stopped, 0,
                 "stopped after " + std::to_string(result_.rounds) +
                     " rounds: the figures rest on those");
        }
    }

    /// Others that the load meter saw.
    void note_load() {
        std::string which;
        for (const scale_point& point : result_.points) {
            if (point.measured.disturbed()) {
                which += (which.empty() ? "" : ", ") + std::to_string(point.workers);
            }
        }
        if (result_.contaminated > disturbed_share) {
            warn(kind::disturbed, 0,
                 "during " + percent_text(result_.contaminated) +
                     " of the runs others used the CPUs (of all CPU time other processes had " +
                     percent_text(result_.foreign) + ", the hypervisor took " +
                     percent_text(result_.stolen) + "); " +
                     (which.empty() ? "those runs do not count; " : "") +
                     "quiet the machine and measure again");
        }
        if (!which.empty()) {
            warn(kind::disturbed, 0,
                 "every run with " + which + (which == "1" ? " worker" : " workers") +
                     " was disturbed by others; they were used nevertheless: do not trust these "
                     "figures");
        }
    }

    std::optional<double> clock_of(std::size_t point, unsigned first, unsigned last) const {
        std::vector<double> clocks;
        for (const clock_sample& one : evidence_.clocks[point]) {
            if (one.round >= first && one.round < last) {
                clocks.push_back(one.hz);
            }
        }
        return clocks.empty() ? std::nullopt : std::optional(median(std::move(clocks)));
    }

    /// Others that only the times show: from some round on they are at another level.
    void note_levels() {
        std::optional<std::size_t> worst;
        level_shift most;
        for (std::size_t i = 0; i < result_.points.size(); ++i) {
            const level_shift shift = find_shift(result_.points[i].measured);
            if (shift.significant && differs(shift.ratio, level_tolerance) &&
                (!worst || std::abs(std::log(shift.ratio)) > std::abs(std::log(most.ratio)))) {
                worst = i;
                most = shift;
            }
        }
        if (!worst) {
            return;
        }
        const unsigned workers = result_.points[*worst].workers;
        const std::string what = "from round " + std::to_string(most.round + 1) + " of " +
                                 std::to_string(result_.rounds) + " on the runs with " +
                                 counted(workers, "worker") + " took " + number(most.ratio) +
                                 " times as long as before";
        const auto early = clock_of(*worst, 0, most.round);
        const auto late = clock_of(*worst, most.round, result_.rounds);
        if (early && late && differs(*late / *early, clock_tolerance) &&
            !differs(most.ratio * *late / *early, level_tolerance)) {
            warn(kind::clock_changed, workers,
                 what + ": the clock went from " + gigahertz(*early) + " to " + gigahertz(*late));
        } else if (!result_.disturbed()) {
            warn(kind::disturbed, workers,
                 what + ", which the clock does not explain: something else used the machine; "
                        "quiet it and measure again");
        }
    }

    void note_drift() {
        const estimate& drift = result_.baseline_drift;
        const double least = std::max(clock_tolerance, result_.floor.distance);
        if (evidence_.before.disturbed() || evidence_.after.disturbed()) {
            return; // others did that
        }
        if (drift.count >= 2 && differs(drift.median, least) && (drift.low > 1 || drift.high < 1)) {
            warn(kind::baseline_drifted, 1,
                 "at the end 1 worker took " + interval(drift) +
                     " times as long as at the start; the speed-ups are paired within the rounds, "
                     "so that this cancels, but rates measured apart do not compare");
        }
    }

    /// The clock with that many workers by the clock with one.
    std::optional<double> clock_ratio(const scale_point& point) const {
        if (!point.clock_hz || !base_.clock_hz || *base_.clock_hz <= 0) {
            return std::nullopt;
        }
        return *point.clock_hz / *base_.clock_hz;
    }

    void note_clocks() {
        for (const scale_point& point : result_.points) {
            const auto ratio = clock_ratio(point);
            if (point.workers > 1 && ratio && differs(*ratio, clock_tolerance)) {
                warn(kind::clock_changed, point.workers,
                     "with " + counted(point.workers, "worker") + " the clock was " +
                         gigahertz(*point.clock_hz) + ", with 1 " + gigahertz(*base_.clock_hz) +
                         ": at the same clock the speed-up would be " +
                         number(point.speedup.median / *ratio) + ", not " +
                         number(point.speedup.median),
                     true);
            }
        }
    }

    /// The most that so many workers can gain: nobody works faster than alone.
    double most_possible(const scale_point& point) const {
        return std::min(point.workers, std::max(1U, result_.cpus));
    }

    struct cause {
        std::string text;
        bool compares_clocks = false;
    };
    cause cause_of(const scale_point& point) const {
        const double possible = most_possible(point);
        const auto clock = clock_ratio(point);
        if (std::string waiting = cause_by_waiting(base_.measured, result_.quota_limits);
            !waiting.empty()) {
            return {std::move(waiting)};
        }
        if (std::string quota = cause_by_quota(result_.cpus, point.time.median);
            result_.quota_limits && point.workers > result_.cpus && !quota.empty()) {
            return {std::move(quota)};
        }
        if (clock && *clock > 1 + clock_tolerance) {
            return {"the clock was " + gigahertz(*point.clock_hz) + " with " +
                        counted(point.workers, "worker") + " and " + gigahertz(*base_.clock_hz) +
                        " with 1: " + number(*clock) +
                        " times as fast, which leaves a speed-up of " +
                        number(point.speedup.median / *clock),
                    true};
        }
        if (base_.measured.disturbed()) { // Else the disturbed runs do not count.
            return {"others slowed down 1 worker in all of its runs"};
        }
        if (const level_shift shift = find_shift(base_.measured);
            shift.significant &&
            paired_ratio(faster_rounds(base_.measured, shift), point.measured).median <=
                possible * (1 + level_tolerance)) {
            return {shift_text("1 worker", shift)};
        }
        const auto alone = static_cast<double>(base_.latency.percentile(0.5));
        const auto shared = static_cast<double>(point.latency.percentile(0.5));
        if (alone > 0 && point.workers <= result_.cpus &&
            shared < alone * possible / point.speedup.median * 1.01) {
            return {"an item took " + number(shared / alone) + " times as long as with 1 worker" +
                    (clock && !differs(*clock, clock_tolerance) ? ", at the same clock" : "") +
                    ": probably what each worker touches fits its own caches, and for 1 worker it "
                    "is too much"};
        }
        return {std::string(clock ? "neither the clock nor a slow part of the rounds explains it"
                                  : "no slow part of the rounds explains it, and the clock is not "
                                    "known") +
                (alone > 0
                     ? ": do not trust the time of 1 worker"
                     : "; the items are too short to be timed: whether they fit the caches of "
                       "more workers is not known")};
    }

    void note_super_linear() {
        for (const scale_point& point : result_.points) {
            const double possible = most_possible(point);
            if (point.workers == 1 || !point.ran() || point.speedup.median <= 0) {
                continue;
            }
            // An unknown noise floor is not in the interval.
            const bool certain = point.speedup.count >= pairs_for_a_verdict && result_.floor.known()
                                     ? point.speedup.low > possible
                                     : point.speedup.median > possible * (1 + level_tolerance);
            if (certain) {
                const cause why = cause_of(point);
                warn(kind::super_linear, point.workers,
                     "a speed-up of " + speedup_text(point) + " with " +
                         counted(point.workers, "worker") + " on " + counted(result_.cpus, "CPU") +
                         " is more than " + number(possible, 0) + ": " + why.text,
                     why.compares_clocks);
            }
        }
    }

    void note_noise() {
        const scale_point* last = nullptr;
        for (const scale_point& point : result_.points) {
            if (!point.ran() || point.workers > result_.cpus) {
                continue;
            }
            if (is_undecided(point.word)) {
                warn(kind::within_noise, point.workers,
                     "the speed-up with " + counted(point.workers, "worker") + ", " +
                         interval(point.speedup) +
                         (may_be_1(point.speedup)
                              ? ", cannot be told from 1: 1 worker beside itself differs by "
                                "up to " +
                                    percent_text(result_.floor.distance)
                              : ", is not shown to differ from 1 by " +
                                    margin_text(result_.margin) + " or more"));
            } else if (last != nullptr && last->workers > 1) {
                note_same_speed(point, *last);
            }
            last = &point;
        }
    }

    static bool is_undecided(verdict word) {
        return word == verdict::equal || word == verdict::unclear;
    }
    static bool may_be_1(const estimate& ratio) { return ratio.low <= 1 && ratio.high >= 1; }

    void note_same_speed(const scale_point& a, const scale_point& b) {
        const estimate ratio =
            widened(paired_ratio(a.measured, b.measured), result_.floor.distance);
        if (!is_undecided(judge(ratio, result_.margin))) {
            return;
        }
        warn(kind::within_noise, a.workers,
             counted(a.workers, "worker") +
                 (may_be_1(ratio) ? " cannot be told from "
                                  : " are not shown to differ by " + margin_text(result_.margin) +
                                        " or more from ") +
                 std::to_string(b.workers) + ": the speed-ups are " + interval(a.speedup) +
                 " and " + interval(b.speedup));
    }

    void note_oversubscribed() {
        for (const scale_point& point : result_.points) {
            if (point.ran() && point.workers > result_.cpus) {
                warn(kind::oversubscribed, point.workers,
                     counted(point.workers, "worker") + " share " + counted(result_.cpus, "CPU") +
                         (result_.items_wait ? ": those run whose items do not wait"
                                             : ": they wait for one another") +
                         (result_.rate ? "" : ", and this point is no part of the fit"));
            }
        }
    }

    void note_few() {
        if (result_.rounds < pairs_for_a_verdict) {
            warn(kind::few_rounds, 0,
                 counted(result_.rounds, "round") + ": a 95 % interval of a median takes " +
                     std::to_string(pairs_for_a_verdict) + " rounds at least");
            return;
        }
        for (const scale_point& point : result_.points) { // At a rate none has a speed-up.
            if (!result_.rate && point.workers > 1 && point.ran() && !point.measured.disturbed() &&
                point.speedup.count < pairs_for_a_verdict) {
                warn(kind::few_rounds, point.workers,
                     "only " + std::to_string(point.speedup.count) + " of " +
                         std::to_string(result_.rounds) +
                         " rounds have clean runs both with 1 worker and with " +
                         std::to_string(point.workers) + ": too few for an interval");
            }
        }
    }

    void note_short_samples() {
        std::string which;
        for (const scale_point& point : result_.points) {
            if (point.ran() && point.short_samples) {
                which += (which.empty() ? "" : ", ") + std::to_string(point.runs_a_sample) +
                         " with " + counted(point.workers, "worker");
            }
        }
        if (!which.empty()) {
            warn(kind::short_samples, 0, std::string(scheme_run::short_samples_note) + which);
        }
    }

    void note_late() {
        for (const scale_point& point : result_.points) {
            if (point.ran() &&
                fell_behind(*result_.rate, result_.items, point.time.median, point.latency)) {
                warn(kind::late, point.workers,
                     counted(point.workers, "worker") + " took " +
                         rate_words(point.events_per_second.median) + " of the " +
                         rate_words(*result_.rate) +
                         " items a second that were offered: the latencies are those of a queue "
                         "that grows as long as the run goes on");
            }
        }
    }

    scale_result& result_;
    const scale_samples& evidence_;
    const scale_point& base_;
};

} // namespace

void check_truth(scale_result& result, const scale_samples& evidence) {
    checks(result, evidence).run();
}

} // namespace regatta::race
