// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What a worker process does: finds tasks, runs them, commits them, sleeps.

#include "process/process_pool/control_block.hpp"
#include "process/process_pool/kill_point.hpp"
#include "process/process_pool/worker_maps.hpp"

#include <array>
#include <cstdint>

namespace regatta::detail {

/// The worker in a slot of a pool.
///
/// Threads: the worker's own.
class worker_loop {
public:
    worker_loop(const worker_maps& maps, unsigned slot) noexcept;

    /// Serves until the parent wants it to end.
    void serve();

private:
    /// What the last look at a job found, so that it need not be looked at again.
    struct finished_look {
        std::uint32_t generation = 0;
        std::uint32_t requeues = 0;
    };

    void stay_with_parent() const noexcept;
    bool retiring() const noexcept;
    /// Works on every job that there is, the oldest first. @returns whether it did anything.
    bool look_for_work();
    bool work_on(unsigned index);
    task_status run(const process_task& task, job_slot& job) noexcept;
    void note_error(job_slot& job, const process_task& task, const char* type,
                    const char* text) noexcept;
    void end_job(job_slot& job, std::uint32_t generation);
    void step(worker_step at) noexcept;

    const worker_maps& maps_;
    pool_control& control_;
    worker_slot& mine_;
    const unsigned slot_;
    const process_function* function_ = nullptr; ///< The last one that it has called.
    unsigned removed_ = 0;                       ///< How many had been removed when it was found.
    std::array<finished_look, most_jobs> looks_{};
};

} // namespace regatta::detail
