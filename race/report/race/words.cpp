// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "report/race/words.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace regatta::race {
namespace {

/// "a, b and c"; of many only the first.
std::string joined(std::vector<std::string> names) {
    constexpr std::size_t most = 6;
    if (names.size() > most) {
        const std::size_t more = names.size() - (most - 1);
        names.resize(most - 1);
        names.push_back(fmt::format("{} more", more));
    }
    std::string out;
    for (std::size_t i = 0; i < names.size(); ++i) {
        out += i == 0 ? "" : i + 1 == names.size() ? " and " : ", ";
        out += names[i];
    }
    return out;
}

/// What the workers do in a part, to follow "spend 12 % of their time ".
constexpr std::array<std::string_view, part_count> doing{
    "on the items themselves",
    "on items that cost more than in serial (caches, memory, clock)",
    "in the middle of an item without a CPU",
    "between items (handing them out)",
    "before their first item (starting up)",
    "waiting for the last item of others",
    "ending the run",
    "without any item",
    "unlogged",
    "on the race's own clock reads and logs",
};

/// Those that are not among `leaders`, by their time. As with the leaders, who has too few clean
/// rounds does not take part: a figure of theirs may be far from the truth.
std::vector<const scheme_result*> followers(const race_result& result,
                                            const std::vector<std::string>& leaders) {
    std::vector<const scheme_result*> found;
    for (const scheme_result& one : result.schemes) {
        if (one.ok() && one.vs_baseline.count >= pairs_for_a_verdict &&
            std::ranges::find(leaders, one.name) == leaders.end()) {
            found.push_back(&one);
        }
    }
    std::ranges::sort(found, {}, [](const scheme_result* s) { return s->vs_baseline.median; });
    return found;
}

/// The part in which `slower` loses most worker time against `leader`. Idle workers count where
/// they are a larger share than the leader's: serial leaves all but one idle, so that their time
/// grows with whatever takes longer.
struct largest_loss {
    largest_loss(const scheme_result& slower, const scheme_result& leader) {
        double most = 0;
        double difference = slower.where.total_ns() - leader.where.total_ns();
        for (std::size_t i = 0; i < part_count; ++i) {
            const double loss = slower.where.ns[i] - leader.where.ns[i];
            if (static_cast<part>(i) == part::idle &&
                slower.where.share(part::idle) < leader.where.share(part::idle) + least_more) {
                difference -= loss;
                continue;
            }
            if (loss > most) {
                most = loss;
                which = static_cast<part>(i);
            }
        }
        explained = difference > 0 ? std::min(1.0, most / difference) : 0;
    }

    static constexpr double least_more = 0.01;

    part which{};
    double explained = 0; ///< Its share of the whole difference.
};

/// Less of the difference than this explains nothing.
constexpr double least_explained = 0.5;

std::string comparison(const scheme_result& slower, const scheme_result& leader) {
    const largest_loss loss(slower, leader);
    if (loss.explained < least_explained) {
        return fmt::format("what sets {} apart from {} is unexplained (no part of their workers' "
                           "time makes up half of it)",
                           slower.name, leader.name);
    }
    return fmt::format("the workers of {} spend {} of their time {} ({}: {}), which is {} of the "
                       "difference",
                       slower.name, percent_text(slower.where.share(loss.which)),
                       doing[static_cast<std::size_t>(loss.which)], leader.name,
                       percent_text(leader.where.share(loss.which)), percent_text(loss.explained));
}

/// Whether its workers' time between first and last item cannot be divided: the items were not
/// timed, and serial does not say what they cost.
bool is_undivided(const scheme_result& one) {
    return one.where.counts_items && !one.where.has_reference;
}

/// What those in the lead have in common.
std::string shared_ground(const race_result& result) {
    double least = 1;
    for (const std::string& name : result.item_leaders) {
        const attribution& where = result.find(name)->where;
        least = std::min(least, where.share(part::work) + where.share(part::inflation));
    }
    return fmt::format("{} of the workers' time {}goes into the items themselves",
                       percent_text(least), result.item_leaders.size() > 1 ? "or more " : "");
}

/// Whose items cost less than in serial, by more than a tenth.
std::string cheaper_items(const race_result& result) {
    std::vector<std::string> names;
    for (const scheme_result& one : result.schemes) {
        if (one.ok() && one.vs_baseline.count >= pairs_for_a_verdict && one.runs_items() &&
            one.where.item_cost.value_or(1) < 0.9) {
            names.push_back(
                fmt::format("{} ({} of it)", one.name, percent_text(*one.where.item_cost)));
        }
    }
    return names.empty() ? "" : "; items cost less than in serial with " + joined(names);
}

/// Who leads, in a sentence without its end.
/// @param of_items the leaders are those of the schemes that run the items.
std::string lead(const race_result& result, const std::vector<std::string>& leaders, bool of_items,
                 const text_style& style) {
    const scheme_result& first = *result.find(leaders.front());
    const std::string lowest =
        fmt::format("lowest latency ({})",
                    result.judges_longest() ? "longest of a run" : "99th percentile of a run");
    if (leaders.size() > 1) {
        return fmt::format("the {} may be any of {}: none of them was shown to take {} more than "
                           "another",
                           result.rate ? lowest : "fastest", joined(leaders),
                           margin_text(result.margin));
    }
    auto others = followers(result, leaders);
    std::erase_if(others, [&](const scheme_result* one) { return of_items && !one->runs_items(); });
    if (others.empty()) {
        const bool alone = std::ranges::none_of(result.schemes, [&](const scheme_result& one) {
            return &one != &first && one.ok() && one.time.count != 0 &&
                   (!of_items || one.runs_items());
        });
        return fmt::format("{} {}: {}", first.name,
                           alone ? "was measured alone" : "alone has enough clean rounds",
                           duration_text(first.time.median, style));
    }
    const scheme_result& next = *others.front();
    const estimate ratio = paired_ratio(first.measured, next.measured);
    return fmt::format("{} {}: {}, {} of {} {}, the next (95 % interval {}{}{})", first.name,
                       result.rate ? "has the " + lowest : "won",
                       duration_text(first.time.median, style), ratio_text(ratio.median),
                       result.rate ? "that of" : "the time of", next.name, ratio_text(ratio.low),
                       style.unicode ? "…" : "..", ratio_text(ratio.high));
}

/// How many schemes have a time.
std::ptrdiff_t measured_schemes(const race_result& result) {
    return std::ranges::count_if(
        result.schemes, [](const scheme_result& one) { return one.ok() && one.time.count != 0; });
}

} // namespace

std::string lacking_words(std::size_t most, std::size_t compared, std::optional<unsigned> least,
                          std::string_view unit, std::string_view units) {
    const std::size_t needed = pairs_to_differ(compared);
    if (most >= pairs_for_a_verdict && most < needed) {
        return fmt::format("With {} no difference can be shown among {} schemes, however large: "
                           "that takes {}, or fewer schemes.",
                           counted(most, unit, units), compared + 1, needed);
    }
    if (!least) {
        return {};
    }
    return *least >= most_rounds_told
               ? fmt::format("unclear +{0}: {0} {1} or more would show whether it differs.",
                             most_rounds_told, units)
               : fmt::format("unclear +{}: about {} more would show whether it differs.", *least,
                             counted(*least, unit, units));
}

std::string outcome_words(const race_result& result, const text_style& style) {
    if (result.leaders.empty()) {
        if (result.baseline_failed()) {
            return fmt::format("No verdict: the baseline {} failed.", result.baseline);
        }
        const auto measured = measured_schemes(result);
        return measured != 0
                   ? fmt::format("No verdict: that takes {} clean rounds at least; race longer, or "
                                 "on a quieter machine.",
                                 pairs_to_differ(static_cast<std::size_t>(measured) - 1))
                   : std::string("Nothing was measured.");
    }
    std::string text = lead(result, result.leaders, false, style);
    if (result.leaders.size() > 1) {
        text.front() = 'T';
    }
    const bool own_code = !result.find(result.leaders.front())->runs_items();
    if (own_code && !result.item_leaders.empty()) {
        text += fmt::format(", with code of its own; among those that run the items: {}",
                            lead(result, result.item_leaders, true, style));
    }
    return text + ".";
}

std::string reason_words(const race_result& result) {
    if (result.item_leaders.empty()) {
        if (result.baseline_failed() || measured_schemes(result) == 0) {
            return {};
        }
        return result.leaders.empty() ? "Why: too little was measured to say."
                                      : "Why: nobody kept a log of the workers.";
    }
    if (std::ranges::any_of(result.item_leaders, [&](const std::string& name) {
            return is_undivided(*result.find(name));
        })) {
        return "Why: without serial it is not known how much of the workers' time goes into the "
               "items.";
    }
    // The nearest one that is clearly slower, and the slowest; of serial everybody knows why.
    std::vector<const scheme_result*> told;
    for (const scheme_result* one : followers(result, result.item_leaders)) {
        if (!one->traits.reference && one->runs_items() && !is_undivided(*one)) {
            told.push_back(one);
        }
    }
    std::string text = "Why: " + shared_ground(result);
    const scheme_result& leader = *result.find(result.item_leaders.front());
    if (!told.empty()) {
        text += "; " + comparison(*told.front(), leader);
    }
    if (told.size() > 1) {
        text += "; " + comparison(*told.back(), leader);
    }
    return text + cheaper_items(result) + ".";
}

std::string set_up_words(const race_result& result, const text_style& style) {
    std::string text;
    for (const scheme_result& one : result.schemes) {
        const double whole = one.where.of(part::set_up);
        const auto& steps = one.where.steps_ns;
        if (one.ok() && steps[0] > 0 && whole > 0 && one.where.workers > 0) {
            text += fmt::format("{} {} took {} a worker: spawning {}, mapping {}, first touch {}",
                                text.empty() ? "Set-up of processes:" : ";", one.name,
                                duration_text(whole / one.where.busy_workers(), style),
                                percent_text(steps[0] / whole), percent_text(steps[1] / whole),
                                percent_text(steps[2] / whole));
        }
    }
    return text.empty() ? text : text + ".";
}

std::string death_words(const race_result& result, const text_style& style) {
    std::string text;
    for (const scheme_result& one : result.schemes) {
        const auto deaths = one.figure("deaths");
        const auto reruns = one.figure("reruns");
        const auto respawn = one.figure("respawn_ns");
        if (one.ok() && deaths && reruns) {
            const auto rounded = [](double figure) {
                return static_cast<std::size_t>(std::lround(figure));
            };
            text += fmt::format(
                "{} {} lost {} a run and began {} again", text.empty() ? "Deaths:" : ";", one.name,
                counted(rounded(*deaths), "worker"), counted(rounded(*reruns), "item"));
            text += respawn ? fmt::format("; the next worker was ready after {}",
                                          duration_text(*respawn, style))
                            : std::string();
        }
    }
    return text.empty() ? text : text + ".";
}

std::string choice_words(const race_result& result) {
    struct need {
        std::string_view name;
        std::string_view sign; ///< What the text of a scheme that suits it contains.
    };
    constexpr need needs[] = {{"isolation", "isolation"},
                              {"typed dispatch", "typed"},
                              {"several languages", "languages"}};
    std::string text;
    if (result.rate && !result.leaders.empty()) {
        text = fmt::format("lowest latency: {}", joined(result.leaders));
    }
    for (const need& one : needs) {
        const scheme_result* best = nullptr;
        for (const scheme_result& scheme : result.schemes) {
            if (scheme.ok() && scheme.vs_baseline.count >= pairs_for_a_verdict &&
                scheme.suits.find(one.sign) != std::string::npos &&
                (best == nullptr || scheme.vs_baseline.median < best->vs_baseline.median)) {
                best = &scheme;
            }
        }
        if (best != nullptr) {
            text += text.empty() ? "" : "; ";
            text += fmt::format("{}: {} (ratio {})", one.name, best->name,
                                ratio_text(best->vs_baseline.median));
        }
    }
    return text.empty() ? text : "Choose by need: " + text + ".";
}

} // namespace regatta::race
