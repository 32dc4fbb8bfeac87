// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The data that a check gathers about one CPU.

#include "inspect/gap_attribution.hpp"
#include "inspect/gap_probe.hpp"
#include "inspect/switch_trace.hpp"
#include "inspect/task_directory.hpp"
#include "inspect/task_history.hpp"
#include <regatta/inspect/exclusivity_check.hpp>
#include <regatta/inspect/interrupt_counts.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace regatta::detail {

/// The state that all CPUs of a check share.
struct watch_context {
    task_directory directory;
    std::unordered_set<int> checkers; ///< Threads of the check.
    bool sees_all_tasks = true;
    int own_pid = 0; ///< The checking process; its other threads are not intruders.

    task_role role_of(int pid, int tid, bool kernel) const;
};

/// One CPU under watch, from its sources to its part of the report.
///
/// Threads: that of the check only.
class cpu_watch {
public:
    cpu_watch(unsigned cpu, std::optional<switch_trace> trace);

    unsigned cpu() const noexcept { return check_.cpu; }
    bool traced() const noexcept { return check_.traced; }
    /// Whether its trace, if it has one, still records.
    bool records() const noexcept { return !trace_ || trace_->records(); }
    std::vector<std::string>& notes() noexcept { return check_.notes; }
    gap_probe* probe() noexcept { return probe_.get(); }
    void take_probe(std::unique_ptr<gap_probe> probe, std::int64_t threshold_ns);

    /// Drops the gaps until now, for which the check has not begun.
    void forget_gaps();
    /// Begins the check: earlier events do not count.
    void begin(std::int64_t now_ns) noexcept { check_.begin_ns = check_.end_ns = now_ns; }

    /// Processes all events up to now.
    /// @param counts interruptions since the last call.
    void gather(watch_context& context, const interruption_counts& counts, std::int64_t now_ns);

    /// Adds what tasks whose last CPU is this one did since the last call. Used without a trace.
    /// Beside a gap loop, tasks ran only if the loop was displaced: in this stretch, or in the next
    /// if it is still away.
    void estimate(const watch_context& context, const std::vector<task_delta>& deltas);

    /// Ends the check: later events do not count.
    void end(std::int64_t now_ns) noexcept { end_limit_ns_ = now_ns; }

    /// The report; call it after the last `gather`.
    /// @param deltas of all tasks since the start.
    cpu_check finish(watch_context& context, const std::vector<task_delta>& deltas);

    /// The contents of /proc/interrupts at the start.
    interrupt_counts first_counts;
    interrupt_counts first_soft_counts;
    std::optional<std::int64_t> first_steal_ns;
    cpu_check& report() noexcept { return check_; }

private:
    static constexpr std::size_t nobody = static_cast<std::size_t>(-1);
    /// The index of the task in the directory; without a trace, its thread number and its start.
    using task_key = std::pair<std::size_t, std::uint64_t>;
    task_presence& presence(task_key key, int pid, int tid);
    void take(watch_context& context, const switch_record& record);

    /// Accounts for the task that has the CPU, until `now_ns`.
    void close(const watch_context& context, std::int64_t now_ns);
    void estimate(const watch_context& context, const task_delta& one);
    void finish_trace(watch_context& context, const std::vector<task_delta>& deltas);
    void finish_estimates();
    void finish_gaps(const std::vector<std::pair<task_key, task_presence>>& order);

    cpu_check check_;
    std::optional<switch_trace> trace_;
    std::unique_ptr<gap_probe> probe_;
    std::int64_t threshold_ns_ = 0;
    gap_attribution attribution_;
    std::int64_t end_limit_ns_ = INT64_MAX;

    std::size_t running_ = nobody; ///< The task that has the CPU, by its index in the directory.
    std::int64_t since_ns_ = 0;
    std::map<task_key, task_presence> presences_;

    std::vector<task_delta> held_;      ///< Of the previous stretch.
    std::int64_t displaced_ns_ = 0;     ///< Of the gap loop, in the previous stretch.
    std::int64_t displaced_now_ns_ = 0; ///< In the current stretch.
    std::int64_t displaced_total_ns_ = 0;
    std::uint64_t displacements_ = 0;
};

} // namespace regatta::detail
