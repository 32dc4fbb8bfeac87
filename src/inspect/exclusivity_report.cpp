// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include <regatta/inspect/exclusivity_check.hpp>

#include <regatta/inspect/interrupt_counts.hpp>
#include <regatta/inspect/jitter.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace regatta {

const gap_histogram& gap_report::operator[](gap_cause cause) const noexcept {
    return by_cause[static_cast<std::size_t>(cause)];
}

bool cpu_check::intruded() const noexcept {
    return !tasks.empty() && tasks.front().role == task_role::intruder;
}

std::int64_t cpu_check::time_of(task_role role) const noexcept {
    std::int64_t sum = 0;
    for (const task_presence& one : tasks) {
        sum += one.role == role ? one.time_ns : 0;
    }
    return sum;
}

std::uint64_t cpu_check::interrupts_of(interrupt_kind kind) const noexcept {
    std::uint64_t sum = 0;
    for (const interrupt_count& one : interrupts) {
        sum += one.kind == kind ? one.count : 0;
    }
    return sum;
}

double cpu_check::ticks_a_second() const noexcept {
    return elapsed_ns() <= 0 ? 0
                             : static_cast<double>(interrupts_of(interrupt_kind::tick)) * 1e9 /
                                   static_cast<double>(elapsed_ns());
}

cpu_verdict cpu_check::verdict() const noexcept {
    if (intruded()) {
        return cpu_verdict::soft;
    }
    // An idle CPU has no ticks either; that says nothing about a busy one.
    const std::int64_t busy = time_of(task_role::owner);
    const bool kept_busy = gaps.has_value() || busy * 10 >= elapsed_ns() * 9;
    return kept_busy && counts_ticks && ticks_a_second() <= 1 ? cpu_verdict::quiet
                                                              : cpu_verdict::exclusive;
}

cpu_verdict exclusivity_report::verdict() const noexcept {
    cpu_verdict worst = cpu_verdict::quiet;
    for (const cpu_check& one : cpus) {
        worst = std::min(worst, one.verdict());
    }
    return worst;
}

bool exclusivity_report::certain() const noexcept {
    return sees_all_tasks && std::all_of(cpus.begin(), cpus.end(), [](const cpu_check& one) {
               return one.traced && one.lost_records == 0;
           });
}

bool exclusivity_report::conclusive() const noexcept {
    return !exclusive() || std::all_of(cpus.begin(), cpus.end(), [this](const cpu_check& one) {
        return one.traced || one.gaps.has_value() || lists_all_tasks;
    });
}

} // namespace regatta
