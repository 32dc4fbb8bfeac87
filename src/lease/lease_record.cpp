// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "lease/lease_record.hpp"

#include "lease/exclusive_masks.hpp"
#include "lease/exclusive_step.hpp"
#include "lease/exclusive_system.hpp"
#include "lease/exclusive_tasks.hpp"
#include <regatta/base/detail/printable_text.hpp>
#include <regatta/base/detail/system_files.hpp>
#include <regatta/cpu/cpu_set.hpp>
#include <regatta/lease/exclusive_cpus.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace regatta::detail {
namespace {

/// The boot of an owner that could not read it.
constexpr std::string_view unknown = "unknown";

/// Reads the first line of a lease's file.
/// @returns false if it is damaged.
bool read_first_line(lease_record& lease, const std::vector<std::string>& fields) {
    if (fields[0] != "lease 1") {
        lease.foreign = fields[0].starts_with("lease ");
        return lease.foreign;
    }
    cpu_list_error error;
    const auto process = fields.size() == 7 ? to_number(fields[1]) : std::nullopt;
    const auto start = process ? to_number(fields[2]) : std::nullopt;
    auto cpus = start ? cpu_set::try_parse(fields[5], cpu_set::max_width, error) : std::nullopt;
    if (!cpus) {
        return false;
    }
    lease.owner = {static_cast<int>(*process), static_cast<std::uint64_t>(*start), fields[3],
                   fields[4]};
    lease.cpus = std::move(*cpus);
    lease.title = printable_text(fields[6]);
    lease.complete = true;
    return true;
}

/// Reads another line.
/// @returns false if it is damaged.
bool read_line(lease_record& lease, const std::vector<std::string>& fields) {
    if (fields[0] == "undone") {
        lease.steps.clear();
        lease.damaged_line = 0;
    } else if (fields[0] == "taken" && fields.size() == 2) {
        lease.level = static_cast<exclusivity>(to_number(fields[1]).value_or(0));
        lease.taken = true;
    } else if (fields[0] == "not done" && !lease.steps.empty()) {
        lease.steps.pop_back();
    } else if (fields[0] == "given up") {
        lease.given_up = true;
    } else if (auto step = step_from_fields(fields)) {
        lease.steps.push_back(std::move(*step));
    } else {
        return false;
    }
    return true;
}

/// Reads a lease's file. Ignores a line without its end: no action ever followed it.
lease_record read_lease(exclusive_system& system, const std::string& name) {
    lease_record lease;
    lease.name = name;
    const std::string path = system.journal() + "/" + name;
    const auto text = system.read(path);
    lease.unread = !text && system.read_error(path) != ENOENT;
    std::string_view rest = text ? std::string_view(*text) : std::string_view();
    int number = 0;
    for (auto end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
        ++number;
        const auto fields = fields_of(rest.substr(0, end));
        const bool sound = number == 1 ? read_first_line(lease, fields)
                                       : lease.foreign || read_line(lease, fields);
        lease.damaged_line = sound || lease.damaged_line != 0 ? lease.damaged_line : number;
        rest.remove_prefix(end + 1);
    }
    lease.unread = lease.unread || (number > 0 && !lease.complete && !lease.foreign);
    use_last_masks(lease.steps); // A task may have entered twice.
    // Tasks that entered later were recorded later; masks are restored after all other steps.
    std::stable_partition(lease.steps.begin(), lease.steps.end(), [](const exclusive_step& step) {
        return step.kind == step_kind::save_masks;
    });
    return lease;
}

} // namespace

lease_owner this_owner(exclusive_system& system) {
    lease_owner owner;
    owner.process = system.this_process();
    const auto details = read_task_details(system, owner.process, owner.process);
    owner.start = details ? details->start : 0;
    const auto boot = system.read("/proc/sys/kernel/random/boot_id");
    owner.boot = boot ? trimmed(*boot) : unknown;
    owner.processes = system.process_numbering();
    return owner;
}

bool is_alive(exclusive_system& system, const lease_record& lease) {
    if (lease.foreign || lease.unread) {
        return true;
    }
    if (lease.given_up) {
        return false;
    }
    const lease_owner self = this_owner(system);
    if (is_of_another_boot(system, lease.owner, self)) {
        return false;
    }
    if (lease.owner.processes != self.processes) {
        return !is_numbering_gone(system, lease.owner.processes);
    }
    if (system.is_proc_foreign()) {
        return true; // The owner's number means another process there.
    }
    const auto details = read_task_details(system, lease.owner.process, lease.owner.process);
    if (!details) {
        return !is_task_gone(system, lease.owner.process, lease.owner.process);
    }
    // An owner that could not read its start wrote 0.
    const bool is_owner =
        is_same_start(details->start, lease.owner.start) || lease.owner.start == 0;
    return is_owner && !details->is_dead;
}

bool is_of_another_boot(exclusive_system& system, const lease_owner& owner,
                        const lease_owner& self) {
    if (owner.processes != self.processes && system.sees_all_processes()) {
        return false;
    }
    return owner.boot != self.boot && owner.boot != unknown && self.boot != unknown;
}

std::vector<lease_record> read_leases(exclusive_system& system) {
    std::vector<lease_record> leases;
    for (const std::string& name : system.list(system.journal())) {
        if (name.starts_with("lease.")) {
            leases.push_back(read_lease(system, name));
        }
    }
    return leases;
}

int journal_error(exclusive_system& system) {
    return system.read_error(system.journal() + "/");
}

std::vector<std::string> unread_leases(exclusive_system& system,
                                       const std::vector<lease_record>& leases) {
    const std::string& folder = system.journal();
    std::vector<std::string> sentences;
    const int error = journal_error(system);
    if (error != 0 && error != ENOENT) {
        sentences.push_back("The journal " + folder + " cannot be read, so leases of CPUs " +
                            "are not known: " + std::generic_category().message(error) + ".");
    }
    for (const lease_record& lease : leases) {
        if (lease.unread) {
            sentences.push_back("The lease " + folder + "/" + lease.name +
                                " cannot be read: its CPUs and its owner are not known.");
        }
    }
    return sentences;
}

bool is_made_by(const std::vector<lease_record>& leases, const std::string& group) {
    return std::any_of(leases.begin(), leases.end(), [&](const lease_record& lease) {
        return std::any_of(lease.steps.begin(), lease.steps.end(), [&](const exclusive_step& step) {
            return step.kind == step_kind::make_group && step.path == group;
        });
    });
}

std::vector<exclusive_step> steps_of_others(exclusive_system& system, const std::string& own) {
    std::vector<exclusive_step> steps;
    for (lease_record& lease : read_leases(system)) {
        if (lease.name != own) {
            std::move(lease.steps.begin(), lease.steps.end(), std::back_inserter(steps));
        }
    }
    return steps;
}

} // namespace regatta::detail
