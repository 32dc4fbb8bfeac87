// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A job of a process pool, as its parent knows it.

#include "process/process_pool/control_block.hpp"
#include <regatta/core/detail/future_job.hpp>
#include <regatta/process/process_job.hpp>
#include <regatta/process/process_pool.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace regatta::detail {

/// Neighbouring tasks of a job that ended together, before an attempt at them began.
struct skipped_tasks {
    std::size_t first = 0;
    std::size_t end = 0; ///< After the last one.
    failure_cause cause = failure_cause::cancelled;
    std::string why{};

    task_failure record(std::size_t task) const { return {task, cause, 0, 0, 0, {}, why}; }
};

/// What is left of a job when its pool is gone, and what its pool needs until then.
///
/// Threads: what says nothing else is guarded by the pool's lock until the job is `settled`, and
/// does not change after that.
class job_record {
public:
    explicit job_record(std::weak_ptr<pool_core> owner) noexcept : pool(std::move(owner)) {}

    const std::weak_ptr<pool_core> pool;
    std::uint32_t generation = 0; ///< Its number; does not change once it was given to the pool.
    process_function* function = nullptr;
    located_span input;
    located_span output;
    std::size_t argument_bytes = 0;
    std::size_t result_bytes = 0;
    std::size_t tasks = 0;
    std::size_t place = 0;      ///< Among the pool's unfinished jobs.
    std::size_t work_place = 0; ///< Among the jobs that have a slot.
    std::size_t words = 0;      ///< The offset of its words.
    std::size_t cancelled = 0;  ///< Tasks that were cancelled, or failed for want of a worker.
    std::optional<future_job> future;
    /// Whether its end is to be reported: to a future, by a thread that waits for that or by the
    /// monitor; or to the error sink, by the monitor. Does not change once it was given to the
    /// pool.
    bool reported = false;

    /// Its slot in the control memory, -1 while it waits for one. Written under the lock with
    /// release; a wait's acquire load of it pairs with that.
    std::atomic<int> slot{-1};
    /// Whether every task has ended and result and failures are known. Written under the lock.
    std::atomic<bool> settled{false};
    /// The same, and its future is ready. Written by the thread that has finished the job, read by
    /// waits. seq_cst: publishes failures, result, and what the tasks wrote; and between the
    /// announcement of a sleep and the ring.
    std::atomic<bool> done{false};
    /// Whether its future was cancelled: no wait is for the result. Written by the thread that did,
    /// read by waits; seq_cst as `done`.
    std::atomic<bool> abandoned{false};

    std::vector<task_failure> failures; ///< But of `skipped`. By task, once it is settled.
    std::vector<skipped_tasks> skipped; ///< Likewise.
    /// Its arguments until it has its slot, later the result of its one task.
    std::array<std::byte, std::max(most_arguments, most_result)> bytes;

    bool failed() const noexcept { return !failures.empty() || !skipped.empty(); }
    /// Throws the failure of the first task that failed, if one did.
    void check() const;
};

} // namespace regatta::detail
