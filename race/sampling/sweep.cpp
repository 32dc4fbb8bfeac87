// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "sampling/sweep.hpp"

#include "sampling/offered_rate.hpp"
#include "sampling/random.hpp"

#include <regatta/base/error.hpp>

#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>

namespace regatta::race {
namespace {

template<class T>
std::vector<T> values_of(const std::vector<T>& axis, T otherwise) {
    return axis.empty() ? std::vector<T>{otherwise} : axis;
}

race_options options_of(const sweep_place& at, const race_options& options, std::size_t cells) {
    race_options own = options;
    if (at.size != 0) {
        own.work.size = at.size;
    }
    own.scheme.workers = at.workers;
    own.scheme.chunk = at.chunk;
    own.scheme.capacity = at.capacity;
    own.time = options.time / static_cast<std::int64_t>(cells);
    own.fill = options.fill / static_cast<std::int64_t>(cells);
    return own;
}

/// A sweep of which nothing has run.
sweep_result planned_sweep(const workload_info& workload, const race_options& options,
                           const sweep_axes& axes) {
    sweep_result planned;
    planned.workload = workload.name;
    planned.rate = options.rate;
    planned.axes = axes;
    planned.order_seed = options.seed;
    for (const std::size_t size : values_of(axes.sizes, options.work.size.value_or(0))) {
        for (const unsigned workers : values_of(axes.workers, options.scheme.workers)) {
            for (const std::size_t chunk : values_of(axes.chunks, options.scheme.chunk)) {
                for (const std::size_t capacity :
                     values_of(axes.capacities, options.scheme.capacity)) {
                    planned.cells.push_back({.at = {size, workers, chunk, capacity}});
                }
            }
        }
    }
    return planned;
}

const json& sweep_member(const json& object, std::string_view name) {
    const json* const found = object.find(name);
    if (found == nullptr) {
        fail_argument("launches: a sweep has no member \"" + std::string(name) + "\"");
    }
    return *found;
}

sweep_place place_of(const json& cell) {
    const json& size = sweep_member(cell, "size");
    const auto value = [&](std::string_view name) { return sweep_member(cell, name).natural(); };
    return {size.is_null() ? 0 : static_cast<std::size_t>(size.natural()),
            static_cast<unsigned>(value("workers")), static_cast<std::size_t>(value("chunk")),
            static_cast<std::size_t>(value("capacity"))};
}

} // namespace

std::size_t sweep_axes::cells() const noexcept {
    const auto length = [](const auto& axis) { return std::max<std::size_t>(axis.size(), 1); };
    return length(sizes) * length(workers) * length(chunks) * length(capacities);
}

std::vector<const sweep_cell*> sweep_result::measured() const {
    std::vector<const sweep_cell*> all;
    for (const sweep_cell& cell : cells) {
        const bool none_can = !cell.result.schemes.empty() && !cell.result.stopped;
        if (cell.result.rounds != 0 || none_can || !cell.launches.races.empty()) {
            all.push_back(&cell);
        }
    }
    return all;
}

sweep_result run_sweep(const workload_info& workload, const std::vector<entrant>& entrants,
                       const race_options& options, const sweep_axes& axes, race_control& control,
                       const std::function<void(const progress&)>& observer) {
    sweep_result result = planned_sweep(workload, options, axes);
    for (const std::size_t size : values_of(axes.sizes, options.work.size.value_or(0))) {
        race_options own = options;
        own.work.size = size != 0 ? std::optional(size) : options.work.size;
        const auto work = workload.make(own.work); // throws where it is out of range
        if (options.rate) {
            check_offered_rate(*options.rate, *work);
        }
    }
    const std::size_t count = result.cells.size();
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    random_source random(options.seed);
    random.shuffle(order);
    for (std::size_t i = 0; i < count && !control.stop_requested(); ++i) {
        sweep_cell& cell = result.cells[order[i]];
        const auto own = options_of(cell.at, options, count);
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

sweep_result sum_up_sweeps(const workload_info& workload, const race_options& options,
                           const sweep_axes& axes, const std::vector<json>& sweeps,
                           unsigned planned) {
    sweep_result result = planned_sweep(workload, options, axes);
    result.launches = planned;
    result.stopped = sweeps.size() < planned;
    for (const json& sweep : sweeps) {
        result.stopped = result.stopped || sweep_member(sweep, "stopped").boolean();
    }
    for (sweep_cell& cell : result.cells) {
        std::vector<json> races;
        for (const json& sweep : sweeps) {
            for (const json::member& one : sweep_member(sweep, "cells").members()) {
                if (place_of(one.value) == cell.at) {
                    races.push_back(sweep_member(one.value, "race"));
                }
            }
        }
        cell.launches = sum_up_launches(std::move(races), planned, options.seed);
        cell.launches.margin = options.margin; // Also where no launch counts.
    }
    return result;
}

} // namespace regatta::race
