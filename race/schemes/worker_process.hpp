// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A worker process of a scheme, from within: what it was started with and what it shares.

#include "schemes/process_role.hpp"
#include "schemes/run_log.hpp"
#include "workloads/workload.hpp"

#include <regatta/process/shared_memory.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace regatta::race {

/// First argument of a worker; the scheme, the workload and the scheme's own arguments follow.
inline constexpr const char* worker_flag = "--regatta-worker";
/// What `run_as_worker` looks for.
inline constinit process_role worker_role{worker_flag, "run_as_worker"};
/// Under these numbers a worker inherits the mappings.
inline constexpr int worker_workload_descriptor = 3;
inline constexpr int worker_log_descriptor = 4;

/// The workload and the log of the race that started this process.
class worker_process {
public:
    /// Attaches to both. Throws where they are not what this program expects.
    explicit worker_process(std::string_view workload_name,
                            int workload_descriptor = worker_workload_descriptor,
                            int log_descriptor = worker_log_descriptor);

    workload& work() noexcept { return *work_; }
    run_log& log() noexcept { return *log_; }
    /// Writes into this worker's log which process it is, and when it began. Null: it has none.
    void introduce(worker_log* mine) const noexcept;
    /// For workers that are ready before the run: computes some items, so that the pages and the
    /// code that items use are this process's as well. The race resets the output once more when
    /// all have done so.
    /// @param worker its number, by which each computes others.
    void warm_up(std::size_t worker) noexcept;

private:
    std::unique_ptr<workload> work_;
    shared_memory memory_;
    run_log* log_ = nullptr; ///< In `memory_`.
    std::int64_t mapped_ns_ = 0;
};

/// Runs a worker's body in a process that was started for it: ignores Ctrl-C, which is the race's
/// to answer, and turns an exception into a line on stderr and exit status 1.
int run_worker(int (*body)(worker_process&, const std::vector<std::string>& arguments),
               std::string_view workload_name, const std::vector<std::string>& arguments) noexcept;

/// What a worker of the scheme `processes` does.
int processes_worker(worker_process& process, const std::vector<std::string>& arguments);

} // namespace regatta::race
