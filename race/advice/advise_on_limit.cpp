// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "advice/advise_topics.hpp"
#include "advice/loss.hpp"
#include "sampling/verdict.hpp"
#include "scaling/scaling_fit.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace regatta::race {
namespace {

/// From here on what is lost is not worth a search.
constexpr double good_efficiency = 0.95;
/// Items cannot cost more than the whole loss, but for so much: latencies are means of all that
/// ran.
constexpr double disagreement = 0.1;
/// Below this efficiency stream shows that memory bandwidth is used up.
constexpr double bandwidth_used_up = 0.9;

void say_none(const advising& with, const loss& lost) {
    with.to.limit = limit_kind::none;
    with.say(topic::limit,
             fmt::format("Up to {} workers hardly anything is lost: each does {} of what one alone "
                         "does, so neither memory nor a serial part is the limit.",
                         lost.workers, percent_text(lost.efficiency)),
             lost.figures);
}

/// Workers whose items cost so much more could not do that much.
void say_disagreement(const advising& with, const loss& lost) {
    with.say(topic::limit,
             fmt::format("The figures do not agree: with {} workers an item costs {} times as much "
                         "as alone, and yet each worker does {} of what one alone does. They "
                         "cannot say what the limit is.",
                         lost.workers, factor_text(lost.items_ratio),
                         percent_text(lost.efficiency)),
             lost.figures);
    with.leave_open(
        topic::limit,
        fmt::format("What the limit is: the figures with {} workers do not agree.", lost.workers),
        with.command("scale", {"--rounds", "15", "--json", "scale.json"}));
}

/// The clock explains what items cost more if it fell by at least half of that.
bool blame_the_clock(const advising& with, const loss& lost) {
    if (!lost.clock_alone || !lost.clock_together || lost.items_ratio <= 1) {
        return false;
    }
    const double slower = lost.clock_alone->value / lost.clock_together->value;
    if (slower - 1 < (lost.items_ratio - 1) / 2) {
        return false;
    }
    with.to.limit = limit_kind::clock;
    with.say(
        topic::limit,
        fmt::format("The reason is the processor's clock: {:.2f} GHz with 1 worker, {:.2f} GHz "
                    "with {}.",
                    lost.clock_alone->value / 1e9, lost.clock_together->value / 1e9, lost.workers),
        {{"clock with 1", *lost.clock_alone},
         {fmt::format("clock with {}", lost.workers), *lost.clock_together}});
    return true;
}

/// Items that had a CPU for less of their time explain it if that is at least half of what they
/// cost more.
bool blame_waiting(const advising& with, const loss& lost) {
    if (!lost.cpu_share_alone || !lost.cpu_share_together || lost.cpu_share_together->value <= 0 ||
        lost.items_ratio <= 1) {
        return false;
    }
    const double longer = lost.cpu_share_alone->value / lost.cpu_share_together->value;
    if (longer - 1 < (lost.items_ratio - 1) / 2) {
        return false;
    }
    with.to.limit = limit_kind::waiting;
    with.say(topic::limit,
             fmt::format("The items wait for one another: with {} workers they had a CPU for {} of "
                         "their time, alone for {}: a lock, or input that they share.",
                         lost.workers, percent_text(lost.cpu_share_together->value),
                         percent_text(lost.cpu_share_alone->value)),
             {{fmt::format("share with a CPU with {}", lost.workers), *lost.cpu_share_together},
              {"share with a CPU with 1", *lost.cpu_share_alone}});
    return true;
}

/// Whether the items of stream themselves cost more with so many workers, as far as that is known.
bool stream_items_cost_more(const scale_evidence& stream, const point_evidence& together) {
    const point_evidence* alone = stream.find(1);
    return alone == nullptr || !alone->mean_latency || !together.mean_latency ||
           together.mean_latency->value >= alone->mean_latency->value / bandwidth_used_up;
}

/// Holds the loss against that of stream, which does nothing but move memory.
void ask_stream(const advising& with, const loss& lost) {
    const scale_evidence& stream = *with.all.bandwidth;
    const auto ask_again = [&](const std::string& why) {
        with.leave_open(
            topic::limit, "Whether that is memory bandwidth: " + why,
            fmt::format("regatta scale stream --workers 1,{} --json stream.json", lost.workers));
    };
    const auto sound = sound_points(stream);
    const auto same = std::ranges::find_if(
        sound, [&](const point_evidence* one) { return one->workers == lost.workers; });
    if (same == sound.end()) {
        return ask_again(
            fmt::format("{} has no sound figure with {} workers.", stream.file, lost.workers));
    }
    const point_evidence& point = **same;
    const bool used_up = point.efficiency->value < bandwidth_used_up;
    if (used_up && !stream_items_cost_more(stream, point)) {
        return ask_again(fmt::format("with {} workers stream lost outside its items in {}; a "
                                     "larger size tells.",
                                     lost.workers, stream.file));
    }
    with.to.limit = used_up ? limit_kind::memory : limit_kind::core;
    std::string text = fmt::format("stream, which only moves memory, is {} times as fast with {} "
                                   "workers as with 1: ",
                                   factor_text(point.speedup->median.value), lost.workers);
    text += used_up ? "memory bandwidth is used up, and that fits as the limit."
                    : "memory bandwidth is not used up, so it may be what the workers of a core "
                      "share, or a cache that they share.";
    with.say(topic::limit, std::move(text),
             {{fmt::format("speed-up of stream with {}", lost.workers), point.speedup->median},
              {"efficiency of stream", *point.efficiency}});
}

void say_items(const advising& with, const loss& lost) {
    with.to.limit = limit_kind::items;
    with.say(topic::limit,
             fmt::format("The items themselves are the limit: with {} workers they cost {} times "
                         "as much as alone, which is {} of what is lost (each worker does {} of "
                         "what one alone does). Another pool changes nothing about that.",
                         lost.workers, factor_text(lost.items_ratio),
                         percent_text(*lost.items_share), percent_text(lost.efficiency)),
             lost.figures);
    if (blame_waiting(with, lost) || blame_the_clock(with, lost)) {
        return;
    }
    const bool is_stream = with.to.workload.name == "stream";
    const point_evidence* point = with.all.scale ? with.all.scale->find(lost.workers) : nullptr;
    if (is_stream && point != nullptr && point->throughput) {
        with.to.limit = limit_kind::memory;
        with.say(
            topic::limit,
            fmt::format("And that is memory bandwidth, as stream does nothing but move memory: "
                        "{} {} a second with {} workers.",
                        amount_text(point->throughput->value), with.all.scale->unit, lost.workers),
            {{fmt::format("throughput with {}", lost.workers), *point->throughput}});
    } else if (with.all.bandwidth) {
        ask_stream(with, lost);
    } else {
        with.leave_open(
            topic::limit,
            fmt::format("Whether that is memory bandwidth, a shared cache or a shared "
                        "core: the speed-up of stream with {} workers tells.",
                        lost.workers),
            fmt::format("regatta scale stream --workers 1,{} --json stream.json", lost.workers));
    }
}

/// A loss that may be none.
void leave_to_noise(const advising& with, const loss& lost) {
    with.leave_open(topic::limit,
                    fmt::format("What the limit is: with {} workers each does {} of what one alone "
                                "does, and what is lost is within the noise floor of {}.",
                                lost.workers, percent_text(lost.efficiency),
                                percent_text(lost.noise)),
                    with.command("scale", {"--rounds", "15", "--json", "scale.json"}));
}

/// In which part of the run the workers wait, if a race shows it.
void say_where(const advising& with, const loss& lost) {
    if (lost.largest_wait.empty()) {
        return;
    }
    with.say(topic::limit,
             fmt::format("The largest share of the waiting of the workers of {} goes {}: {} of "
                         "their time.",
                         lost.scheme, lost.largest_wait_words,
                         percent_text(lost.largest_wait_share)),
             {{lost.largest_wait, *lost.largest_wait_ns}});
}

/// From which share of the loss on the items are named as a part of it.
constexpr double least_items_share = 0.1;

/// Whether a serial part can be told from none.
bool is_told(const figure_interval& serial) {
    constexpr double least = 0.0005; // less is shown as 0 %
    return serial.count >= pairs_for_a_verdict && serial.low >= least;
}

/// "some 9 to 11": where the law has its peak, as far as its terms are known.
std::string peak_text(const scale_evidence& scale) {
    const auto at = [](double contention, double coherence) {
        return about_text(std::round(usl_peak_workers(contention, coherence)));
    };
    const figure_interval none;
    const figure_interval& contention = scale.contention ? *scale.contention : none;
    const std::string from = at(contention.high, scale.coherence->high);
    const std::string to = at(contention.low, scale.coherence->low);
    return from == to ? "some " + from : fmt::format("some {} to {}", from, to);
}

void say_serial(const advising& with, const loss& lost) {
    const scale_evidence* scale = with.all.scale ? &*with.all.scale : nullptr;
    if (scale != nullptr && scale->has_sure_peak()) {
        with.to.limit = limit_kind::contention;
        with.say(topic::limit,
                 fmt::format("The workers probably hold each other up: by the Universal "
                             "Scalability Law each pair costs {:.3g} % (95 % interval {:.3g} % to "
                             "{:.3g} %), so that from {} workers on more of them are slower.",
                             scale->coherence->median.value * 100, scale->coherence->low * 100,
                             scale->coherence->high * 100, peak_text(*scale)),
                 {{"coherence", scale->coherence->median},
                  {"workers at the peak", *scale->peak_workers}});
    } else if (scale != nullptr && scale->preferred_law == "amdahl" && scale->serial_fraction &&
               is_told(*scale->serial_fraction)) {
        const figure_interval& serial = *scale->serial_fraction;
        with.to.limit = limit_kind::serial_part;
        with.say(topic::limit,
                 fmt::format("The limit may be a serial part: by Amdahl's law {} of a run (95 % "
                             "interval {} to {}) is done by one worker alone, so that no number of "
                             "them is more than some {} to {} times as fast as one.",
                             percent_text(serial.median.value), percent_text(serial.low),
                             percent_text(serial.high), about_text(1 / serial.high),
                             about_text(1 / serial.low)),
                 {{"serial fraction", serial.median}});
    } else if (!lost.items_share) {
        with.say(topic::limit,
                 fmt::format("With {} workers each does {} of what one alone does. What an item "
                             "costs is not known.",
                             lost.workers, percent_text(lost.efficiency)),
                 lost.figures);
    } else if (*lost.items_share >= least_items_share) {
        with.say(topic::limit,
                 fmt::format("Of what is lost, {} is in the items, which cost {} times as much as "
                             "alone; no figure tells what the rest is: with {} workers each does "
                             "{} of what one alone does.",
                             percent_text(*lost.items_share), factor_text(lost.items_ratio),
                             lost.workers, percent_text(lost.efficiency)),
                 lost.figures);
    } else {
        // No serial part makes several slower than one.
        const bool gains = lost.efficiency * lost.workers > 1;
        with.to.limit = gains ? limit_kind::serial_part : limit_kind::unknown;
        with.say(topic::limit,
                 fmt::format("What is lost is not in the items: with {} workers each does {} of "
                             "what one alone does, and the items cost {} times as much as alone.",
                             lost.workers, percent_text(lost.efficiency),
                             factor_text(lost.items_ratio)),
                 lost.figures);
    }
    say_where(with, lost);
}

} // namespace

void advise_on_limit(const advising& with) {
    const auto lost = loss_of(with.all, with.to.scheme);
    if (!lost && with.to.machine.available_cpus == 1) {
        const std::string& file = with.to.files.front();
        with.say(topic::limit, "What the limit is takes two CPUs to tell, and there is 1.",
                 {{"CPUs", {1, file, "machine.available_cpus"}}});
        return;
    }
    if (!lost) {
        with.leave_open(topic::limit,
                        fmt::format("What the limit is: {} of several workers beside one.",
                                    with.all.count() == 1
                                        ? "the 1 result given has no sound figure"
                                        : fmt::format("the {} results given have no sound figure",
                                                      with.all.count())),
                        with.command("scale", {"--rounds", "15", "--json", "scale.json"}));
        return;
    }
    if (lost->items_share &&
        lost->items_ratio * lost->efficiency > 1 + std::max(disagreement, lost->noise)) {
        say_disagreement(with, *lost);
    } else if (lost->efficiency >= good_efficiency) {
        say_none(with, *lost);
    } else if (lost->efficiency >= 1 - lost->noise) {
        leave_to_noise(with, *lost);
    } else if (lost->items_share.value_or(0) >= 0.5) {
        say_items(with, *lost);
    } else {
        say_serial(with, *lost);
    }
}

} // namespace regatta::race
