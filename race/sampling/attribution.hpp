// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Where the time of the workers went. The parts are defined in docs/reference/attribution.md.

#include "schemes/run_log.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace regatta::race {

/// The parts that the time of the workers consists of, in the order in which a bar shows them.
enum class part : std::size_t {
    work,      ///< Items, as much as they cost in the serial scheme.
    inflation, ///< What the same items cost more than that.
    preempted, ///< Items had begun, but the worker had no CPU.
    dispatch,  ///< Between two items of a worker.
    set_up,    ///< From the start of the run to the worker's first item.
    imbalance, ///< From the worker's last item to the last item of all.
    tear_down, ///< From the last item of all to the end of the run.
    idle,      ///< Workers that never ran an item.
    unlogged,  ///< Workers that kept no log.
    measuring, ///< The race's own reading of clocks and keeping of logs.
};
inline constexpr std::size_t part_count = 10;
inline constexpr std::array<std::string_view, part_count> part_names{
    "work",      "inflation", "preempted", "dispatch", "set_up",
    "imbalance", "tear_down", "idle",      "unlogged", "measuring"};

/// What the set-up of workers consists of that are processes.
enum class set_up_step : std::size_t {
    spawning,    ///< To the begin of its program, after the loader.
    mapping,     ///< To where it has mapped the workload and the log.
    first_touch, ///< To its first item: what it reads and writes there for the first time.
};
inline constexpr std::size_t set_up_step_count = 3;
inline constexpr std::array<std::string_view, set_up_step_count> set_up_step_names{
    "spawning_ns", "mapping_ns", "first_touch_ns"};

/// The time of the workers of one run as the log shows it, before the items are held against the
/// serial scheme.
struct time_split {
    double wall_ns = 0;
    unsigned workers = 0; ///< Asked for, or as many as took part where those are more.
    double items_ns = 0;  ///< Sum of the items' wall times; less of it that was `preempted_ns`.
    /// From first to last item, where the items are too short to be timed one by one.
    double undivided_ns = 0;
    double preempted_ns = 0;
    double dispatch_ns = 0;
    double set_up_ns = 0;
    double imbalance_ns = 0;
    double tear_down_ns = 0;
    double idle_ns = 0;
    double unlogged_ns = 0;
    double measuring_ns = 0;
    /// What `set_up_ns` consists of, by `set_up_step`, of workers that are processes begun in the
    /// run.
    std::array<double, set_up_step_count> steps_ns{};

    /// Adds another run of the same scheme; `workers` stays the larger of the two.
    time_split& operator+=(const time_split& other) noexcept;
    /// The mean of so many runs that were added.
    time_split divided_by(unsigned runs) const noexcept;

    /// Of all parts: workers × wall.
    double sum_ns() const noexcept {
        return items_ns + undivided_ns + preempted_ns + dispatch_ns + set_up_ns + imbalance_ns +
               tear_down_ns + idle_ns + unlogged_ns + measuring_ns;
    }
};

/// What the log of an item costs a worker. Items that are counted cost nothing of it.
struct log_cost {
    double within_ns = 0; ///< Of the item's own time: the half of both clock reads.
    double beside_ns = 0; ///< Between two items.
};

/// What the race knows of a run besides its log.
struct run_facts {
    std::int64_t begin_ns = 0; ///< On the log's clock.
    std::int64_t end_ns = 0;
    std::int64_t cpu_ns = 0; ///< CPU time of all that took part, between those two.
    unsigned workers = 1;    ///< Asked for.
    bool logs_items = true;  ///< False: the workers are a library's own.
    bool tiny_items = false; ///< They were counted, not timed.
    bool forked = false;     ///< The workload divided itself: nothing was counted, either.
    log_cost cost{};
};

/// Splits the time of one run.
time_split split_time(const run_log& log, const run_facts& facts);

/// The time of the workers of a scheme, over its samples.
struct attribution {
    std::array<double, part_count> ns{}; ///< By `part`; they sum to `workers × wall_ns`.
    double wall_ns = 0;                  ///< The median.
    unsigned workers = 0;
    bool has_reference = false; ///< The serial scheme ran, so that `inflation` means something.
    /// What of `set_up` was what, by `set_up_step`; all 0: no process was begun in the run.
    std::array<double, set_up_step_count> steps_ns{};
    bool counts_items = false; ///< Items were counted, not timed: `work` is what serial needed.
    /// What the items cost, as a multiple of what they cost in the serial scheme. Absent where
    /// there is no reference, or the items were not timed.
    std::optional<double> item_cost{};

    double of(part p) const noexcept { return ns[static_cast<std::size_t>(p)]; }
    double total_ns() const noexcept { return wall_ns * workers; }
    /// The part as a share of all, 0…1.
    double share(part p) const noexcept { return total_ns() > 0 ? of(p) / total_ns() : 0; }
    /// How many workers ran an item, on average.
    double busy_workers() const noexcept {
        return std::max(1.0, workers - (wall_ns > 0 ? of(part::idle) / wall_ns : 0));
    }
};

/// What all items cost, by the splits of the serial scheme: the median. 0 of nothing.
double reference_items_ns(const std::vector<time_split>& serial);

/// Puts the splits of a scheme together: of each part the median of its shares, scaled so that the
/// parts sum to the workers' time in a run of median length.
/// @param reference_ns what the items cost in the serial scheme; 0: not known.
attribution attribute(const std::vector<time_split>& splits, double reference_ns);

} // namespace regatta::race
