// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The same race over a grid of sizes, workers, chunks and capacities.

#include "sampling/race.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
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
struct sweep_cell {
    std::size_t size = 0; ///< 0: the workload's own.
    unsigned workers = 0;
    std::size_t chunk = 0;
    std::size_t capacity = 0; ///< 0: no bound.
    race_result result{};     ///< Without rounds where the sweep was stopped before it.
};

/// What a sweep found out.
struct sweep_result {
    sweep_axes axes;
    std::uint64_t order_seed = 0;  ///< Of the order of the cells and, within each, of the runs.
    bool stopped = false;          ///< Cut short.
    std::vector<sweep_cell> cells; ///< Sizes outermost, capacities innermost; not as they were run.

    /// Of those that have figures.
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

} // namespace regatta::race
