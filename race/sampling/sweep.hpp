// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The same race over a grid of sizes, workers, chunks and capacities.

#include "sampling/launches.hpp"
#include "sampling/race.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace regatta::race {

/// What varies; of what is empty the options' own value is taken.
struct sweep_axes {
    std::vector<std::size_t> sizes;
    std::vector<unsigned> workers;
    std::vector<std::size_t> chunks;
    std::vector<std::size_t> capacities; ///< 0: no bound.

    /// How many races it is.
    std::size_t cells() const noexcept;
};

/// Where a race stands in the grid.
struct sweep_place {
    std::size_t size = 0; ///< 0: the workload's own.
    unsigned workers = 0;
    std::size_t chunk = 0;
    std::size_t capacity = 0; ///< 0: no bound.

    bool operator==(const sweep_place&) const = default;
};

/// What was found out there: by one race, or by the races of several launches.
struct sweep_cell {
    sweep_place at{};
    race_result result{};       ///< Without schemes if it was not run, or was run in launches.
    launches_result launches{}; ///< With no races unless it was run in launches.
};

/// What a sweep found out.
struct sweep_result {
    std::string workload;
    std::optional<double> rate{}; ///< `race_options::rate`.
    sweep_axes axes{};
    std::uint64_t order_seed = 0;    ///< Of the order of the cells and, within each, of the runs.
    unsigned launches = 1;           ///< In so many fresh processes, as planned.
    bool stopped = false;            ///< Cut short.
    std::vector<sweep_cell> cells{}; ///< Sizes outermost, capacities innermost; not as they ran.

    /// Of those that were run, if only to find that no scheme can.
    std::vector<const sweep_cell*> measured() const;
};

/// Runs a race in each cell, the cells in random order, so that a drift of the machine is not taken
/// for an effect of the axis. `options.time` and `options.fill` are for all of them together.
///
/// Every cell is checked before the first is run. After `control.request_stop()` it returns what
/// was measured by then. Threads and Failure: as `run_race`.
sweep_result run_sweep(const workload_info& workload, const std::vector<entrant>& entrants,
                       const race_options& options, const sweep_axes& axes, race_control& control,
                       const std::function<void(const progress&)>& observer = {});

/// Puts the documents of a sweep together that several launches wrote: each cell as
/// `sum_up_launches` does its races. A launch that was stopped before a cell is not among its
/// launches. Failure: as `sum_up_launches`.
/// @param options as each launch had them; the seed is that of the first.
sweep_result sum_up_sweeps(const workload_info& workload, const race_options& options,
                           const sweep_axes& axes, const std::vector<json>& sweeps,
                           unsigned planned);

} // namespace regatta::race
