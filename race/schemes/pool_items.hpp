// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What workers of a process pool do in a race: functions that a pool knows by name.

#include <regatta/process/process_job.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace regatta::race {

/// Under these numbers a pool's workers inherit the mappings.
inline constexpr int pool_workload_descriptor = 16;
inline constexpr int pool_log_descriptor = 17;

/// The name of a workload, as an argument of a task.
struct workload_title {
    char text[56];
};

/// Runs the item that the task is, and logs it.
void run_pool_item(const process_task& task, std::span<const std::byte>, std::span<std::byte>,
                   workload_title workload);

/// The same of one that is handed over by itself.
void run_offered_item(std::uint64_t item, workload_title workload);

/// Attaches a worker to the workload, has it touch what items use, and waits until `count` workers
/// have come so far, so that each of them gets one such task; for some seconds at most.
void meet_pool_worker(const process_task& task, std::span<const std::byte>, std::span<std::byte>,
                      workload_title workload, std::span<std::uint32_t> arrived,
                      std::uint32_t count);

} // namespace regatta::race
