// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "advice/advise_topics.hpp"
#include "sampling/verdict.hpp"
#include "schemes/scheme.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace regatta::race {
namespace {

/// Whether its workers ran the workload's items, which any code can be; others compute the whole
/// with code of their own.
bool runs_items(const scheme_evidence& one) {
    return !one.program && one.share("unlogged") < 0.5;
}

bool is_measured(const scheme_evidence& one) {
    return one.ok && one.time && one.vs_baseline && one.vs_baseline->count >= pairs_for_a_verdict;
}

/// Whether its speed-up over serial says anything.
bool has_speedup(const scheme_evidence& one) {
    return one.speedup && one.speedup->count >= pairs_for_a_verdict &&
           !traits_of(one.scheme).reference;
}

/// The fastest that is not among the leaders.
const scheme_evidence* next_after(const race_evidence& race,
                                  const std::vector<std::string>& leaders, bool of_items) {
    const scheme_evidence* next = nullptr;
    for (const scheme_evidence& one : race.schemes) {
        if (is_measured(one) && std::ranges::find(leaders, one.name) == leaders.end() &&
            (!of_items || runs_items(one)) &&
            (next == nullptr || one.vs_baseline->median.value < next->vs_baseline->median.value)) {
            next = &one;
        }
    }
    return next;
}

/// Of those who tie, whom to take: what needs least comes first.
std::string simplest_of(const race_evidence& race, const std::vector<std::string>& leaders) {
    return *std::ranges::min_element(leaders, {}, [&](const std::string& name) {
        return traits_of(race.find(name)->scheme).effort;
    });
}

std::vector<cited_figure> figures_of(const race_evidence& race, const scheme_evidence& one) {
    std::vector<cited_figure> figures{{one.name + " median time", one.time->median},
                                      {one.name + " ratio", one.vs_baseline->median}};
    if (race.noise_floor) {
        figures.push_back({"noise floor", *race.noise_floor});
    }
    return figures;
}

/// "71.2 ms a run with 2 workers, 1.95 times as fast as serial (95 % interval 1.93…1.97)".
std::string figures_text(const advising& with, const race_evidence& race,
                         const scheme_evidence& one, std::vector<cited_figure>& figures) {
    std::string text = fmt::format("{} a run", duration_text(one.time->median.value, with.style));
    if (traits_of(one.scheme).workers != worker_kind::one) {
        text += " with " + counted(race.workers, "worker");
    }
    if (has_speedup(one)) {
        text += fmt::format(", {} times as fast as serial (95 % interval {})",
                            factor_text(one.speedup->median.value), with.range(*one.speedup));
        figures.push_back({one.name + " speed-up", one.speedup->median});
    }
    return text;
}

void name_the_fastest(const advising& with, const race_evidence& race) {
    const bool of_items = !race.item_leaders.empty();
    const std::vector<std::string>& leaders = of_items ? race.item_leaders : race.leaders;
    const std::string chosen = simplest_of(race, leaders);
    const scheme_evidence& one = *race.find(chosen);
    const std::string floor =
        race.noise_floor ? fmt::format(" (noise floor {})", percent_text(race.noise_floor->value))
                         : std::string();
    std::vector<cited_figure> figures = figures_of(race, one);
    std::string text = fmt::format("Take {}: {}", chosen, figures_text(with, race, one, figures));
    if (leaders.size() > 1) {
        text += fmt::format("; {} cannot be told from the fastest{}, and it is {} of them",
                            counted(leaders.size() - 1, "other"), floor,
                            chosen == leaders.front() ? "the first" : "the simplest");
    } else if (const scheme_evidence* next = next_after(race, leaders, of_items);
               next != nullptr && (!traits_of(next->scheme).reference || !has_speedup(one))) {
        text +=
            fmt::format("; {} of the time of {}, the next{}",
                        ratio_text(one.vs_baseline->median.value / next->vs_baseline->median.value),
                        next->name, floor);
        figures.push_back({next->name + " ratio", next->vs_baseline->median});
    }
    with.to.scheme = chosen;
    with.say(topic::scheme, text + ".", std::move(figures));

    const scheme_evidence& first = *race.find(race.leaders.front());
    if (of_items && !runs_items(first)) {
        const std::string ratio =
            ratio_text(first.vs_baseline->median.value / one.vs_baseline->median.value);
        const bool tie = std::ranges::find(race.leaders, chosen) != race.leaders.end();
        with.say(
            topic::scheme,
            tie ? fmt::format("{}, with code of its own, cannot be told from {}: it takes {} of "
                              "the time.",
                              first.name, chosen, ratio)
                : fmt::format("{} takes {} of the time of {}, but with code of its own: it "
                              "helps where that code is what you need.",
                              first.name, ratio, chosen),
            figures_of(race, first));
    }
}

} // namespace

void advise_on_scheme(const advising& with) {
    const std::string measure = with.command("race", {"--rounds", "15", "--json", "race.json"});
    if (!with.all.race) {
        with.leave_open(topic::scheme, fmt::format("Which scheme: {}.", with.nothing_is_said()),
                        measure);
        return;
    }
    const race_evidence& race = *with.all.race;
    if (race.leaders.empty()) {
        with.leave_open(topic::scheme,
                        fmt::format("Which scheme: the {} of {} gave no verdict; that takes "
                                    "{} clean ones.",
                                    counted(race.rounds, "round"), race.file, pairs_for_a_verdict),
                        measure);
        return;
    }
    name_the_fastest(with, race);
}

} // namespace regatta::race
