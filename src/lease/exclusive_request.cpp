// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "lease/exclusive_request.hpp"

#include "lease/exclusive_machine.hpp"
#include "lease/exclusive_system.hpp"
#include "lease/lease_record.hpp"
#include <regatta/base/detail/printable_text.hpp>
#include <regatta/cpu/cpu_set.hpp>
#include <regatta/cpu/placement.hpp>
#include <regatta/cpu/topology.hpp>
#include <regatta/lease/exclusive_cpus.hpp>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace regatta::detail {
namespace {

exclusive_error bad_request(std::string text) {
    return {EINVAL, true, std::move(text)};
}

/// The CPUs that a request may have all but one of.
cpu_set room_in(const cpu_set& cpus, const exclusive_machine& machine) {
    const cpu_set shared = cpus - machine.isolated_at_boot;
    return shared.empty() ? cpus : shared;
}

/// More is asked for than is free. It could be had if nobody held CPUs.
exclusive_error busy(std::string text, const free_cpus& state) {
    for (const auto& [name, held] : state.holders) {
        text += "; CPUs " + held.to_string() + " belong to " + name;
    }
    return {EBUSY, false, std::move(text)};
}

} // namespace

free_cpus find_free_cpus(exclusive_system& system, const exclusive_machine& machine,
                         const std::vector<lease_record>& leases,
                         const exclusive_options& options) {
    free_cpus result;
    result.usable = usable_cpus(system, machine, options.move_others || !options.yielding.empty());
    for (const lease_record& lease : leases) {
        const bool alive = is_alive(system, lease);
        result.holders.emplace_back(
            std::string(alive ? "a lease" : "a stale lease") + " of process " +
                std::to_string(lease.owner.process) +
                (lease.title.empty() ? "" : " (" + lease.title + ")") +
                (alive ? "" : ", which `regatta cpus release --stale` undoes"),
            lease.cpus);
    }
    for (const held_cpus& one : machine.held) {
        const std::string group = "the group " + printable_text(one.group);
        // Leases of this journal were named above.
        const char* const more =
            is_lease_group(one.group) ? ", a lease that is not in this journal" : "";
        result.holders.emplace_back(group + more, one.cpus);
    }
    result.free = result.usable;
    for (const auto& [name, cpus] : result.holders) {
        result.free -= cpus;
    }
    return result;
}

cpu_set cpus_for_others(const cpu_set& cpus, const exclusive_machine& machine,
                        const free_cpus& state) {
    const cpu_set all = machine.online - cpus;
    cpu_set rest = all;
    for (const auto& [name, held] : state.holders) {
        rest -= held;
    }
    return rest.empty() ? all : rest;
}

bool has_foreign_shield(exclusive_system& system, const exclusive_machine& machine,
                        const std::vector<lease_record>& leases) {
    const std::string others = machine.v1.top + "/" + std::string(others_group);
    return machine.v1 && system.exists(others) && !is_made_by(leases, others);
}

exclusive_error check_proc(exclusive_system& system) {
    if (system.is_proc_foreign()) {
        return {ENOTSUP, false,
                "/proc numbers the processes of another PID namespace than that of this process, "
                "so tasks cannot be told apart; mount a /proc of its own (`unshare --mount-proc`)"};
    }
    return {};
}

exclusive_error check_online(exclusive_system& system, const exclusive_machine& machine) {
    if (!machine.online.empty()) {
        return {};
    }
    // Not what lacks a /sys, but perhaps one that lacks descriptors.
    const std::string list = "/sys/devices/system/cpu/online";
    const int error = system.read_error(list);
    return {error == 0 || error == ENOENT ? ENOTSUP : error, false,
            "the online CPUs are unknown: " + list + " cannot be read"};
}

exclusive_error check_request(const cpu_set& cpus, const exclusive_machine& machine,
                              const free_cpus& state) {
    const std::string asked = "CPUs '" + cpus.to_string() + "'";
    if (cpus.empty()) {
        return bad_request("no CPUs were requested; CPUs " + state.free.to_string() +
                           " are free, and at least one online CPU must be left for other tasks");
    }
    if (const cpu_set off = cpus - machine.online; !off.empty()) {
        return bad_request(asked + ": CPUs " + off.to_string() +
                           " are not online; those online are " + machine.online.to_string());
    }
    if (const cpu_set outside = cpus - state.usable; !outside.empty()) {
        return bad_request(asked + ": the control group of this process does not grant CPUs " +
                           outside.to_string() + "; it grants " + state.usable.to_string());
    }
    for (const auto& [name, held] : state.holders) {
        if (const cpu_set both = cpus & held; !both.empty()) {
            return {EBUSY, false,
                    asked + ": CPUs " + both.to_string() + " belong to " + name +
                        (state.free.empty() ? "; none are free"
                                            : "; CPUs " + state.free.to_string() + " are free")};
        }
    }
    // All other tasks need a CPU that no lease and no partition holds. The scheduler puts none on
    // CPUs that were isolated at boot.
    const cpu_set room = room_in(state.free, machine);
    if (cpus.contains(room)) {
        std::string text =
            asked +
            (room == state.free ? " are all the free CPUs"
                                : " have all the free CPUs that were not isolated at boot") +
            "; at least one must be left for other tasks" +
            (room.count() > 1
                 ? ": take at most " + std::to_string(room.count() - 1) + " of " + room.to_string()
                 : "");
        return cpus.contains(room_in(state.usable, machine)) ? bad_request(std::move(text))
                                                             : busy(std::move(text), state);
    }
    return {};
}

exclusive_error choose_cpus(unsigned count, const exclusive_machine& machine,
                            const free_cpus& state, const topology& layout, cpu_set& cpus) {
    cpu_set free = state.free - machine.isolated_at_boot;
    const cpu_set isolated = state.free & machine.isolated_at_boot;
    const auto most_of = [&](const cpu_set& all) {
        const unsigned others = (all - machine.isolated_at_boot).count();
        return std::max((all & machine.isolated_at_boot).count(), others > 0 ? others - 1 : 0);
    };
    const unsigned most = most_of(state.free);
    if (count == 0 || count > most) {
        const std::string asked =
            std::to_string(count) + (count == 1 ? " CPU was" : " CPUs were") + " requested; ";
        const std::string can = most == 0 ? "none" : most == 1 ? "1" : "1.." + std::to_string(most);
        const std::string free_ones =
            state.free.empty()
                ? "none is free"
                : (state.free.count() == 1 ? "CPU " : "CPUs ") + state.free.to_string() +
                      (state.free.count() == 1 ? " is free" : " are free");
        std::string text = asked + can + " can be granted, since " + free_ones +
                           " and at least one must be left for other tasks";
        return count == 0 || count > most_of(state.usable) ? bad_request(std::move(text))
                                                           : busy(std::move(text), state);
    }
    if (count <= isolated.count()) {
        free = isolated;
    }
    std::vector<cpu_place> places = places_of(layout, free);
    if (places.size() < count) { // Their topology is unknown.
        places.clear();
        for (const unsigned cpu : free) {
            places.emplace_back();
            places.back().cpu = cpu;
        }
    }
    cpus = {};
    // The run of neighbours that splits the fewest cores; of equal ones the last.
    for (std::size_t end = places.size(); end >= count; --end) {
        cpu_set run;
        for (std::size_t i = end - count; i < end; ++i) {
            run.insert(places[i].cpu);
        }
        if (cpus.empty() || layout.split_cores(run).size() < layout.split_cores(cpus).size()) {
            cpus = run;
        }
    }
    return {};
}

} // namespace regatta::detail
