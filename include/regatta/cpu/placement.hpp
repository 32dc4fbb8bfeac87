// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Placement of workers on CPUs.

#include <regatta/base/error.hpp>
#include <regatta/cpu/affinity.hpp>
#include <regatta/cpu/cpu_set.hpp>
#include <regatta/cpu/topology.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

namespace regatta {

/// How workers are placed on the machine:
///
/// - `compact`: one CPU each, as close together as possible: siblings first, then the next core of
///   the same cache, die, package. For workers that share data.
/// - `scatter`: one CPU each, as far apart as possible: another package each time, then another
///   die, cache, core; siblings last. For workers that need memory bandwidth and caches of their
///   own.
/// - `one_per_core`: a whole core each, with all its siblings, close together.
/// - `avoid_siblings`: one CPU each, close together, but no core gets a second worker before each
///   core has one. For computation.
/// - `per_node`: all CPUs of a node each; nodes get workers in proportion to their CPUs.
///
/// On a hybrid machine the faster cores come first.
enum class placement_policy { compact, scatter, one_per_core, avoid_siblings, per_node };

namespace detail {

/// The position of a CPU, from the outermost part inwards. Two CPUs are the closer, the longer the
/// common prefix of their positions. Memory node, package and die are the levels from `outermost`
/// to `innermost`, in the order in which this machine nests them.
struct cpu_place {
    enum level { kind, outermost, middle, innermost, cache, cluster, core, sibling, levels };
    std::array<unsigned, levels> at{};
    unsigned cpu = 0;
};

/// Whether each memory node with CPUs is inside one of `parts`.
template<class Part>
bool hold_nodes(const std::vector<Part>& parts, const topology& machine) {
    return std::all_of(machine.nodes.begin(), machine.nodes.end(), [&](const numa_node& node) {
        return std::any_of(parts.begin(), parts.end(),
                           [&](const Part& part) { return part.cpus.contains(node.cpus); });
    });
}

/// The places of `allowed`, sorted so that close places are adjacent.
inline std::vector<cpu_place> places_of(const topology& machine, const cpu_set& allowed) {
    const bool in_packages = hold_nodes(machine.packages, machine);
    const bool in_dies = hold_nodes(machine.dies, machine);
    // Where each core has a cache of its own that says nothing about neighbours.
    const bool share_caches =
        std::any_of(machine.cpus.begin(), machine.cpus.end(), [&](const cpu_info& info) {
            const cpu_cache* const cache = machine.cache_of(info.cpu);
            return cache != nullptr && !machine.cores[info.core].cpus.contains(cache->cpus);
        });
    std::vector<cpu_place> places;
    for (const unsigned cpu : allowed) {
        const cpu_info* const info = machine.find(cpu);
        if (info == nullptr) {
            continue; // Offline.
        }
        const cpu_core& core = machine.cores[info->core];
        const cpu_cache* const cache = machine.cache_of(cpu);
        cpu_place place;
        place.cpu = cpu;
        place.at[cpu_place::kind] = info->kind;
        place.at[cpu_place::outermost] = in_packages ? info->package : info->node;
        place.at[cpu_place::middle] = in_dies       ? info->die
                                      : in_packages ? info->node
                                                    : info->package;
        place.at[cpu_place::innermost] = in_dies ? info->node : info->die;
        if (cache != nullptr && share_caches) {
            place.at[cpu_place::cache] = *cache->cpus.begin() + 1;
        }
        place.at[cpu_place::cluster] = static_cast<unsigned>(core.cluster + 1);
        place.at[cpu_place::core] = info->core;
        for (const unsigned sibling : core.cpus) {
            place.at[cpu_place::sibling] += sibling < cpu && allowed.contains(sibling) ? 1u : 0u;
        }
        places.push_back(place);
    }
    std::sort(places.begin(), places.end(),
              [](const cpu_place& a, const cpu_place& b) { return a.at < b.at; });
    return places;
}

/// Orders places that agree in all levels before `level` so that adjacent ones are in different
/// parts wherever possible: the parts take turns, at this level and at each one inside it.
inline std::vector<cpu_place> take_turns(const std::vector<cpu_place>& places, std::size_t level) {
    if (level == cpu_place::levels || places.size() < 2) {
        return places;
    }
    std::map<unsigned, std::vector<cpu_place>> parts;
    for (const cpu_place& place : places) {
        parts[place.at[level]].push_back(place);
    }
    for (auto& [number, part] : parts) {
        part = take_turns(part, level + 1);
    }
    std::vector<cpu_place> order;
    for (std::size_t turn = 0; order.size() < places.size(); ++turn) {
        for (const auto& [number, part] : parts) {
            if (turn < part.size()) {
                order.push_back(part[turn]);
            }
        }
    }
    return order;
}

/// Stable sort of places by one level.
inline void order_by(std::vector<cpu_place>& places, cpu_place::level level) {
    std::stable_sort(places.begin(), places.end(), [level](const cpu_place& a, const cpu_place& b) {
        return a.at[level] < b.at[level];
    });
}

/// The CPU sets of `workers` workers: each gets the node that then has the fewest workers per CPU.
inline std::vector<cpu_set> share_nodes(unsigned workers, const topology& machine,
                                        const cpu_set& allowed) {
    struct share {
        cpu_set cpus;
        std::size_t workers = 0;
    };
    std::vector<share> shares;
    for (const numa_node& node : machine.nodes) {
        if (cpu_set cpus = node.cpus & allowed; !cpus.empty()) {
            shares.push_back({std::move(cpus), 0});
        }
    }
    std::vector<cpu_set> placed;
    while (placed.size() < workers) {
        const auto next =
            std::min_element(shares.begin(), shares.end(), [](const share& a, const share& b) {
                return (a.workers + 1) * b.cpus.count() < (b.workers + 1) * a.cpus.count();
            });
        ++next->workers;
        placed.push_back(next->cpus);
    }
    return placed;
}

} // namespace detail

/// The CPUs of each of `workers` workers, placed by `policy` on those CPUs of `allowed` that are
/// online. With more workers than places, the places are reused from the first, so that their loads
/// differ by at most one worker.
///
/// Threads: any.
/// Failure: `std::invalid_argument` if no CPU of `allowed` is online.
/// Cost: linear in CPUs times caches, without a system call.
inline std::vector<cpu_set> place(unsigned workers, placement_policy policy,
                                  const topology& machine, const cpu_set& allowed) {
    const std::vector<detail::cpu_place> nearest_first = detail::places_of(machine, allowed);
    if (nearest_first.empty()) {
        fail_argument("no CPU of '" + allowed.to_string() + "' is online; those online are '" +
                      machine.online.to_string() + "'");
    }
    if (policy == placement_policy::per_node) {
        return detail::share_nodes(workers, machine, allowed & machine.online);
    }
    std::vector<detail::cpu_place> order = nearest_first;
    if (policy == placement_policy::scatter) {
        // Kinds and siblings are ranks, not places: fast cores come before slow ones, and the first
        // sibling of every core before the second sibling of any core.
        order = detail::take_turns(nearest_first, detail::cpu_place::outermost);
        detail::order_by(order, detail::cpu_place::kind);
        detail::order_by(order, detail::cpu_place::sibling);
    } else if (policy == placement_policy::avoid_siblings) {
        detail::order_by(order, detail::cpu_place::sibling);
    }
    std::vector<cpu_set> places;
    for (const detail::cpu_place& next : order) {
        if (policy != placement_policy::one_per_core) {
            places.push_back(cpu_set{next.cpu});
        } else if (next.at[detail::cpu_place::sibling] == 0) {
            places.push_back(machine.siblings_of(next.cpu) & allowed);
        }
    }
    std::vector<cpu_set> placed;
    for (std::size_t worker = 0; worker < workers; ++worker) {
        placed.push_back(places[worker % places.size()]);
    }
    return placed;
}

/// The same for the CPUs that the calling thread may use, on this machine in its present state.
/// Failure: also `std::system_error` if the system does not report the affinity.
inline std::vector<cpu_set> place(unsigned workers, placement_policy policy) {
    return place(workers, policy, topology::read(), affinity_of_this_thread());
}

} // namespace regatta
