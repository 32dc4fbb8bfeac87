// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// One check of CPUs, from its start to its report.

#include "inspect/cpu_watch.hpp"
#include "inspect/gap_attribution.hpp"
#include "inspect/gap_probe.hpp"
#include "inspect/switch_trace.hpp"
#include "inspect/task_history.hpp"
#include <regatta/cpu/cpu_set.hpp>
#include <regatta/inspect/exclusivity_check.hpp>
#include <regatta/inspect/interrupt_counts.hpp>
#include <regatta/inspect/task_scan.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace regatta::detail {

/// The CPUs that are online; nothing if their list cannot be read.
/// @param root a directory to use instead of `/`.
std::optional<cpu_set> online_cpus(const std::string& root);

/// `check_exclusivity`, with a directory to use instead of `/` for /sys.
exclusivity_report check_exclusivity_below(const std::string& root, const cpu_set& cpus,
                                           const exclusivity_check_options& options);

/// Runs one check.
class exclusivity_checker {
public:
    /// @param root a directory to use instead of `/` for /sys.
    exclusivity_checker(const cpu_set& cpus, const exclusivity_check_options& options,
                        std::string root = {});

    exclusivity_report run();

private:
    using clock = std::chrono::steady_clock;

    bool stopped();
    void open_traces();

    /// Notes siblings outside the check: they slow a CPU down without a switch or a gap.
    void note_siblings();
    void start_probes();

    /// Scans all tasks and adds the descendants of owners to the directory.
    std::vector<task_sample> scan();
    void begin();

    /// When the check ends, unless it is stopped before.
    std::int64_t end_ns() const noexcept;

    /// Sleeps for the next stretch: 20 times the cost of the last `gather`, 20 to 500 ms. Short
    /// stretches distinguish causes well, but a scan of a large machine takes long.
    std::int64_t sleep_until_next(std::int64_t last) const;
    void gather(std::int64_t now_ns);

    /// Fails if a CPU is offline, or its loop was moved: the kernel moves the threads of a CPU that
    /// goes offline, and they stay away. Call it while the loops run.
    void require_cpus() const;
    void finish();

    /// Counts the tasks of others that may run on each CPU.
    void count_allowed(const std::vector<task_sample>& tasks);

    const cpu_set& cpus_;
    const exclusivity_check_options& options_;
    std::string root_;
    exclusivity_report report_;
    watch_context context_;
    std::vector<std::unique_ptr<cpu_watch>> watches_;
    std::vector<switch_trace> names_;                   ///< Of the other CPUs.
    task_history history_;                              ///< Between stretches.
    task_history whole_history_;                        ///< From start to end.
    interrupt_counts counts_;                           ///< As last read.
    std::vector<std::optional<std::int64_t>> steal_ns_; ///< As last read.
    bool traced_ = true;                                ///< All CPUs.
    std::int64_t begin_ns_ = 0;
    std::int64_t cost_ns_ = 0; ///< Of the last `gather`.
};

} // namespace regatta::detail
