// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "advice/advise_topics.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <string_view>

namespace regatta::race {
namespace {

using points = std::vector<const point_evidence*>;

/// A gain that is not left alone because it was not shown for sure.
constexpr double large_gain = 0.1;

double speedup_of(const point_evidence* one) {
    return one->speedup->median.value;
}

cited_figure speedup_figure(const point_evidence& one) {
    return {fmt::format("speed-up with {}", one.workers), one.speedup->median};
}

/// The fewest workers whose speed-up is as good as the best, as far as that can be told. More than
/// one only where they were shown to be faster than one, which is the first.
const point_evidence& fewest_of_the_best(points sound, double floor) {
    std::erase_if(sound,
                  [](const point_evidence* one) { return one->workers != 1 && !one->faster; });
    const double best = speedup_of(*std::ranges::max_element(sound, {}, speedup_of));
    return **std::ranges::find_if(
        sound, [&](const point_evidence* one) { return speedup_of(one) * (1 + floor) >= best; });
}

/// What more workers than the chosen ones would do, of those that were measured.
void say_what_more_do(const advising& with, const points& sound, const point_evidence& chosen,
                      unsigned cpus, double floor) {
    const point_evidence& most = *sound.back();
    if (most.workers == chosen.workers) {
        return;
    }
    const double ratio = most.speedup->median.value / chosen.speedup->median.value;
    const bool lower = ratio * (1 + floor) < 1;
    const bool slower = is_below(*most.speedup, *chosen.speedup, floor);
    const bool faster = ratio > 1 + floor; // Beyond the CPUs, or not faster than one for sure.
    const bool beyond = most.workers > cpus;
    with.say(topic::workers,
             fmt::format("{}: {} are {} times as fast as {}, {} (noise floor {}).",
                         !faster  ? "More gain nothing"
                         : beyond ? "More have no CPU each"
                                  : "More are not shown to be faster",
                         counted(most.workers, "worker"), factor_text(ratio), chosen.workers,
                         slower    ? "so they lose"
                         : lower   ? "which is no clear difference"
                         : !faster ? "which is the same"
                         : beyond  ? "which is not to be relied upon"
                                   : "but not for sure faster than one",
                         percent_text(floor)),
             {speedup_figure(most), speedup_figure(chosen)});
}

std::string_view no_more(bool measured) {
    return measured ? "no sound figure is there of more" : "no more workers were measured";
}

/// Where the measurement ended before the CPUs did, or the law has its peak beyond them.
void say_what_is_beyond(const advising& with, const scale_evidence& scale, const points& candidates,
                        const point_evidence& chosen) {
    const unsigned measured = candidates.back()->workers;
    const bool more_measured = scale.points.back().workers > measured;
    if (chosen.workers == measured && scale.items_wait) {
        with.leave_open(
            topic::workers,
            fmt::format("Whether more than {} would be faster: the items wait, and {}.",
                        counted(measured, "worker"), no_more(more_measured)),
            with.command("scale", {"--workers", fmt::format("1,{},{}", measured, 2 * measured),
                                   "--json", "scale.json"}));
        return;
    }
    if (chosen.workers == measured && measured < scale.cpus) {
        with.leave_open(topic::workers,
                        fmt::format("Whether more than {} would be faster: this machine has {} "
                                    "CPUs, and {}.",
                                    counted(measured, "worker"), scale.cpus,
                                    no_more(more_measured)),
                        with.command("scale", {"--workers", "auto", "--json", "scale.json"}));
        return;
    }
    if (scale.has_sure_peak() && scale.peak_speedup && scale.peak_workers->value > measured) {
        with.say(topic::workers,
                 fmt::format("On a larger machine of this kind the law that fits best has its peak "
                             "with {:.0f} workers, at {} times one; that goes beyond the {} that "
                             "were measured.",
                             scale.peak_workers->value, factor_text(scale.peak_speedup->value),
                             measured),
                 {{"workers at the peak", *scale.peak_workers},
                  {"speed-up at the peak", *scale.peak_speedup}});
    }
}

/// Why a large gain was not shown.
std::string why_unsure(const figure_interval& speedup, const scale_evidence& scale) {
    return speedup.low > 1 + scale.noise_floor->value
               ? "is less than the margin of the measurement"
               : counted(scale.rounds, "round") + " do not show for sure";
}

} // namespace

void advise_on_workers(const advising& with) {
    const std::string measure = with.command("scale", {"--rounds", "15", "--json", "scale.json"});
    if (!with.all.scale) {
        with.leave_open(topic::workers,
                        fmt::format("How many workers: {}.", with.nothing_is_said()), measure);
        return;
    }
    const scale_evidence& scale = *with.all.scale;
    const points sound = sound_points(scale);
    points with_cpus; // More workers than CPUs are not advised, unless their items wait.
    std::ranges::copy_if(sound, std::back_inserter(with_cpus), [&](const point_evidence* one) {
        return scale.items_wait || one->workers <= scale.cpus;
    });
    const bool several = with_cpus.size() > 1 || (scale.cpus == 1 && sound.size() > 1);
    if (scale.points.size() > 1 && several && !scale.noise_floor) {
        with.leave_open(topic::workers,
                        fmt::format("How many workers: {} has no noise floor, as too few of its {} "
                                    "are clean.",
                                    scale.file, counted(scale.rounds, "round")),
                        measure);
        return;
    }
    if (scale.points.size() == 1) {
        with.leave_open(
            topic::workers,
            fmt::format("How many workers: {} has 1 number of workers alone.", scale.file),
            measure);
        return;
    }
    if (!several || sound.front()->workers != 1 || !scale.noise_floor) {
        with.leave_open(
            topic::workers,
            fmt::format("How many workers: of the {} of workers in {} {} with a CPU for each can "
                        "be relied upon.",
                        counted(scale.points.size(), "number"), scale.file,
                        with_cpus.empty() ? "none" : fmt::format("only {}", with_cpus.size())),
            measure);
        return;
    }
    const double floor = scale.noise_floor->value;
    const point_evidence& chosen = fewest_of_the_best(with_cpus, floor);
    if (const point_evidence& best = **std::ranges::max_element(with_cpus, {}, speedup_of);
        chosen.workers == 1 && speedup_of(&best) > 1 + std::max(floor, large_gain)) {
        with.leave_open(topic::workers,
                        fmt::format("How many workers: {} seem {} times as fast as one (95 % "
                                    "interval {}), which {}.",
                                    counted(best.workers, "worker"), factor_text(speedup_of(&best)),
                                    with.range(*best.speedup), why_unsure(*best.speedup, scale)),
                        measure);
        return;
    }
    with.to.workers = chosen.workers;
    if (chosen.workers == 1) {
        const point_evidence& best =
            **std::ranges::max_element(sound.begin() + 1, sound.end(), {}, speedup_of);
        const bool beyond = best.workers > scale.cpus && best.speedup->median.value > 1 + floor;
        with.say(topic::workers,
                 fmt::format("Stay with 1 worker: {} are {} times as fast (95 % interval {}){}.",
                             counted(best.workers, "worker"),
                             factor_text(best.speedup->median.value), with.range(*best.speedup),
                             beyond ? ", and have no CPU each: that is not to be relied upon" : ""),
                 {speedup_figure(best)});
        return;
    }
    with.say(topic::workers,
             fmt::format("Take {}: {} times as fast as one (95 % interval {}){}.",
                         counted(chosen.workers, "worker"),
                         factor_text(chosen.speedup->median.value), with.range(*chosen.speedup),
                         chosen.workers > scale.cpus
                             ? ": the items wait, so that more workers than CPUs gain"
                             : fmt::format(", which uses {} of each",
                                           percent_text(chosen.efficiency->value))),
             {speedup_figure(chosen), {"efficiency", *chosen.efficiency}});
    say_what_more_do(with, sound, chosen, scale.cpus, floor);
    say_what_is_beyond(with, scale, with_cpus, chosen);
}

} // namespace regatta::race
