// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "advice/loss.hpp"

#include "advice/advise_topics.hpp"
#include "sampling/verdict.hpp"
#include "schemes/scheme.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace regatta::race {
namespace {

/// The parts of the workers' time that no item runs in.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> waits{{
    {"dispatch", "into handing items out"},
    {"set_up", "by before the first items"},
    {"imbalance", "into waiting for the last items of others"},
    {"tear_down", "into ending the run"},
    {"idle", "to workers that never get an item"},
    {"preempted", "by in the middle of items, without a CPU"},
}};

/// How much of a loss of time a cost of items by so many times makes up.
double share_of_loss(double items_ratio, double efficiency) {
    const double lost = 1 / efficiency - 1;
    return lost <= 0 ? 0 : std::clamp((items_ratio - 1) / lost, 0.0, 1.0);
}

std::optional<loss> by_scaling(const scale_evidence& scale) {
    const auto sound = sound_points(scale);
    const point_evidence* alone = nullptr;
    const point_evidence* together = nullptr;
    for (const point_evidence* one : sound) {
        alone = one->workers == 1 ? one : alone;
        together = one->workers > 1 && one->workers <= scale.cpus ? one : together;
    }
    if (alone == nullptr || together == nullptr || together->efficiency->value <= 0 ||
        !scale.noise_floor) {
        return std::nullopt;
    }
    loss found;
    found.workers = together->workers;
    found.efficiency = together->efficiency->value;
    found.noise = scale.noise_floor->value;
    found.figures.push_back(
        {fmt::format("efficiency with {}", found.workers), *together->efficiency});
    if (alone->mean_latency && together->mean_latency && alone->mean_latency->value > 0) {
        found.items_ratio = together->mean_latency->value / alone->mean_latency->value;
        found.items_share = share_of_loss(found.items_ratio, found.efficiency);
        found.figures.push_back({"an item with 1", *alone->mean_latency});
        found.figures.push_back(
            {fmt::format("an item with {}", found.workers), *together->mean_latency});
    }
    found.clock_alone = alone->clock_hz;
    found.clock_together = together->clock_hz;
    found.cpu_share_alone = alone->item_cpu_share;
    found.cpu_share_together = together->item_cpu_share;
    return found;
}

std::optional<loss> by_race(const race_evidence& race, const scheme_evidence& one) {
    const bool known = one.speedup && one.speedup->count >= pairs_for_a_verdict &&
                       race.workers > 1 && race.workers <= race.machine.available_cpus &&
                       one.speedup->median.value > 0 && !is_disturbed(race) && race.noise_floor;
    if (!known) {
        return std::nullopt;
    }
    loss found;
    found.workers = race.workers;
    found.efficiency = one.speedup->median.value / race.workers;
    found.noise = race.noise_floor->value;
    found.figures.push_back({one.name + " speed-up", one.speedup->median});
    return found;
}

/// Takes from the parts of the time what the race knows better, or alone.
void add_parts(const scheme_evidence& one, loss& found) {
    found.scheme = one.name;
    const double work = one.share("work");
    const figure* inflation = one.part("inflation");
    if (!found.items_share && one.times_items && work > 0 && inflation != nullptr && one.speedup) {
        found.items_ratio = 1 + one.share("inflation") / work;
        found.items_share = share_of_loss(found.items_ratio, found.efficiency);
        found.figures.push_back({one.name + " inflation", *inflation});
    }
    for (const auto& [part, words] : waits) {
        const double share = one.share(part);
        if (share > found.largest_wait_share) {
            found.largest_wait = part;
            found.largest_wait_words = words;
            found.largest_wait_share = share;
            found.largest_wait_ns = *one.part(part);
        }
    }
}

} // namespace

std::optional<loss> loss_of(const evidence& all, const std::optional<std::string>& scheme) {
    const scheme_evidence* raced = all.race && scheme ? all.race->find(*scheme) : nullptr;
    if (raced != nullptr && !raced->program &&
        traits_of(raced->scheme).workers == worker_kind::one) {
        raced = nullptr; // It says nothing of several workers.
    }
    std::optional<loss> found = all.scale ? by_scaling(*all.scale) : std::nullopt;
    if (!found && raced != nullptr) {
        found = by_race(*all.race, *raced);
    }
    if (found && raced != nullptr && all.race->workers == found->workers && !raced->parts.empty()) {
        add_parts(*raced, *found);
    }
    return found;
}

} // namespace regatta::race
