// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "sampling/attribution.hpp"

#include "sampling/statistics.hpp"

#include <algorithm>
#include <numeric>

namespace regatta::race {
namespace {

using shares = std::array<double, part_count>;

shares parts_of(const time_split& split, double reference_ns) {
    shares parts{};
    const auto at = [&](part p) -> double& { return parts[static_cast<std::size_t>(p)]; };
    at(part::work) = reference_ns > 0 ? std::min(split.items_ns, reference_ns) : split.items_ns;
    at(part::inflation) = split.items_ns - at(part::work);
    at(part::preempted) = split.preempted_ns;
    const double work_within = std::min(split.undivided_ns, reference_ns);
    at(part::work) += work_within;
    at(part::dispatch) = split.dispatch_ns;
    at(part::set_up) = split.set_up_ns;
    at(part::imbalance) = split.imbalance_ns;
    at(part::tear_down) = split.tear_down_ns;
    at(part::idle) = split.idle_ns;
    at(part::unlogged) = split.unlogged_ns;
    at(part::measuring) = split.measuring_ns;
    at(reference_ns > 0 ? part::dispatch : part::unlogged) += split.undivided_ns - work_within;
    return parts;
}

/// Calls `f` with each time of it, and the same of another.
template<class F>
void for_each_time(time_split& split, const time_split& other, F f) {
    f(split.wall_ns, other.wall_ns);
    f(split.items_ns, other.items_ns);
    f(split.undivided_ns, other.undivided_ns);
    f(split.preempted_ns, other.preempted_ns);
    f(split.dispatch_ns, other.dispatch_ns);
    f(split.set_up_ns, other.set_up_ns);
    f(split.imbalance_ns, other.imbalance_ns);
    f(split.tear_down_ns, other.tear_down_ns);
    f(split.idle_ns, other.idle_ns);
    f(split.unlogged_ns, other.unlogged_ns);
    f(split.measuring_ns, other.measuring_ns);
    for (std::size_t i = 0; i < split.steps_ns.size(); ++i) {
        f(split.steps_ns[i], other.steps_ns[i]);
    }
}

/// Of the time of a worker's items, how long it had no CPU: the rate of the stretch that was looked
/// at, for all of its items.
double delay_in_items(const worker_log& worker) noexcept {
    return worker.delay_span_ns <= 0
               ? 0
               : static_cast<double>(worker.delay_ns) / static_cast<double>(worker.delay_span_ns) *
                     static_cast<double>(worker.busy_ns);
}

} // namespace

time_split& time_split::operator+=(const time_split& other) noexcept {
    workers = std::max(workers, other.workers);
    for_each_time(*this, other, [](double& to, double from) { to += from; });
    return *this;
}

time_split time_split::divided_by(unsigned runs) const noexcept {
    time_split mean = *this;
    for_each_time(mean, mean, [runs](double& to, double) { to /= runs; });
    return mean;
}

time_split split_time(const run_log& log, const run_facts& facts) {
    // Relaxed: the workers were joined, or their processes waited for.
    const unsigned seen = log.seen.load(std::memory_order_relaxed);
    const unsigned logged = std::min(seen, run_log::max_workers);
    const auto wall = static_cast<double>(facts.end_ns - facts.begin_ns);
    time_split split;
    split.wall_ns = wall;
    if (!facts.logs_items) {
        split.workers = facts.workers;
        (facts.forked ? split.undivided_ns : split.unlogged_ns) = wall * facts.workers;
        return split;
    }
    split.workers = std::max(facts.workers, seen);
    split.unlogged_ns = wall * (seen - logged);

    std::int64_t last_ns = facts.begin_ns;
    for (unsigned i = 0; i < logged; ++i) {
        if (log.workers[i].items != 0) {
            last_ns = std::max(last_ns, log.workers[i].last_ns);
        }
    }
    unsigned working = 0;
    double delayed_ns = 0;
    for (unsigned i = 0; i < logged; ++i) {
        const worker_log& worker = log.workers[i];
        if (worker.items == 0) {
            continue;
        }
        ++working;
        const std::int64_t active_ns = worker.last_ns - worker.first_ns;
        split.set_up_ns += static_cast<double>(worker.first_ns - facts.begin_ns);
        if (worker.started_ns > facts.begin_ns && worker.started_ns <= worker.first_ns) {
            const std::int64_t mapped =
                std::clamp(worker.mapped_ns, worker.started_ns, worker.first_ns);
            split.steps_ns[0] += static_cast<double>(worker.started_ns - facts.begin_ns);
            split.steps_ns[1] += static_cast<double>(mapped - worker.started_ns);
            split.steps_ns[2] += static_cast<double>(worker.first_ns - mapped);
        }
        if (facts.tiny_items) {
            split.undivided_ns += static_cast<double>(active_ns);
        } else {
            const auto items = static_cast<double>(worker.items);
            const auto busy = static_cast<double>(worker.busy_ns);
            const auto between = static_cast<double>(active_ns - worker.busy_ns);
            const double within = std::min(busy, items * facts.cost.within_ns);
            // After its last item a worker has still to write that down, so that there is one less.
            const double beside = std::clamp(static_cast<double>(worker.looking_ns) +
                                                 std::max(0.0, items - 1) * facts.cost.beside_ns,
                                             0.0, std::max(0.0, between));
            split.items_ns += busy - within;
            split.dispatch_ns += between - beside;
            split.measuring_ns += within + beside;
            delayed_ns += delay_in_items(worker);
        }
        split.imbalance_ns += static_cast<double>(last_ns - worker.last_ns);
        split.tear_down_ns += static_cast<double>(facts.end_ns - last_ns);
    }
    split.idle_ns = wall * (split.workers - working - (seen - logged));
    // The items cannot have had more CPU time than all together; what is missing, they waited. That
    // is too little where workers spin between items, and what the kernel counted is not.
    split.preempted_ns =
        std::clamp(std::max(split.items_ns - static_cast<double>(facts.cpu_ns), delayed_ns), 0.0,
                   split.items_ns);
    split.items_ns -= split.preempted_ns;
    return split;
}

double reference_items_ns(const std::vector<time_split>& serial) {
    std::vector<double> all;
    for (const time_split& split : serial) {
        all.push_back(split.items_ns + split.undivided_ns);
    }
    return median(std::move(all));
}

attribution attribute(const std::vector<time_split>& splits, double reference_ns) {
    attribution result;
    result.has_reference = reference_ns > 0;
    std::array<std::vector<double>, part_count> each;
    std::vector<double> walls;
    std::array<std::vector<double>, set_up_step_count> steps;
    for (const time_split& split : splits) {
        const shares parts = parts_of(split, reference_ns);
        const double sum = split.sum_ns();
        if (sum <= 0) {
            continue;
        }
        for (std::size_t i = 0; i < part_count; ++i) {
            each[i].push_back(parts[i] / sum);
        }
        for (std::size_t i = 0; i < set_up_step_count; ++i) {
            steps[i].push_back(split.set_up_ns > 0 ? split.steps_ns[i] / split.set_up_ns : 0);
        }
        walls.push_back(split.wall_ns);
        result.workers = std::max(result.workers, split.workers);
        result.counts_items = result.counts_items || split.undivided_ns > 0;
    }
    if (walls.empty()) {
        return result;
    }
    result.wall_ns = median(std::move(walls));
    std::vector<double> items;
    for (const time_split& split : splits) {
        items.push_back(split.items_ns);
    }
    if (const double own = median(std::move(items)); reference_ns > 0 && own > 0) {
        result.item_cost = own / reference_ns;
    }
    for (std::size_t i = 0; i < part_count; ++i) {
        result.ns[i] = median(std::move(each[i]));
    }
    const double sum = std::accumulate(result.ns.begin(), result.ns.end(), 0.0);
    for (double& value : result.ns) {
        value *= sum > 0 ? result.total_ns() / sum : 0;
    }
    for (std::size_t i = 0; i < set_up_step_count; ++i) {
        result.steps_ns[i] = median(std::move(steps[i]));
    }
    // Scaled to the part that they make up; less of it where some workers are no processes.
    const double whole = std::accumulate(result.steps_ns.begin(), result.steps_ns.end(), 0.0);
    for (double& value : result.steps_ns) {
        value *= result.of(part::set_up) / std::max(whole, 1.0);
    }
    return result;
}

} // namespace regatta::race
