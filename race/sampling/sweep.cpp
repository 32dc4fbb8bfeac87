// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "sampling/sweep.hpp"

#include "sampling/random.hpp"

#include <algorithm>
#include <numeric>

namespace regatta::race {
namespace {

template<class T>
std::vector<T> values_of(const std::vector<T>& axis, T otherwise) {
    return axis.empty() ? std::vector<T>{otherwise} : axis;
}

race_options options_of(const sweep_cell& cell, const race_options& options, std::size_t cells) {
    race_options own = options;
    if (cell.size != 0) {
        own.work.size = cell.size;
    }
    own.scheme.workers = cell.workers;
    own.scheme.chunk = cell.chunk;
    own.scheme.capacity = cell.capacity;
    own.time = options.time / static_cast<std::int64_t>(cells);
    own.fill = options.fill / static_cast<std::int64_t>(cells);
    return own;
}

} // namespace

std::size_t sweep_axes::cells() const noexcept {
    const auto length = [](const auto& axis) { return std::max<std::size_t>(axis.size(), 1); };
    return length(sizes) * length(workers) * length(chunks) * length(capacities);
}

std::vector<const sweep_cell*> sweep_result::measured() const {
    std::vector<const sweep_cell*> all;
    for (const sweep_cell& cell : cells) {
        if (cell.result.rounds != 0) {
            all.push_back(&cell);
        }
    }
    return all;
}

sweep_result run_sweep(const workload_info& workload, const std::vector<entrant>& entrants,
                       const race_options& options, const sweep_axes& axes, race_control& control,
                       const std::function<void(const progress&)>& observer) {
    sweep_result result{axes, options.seed, false, {}};
    for (const std::size_t size : values_of(axes.sizes, options.work.size.value_or(0))) {
        for (const unsigned workers : values_of(axes.workers, options.scheme.workers)) {
            for (const std::size_t chunk : values_of(axes.chunks, options.scheme.chunk)) {
                for (const std::size_t capacity :
                     values_of(axes.capacities, options.scheme.capacity)) {
                    result.cells.push_back({size, workers, chunk, capacity});
                }
            }
        }
        race_options own = options;
        own.work.size = size != 0 ? std::optional(size) : options.work.size;
        static_cast<void>(workload.make(own.work)); // throws where it is out of range
    }
    const std::size_t count = result.cells.size();
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    random_source random(options.seed);
    random.shuffle(order);
    for (std::size_t i = 0; i < count && !control.stop_requested(); ++i) {
        sweep_cell& cell = result.cells[order[i]];
        const auto own = options_of(cell, options, count);
        cell.result = run_race(workload, entrants, own, control, [&](const progress& now) {
            if (observer) {
                progress whole = now;
                whole.done = (static_cast<double>(i) + now.done) / static_cast<double>(count);
                whole.left = now.left * static_cast<std::int64_t>(count - i);
                observer(whole);
            }
        });
    }
    result.stopped = control.stop_requested();
    return result;
}

} // namespace regatta::race
