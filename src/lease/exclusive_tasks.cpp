// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "lease/exclusive_tasks.hpp"

#include "lease/exclusive_system.hpp"
#include <regatta/base/detail/system_files.hpp>
#include <regatta/cpu/cpu_set.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace regatta::detail {

std::string task_folder(int process, int thread) {
    return "/proc/" + std::to_string(process) + "/task/" + std::to_string(thread);
}

bool is_task_gone(exclusive_system& system, int process, int thread) {
    return system.is_gone(task_folder(process, thread) + "/stat") &&
           !system.is_hidden_process(thread);
}

std::optional<task_details> read_task_details(exclusive_system& system, int process, int thread) {
    const auto text = system.read(task_folder(process, thread) + "/stat");
    // "number (name) state parent …": the name may contain anything, even brackets and blanks.
    const auto name_end = text ? text->rfind(')') : std::string::npos;
    if (name_end == std::string::npos) {
        return std::nullopt;
    }
    const auto fields = split(std::string_view(*text).substr(name_end + 1), ' ');
    constexpr std::size_t state = 0;
    constexpr std::size_t parent = 1;
    constexpr std::size_t flags = 6;
    constexpr std::size_t threads = 17;
    constexpr std::size_t start = 19;
    constexpr std::int64_t kernel_thread = 0x0020'0000;
    constexpr std::int64_t no_affinity = 0x0400'0000;
    if (fields.size() <= start) {
        return std::nullopt;
    }
    task_details details;
    details.parent = static_cast<int>(to_number(fields[parent]).value_or(0));
    const std::int64_t bits = to_number(fields[flags]).value_or(0);
    details.of_kernel = (bits & kernel_thread) != 0;
    details.is_fixed = (bits & no_affinity) != 0;
    // The first thread stays as a zombie while other threads of its process go on.
    const bool is_last = to_number(fields[threads]).value_or(0) <= 1;
    details.has_ended = fields[state] == "Z" || fields[state] == "X";
    details.is_dead = is_last && details.has_ended;
    std::int64_t ticks = to_number(fields[start]).value_or(0);
    // Of what is older than a time namespace's clock the kernel shows the negative start as one
    // without a sign, of 64 bits of nanoseconds; a tick is a hundredth of a second.
    constexpr std::int64_t all_ticks = 1'844'674'407'370;
    if (ticks > all_ticks / 2) {
        ticks -= all_ticks;
    }
    details.start = static_cast<std::uint64_t>(ticks - system.start_offset());
    return details;
}

std::optional<cpu_set> read_task_mask(exclusive_system& system, int process, int thread) {
    const auto status = system.read(task_folder(process, thread) + "/status");
    const auto list = status ? status_field(*status, "Cpus_allowed_list") : std::string_view();
    cpu_list_error error;
    auto allowed = status ? cpu_set::try_parse(list, cpu_set::max_width, error) : std::nullopt;
    if (allowed && allowed->empty()) { // gVisor does not list them.
        allowed = system.affinity(thread);
    }
    return allowed && !allowed->empty() ? std::move(allowed) : std::nullopt;
}

std::optional<task_mask> read_task(exclusive_system& system, int process, int thread) {
    auto allowed = read_task_mask(system, process, thread);
    const auto details = allowed ? read_task_details(system, process, thread) : std::nullopt;
    if (!details) {
        return std::nullopt;
    }
    return task_mask{process, thread, details->start, std::move(*allowed)};
}

std::optional<std::vector<task_mask>>
find_tasks(exclusive_system& system, const std::function<bool(const cpu_set&)>& is_wanted) {
    const std::vector<std::string> processes = system.list("/proc");
    if (processes.empty()) { // This process is always there.
        return std::nullopt;
    }
    std::vector<task_mask> found;
    for (const std::string& name : processes) {
        if (!to_number(name)) {
            continue;
        }
        const int process = static_cast<int>(*to_number(name));
        for (const std::string& number : system.list("/proc/" + name + "/task")) {
            const int thread = static_cast<int>(to_number(number).value_or(0));
            auto allowed = read_task_mask(system, process, thread);
            if (!allowed || !is_wanted(*allowed)) {
                continue;
            }
            const auto details = read_task_details(system, process, thread);
            if (details && !details->is_fixed) {
                found.push_back({process, thread, details->start, std::move(*allowed)});
            }
        }
    }
    return found;
}

std::optional<std::vector<task_mask>> tasks_allowed_on(exclusive_system& system,
                                                       const cpu_set& cpus) {
    return find_tasks(system, [&](const cpu_set& allowed) { return !(allowed & cpus).empty(); });
}

std::string kernel_threads_stay(std::size_t count) {
    return std::to_string(count) + (count == 1 ? " kernel thread" : " kernel threads") +
           " cannot be moved; most are bound to one CPU each.";
}

int process_of_thread(exclusive_system& system, int thread) {
    const auto status = system.read("/proc/" + std::to_string(thread) + "/status");
    return status ? static_cast<int>(to_number(status_field(*status, "Tgid")).value_or(0)) : 0;
}

bool is_numbering_gone(exclusive_system& system, const std::string& numbering) {
    if (!system.sees_all_processes()) {
        return false;
    }
    const std::vector<std::string> processes = system.list("/proc");
    for (const std::string& name : processes) {
        const int process = static_cast<int>(to_number(name).value_or(0));
        const std::string one = process > 0 ? system.numbering_of(process) : "none";
        if (one.empty() || one == numbering) {
            const auto details = read_task_details(system, process, process);
            if (details ? !details->is_dead : !is_task_gone(system, process, process)) {
                return false;
            }
        }
    }
    return !processes.empty(); // Otherwise /proc cannot be listed: this process is always there.
}

} // namespace regatta::detail
