// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The parent's side of a process pool: its jobs, its workers, and the thread that watches them.

#include "process/process_pool/job_record.hpp"
#include "process/process_pool/job_table.hpp"
#include "process/process_pool/pool_arenas.hpp"
#include "process/process_pool/worker_fleet.hpp"
#include <regatta/base/detail/process_stamp.hpp>
#include <regatta/base/detail/unique_descriptor.hpp>
#include <regatta/core/detail/block_cache.hpp>
#include <regatta/process/process_pool.hpp>

#include <poll.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace regatta::detail {

/// Everything that a `process_pool` owns. Jobs know it weakly; what waits for one keeps it.
///
/// Threads: any, at once; `close` one.
class pool_core {
public:
    using record_pointer = std::shared_ptr<job_record>;
    using time_point = std::chrono::steady_clock::time_point;

    /// Failure: throws what the options deserve, and where no worker can be started.
    explicit pool_core(process_pool_options options);
    /// Starts the monitor; returns when the first worker was started.
    void start();

    const process_pool_options& options() const noexcept { return options_; }
    pool_arenas& memory() noexcept { return memory_; }
    block_cache& blocks() noexcept { return blocks_; }
    /// Whether this process is a fork of the one with the monitor: the workers are that one's.
    bool elsewhere() const noexcept { return stamp_.elsewhere(); }
    /// Throws `std::system_error` (`no_such_process`) then. @param what the refused operation.
    void refuse_fork(const char* what) const;

    /// Gives a job to the workers. Failure: `std::logic_error` if the pool is closed,
    /// `std::system_error` if it has no workers and gave up starting some.
    void begin(const record_pointer& job, const process_call& call);
    /// @returns false: the deadline has passed.
    bool wait(job_record& job, const time_point* deadline) { return wait(job, deadline, false); }
    /// The same for a future, which this thread then completes. Also returns true if the future is
    /// cancelled by another thread.
    bool wait_for_result(job_record& job, const time_point* deadline);
    /// Cancels a job whose result nobody wants. Where there is no memory for that, it runs.
    void abandon(job_record& job) noexcept;
    bool wait_for_all(const time_point* deadline);
    std::size_t cancel(job_record& job);
    std::size_t progress(const job_record& job);

    void resize(unsigned workers);
    unsigned size() const noexcept;
    bool signal_worker(unsigned worker, int number) {
        return !elsewhere() && fleet_.signal(worker, number);
    }
    process_pool_stats stats() const;
    void close();

private:
    void monitor();
    void poll_until_something(std::vector<pollfd>& polled, bool jobs,
                              std::optional<time_point> at_most);
    void give_up();
    bool wait(job_record& job, const time_point* deadline, bool for_future);
    /// Settles this job if it is complete and nobody has, and finishes it. @returns whether it did.
    bool collect(job_record& job);
    /// The same of every job; of those that are reported if told so. Failure: `std::bad_alloc`, for
    /// want of which some were left.
    void collect_all(bool with_reported);
    /// Reports the end of a job that was settled, and marks it as done.
    void finish(job_record& job);
    /// Under the lock: no wait is needed any more. @returns what keeps the job.
    record_pointer mark_done(job_record& job);
    /// Wakes those that wait for a job, after something of it has changed.
    void ring(const job_record& job) noexcept;
    /// Under the lock: whether the monitor must be told that workers were rung, so that it sees
    /// whether they come. Once for all that are until it looks.
    bool must_tell() noexcept { return jobs_.has_rung() && !std::exchange(watching_, true); }
    void raise_event() const noexcept;

    const process_stamp stamp_;
    const process_pool_options options_;
    pool_arenas memory_;
    pool_control& control_;
    block_cache blocks_;
    const unique_descriptor event_;
    worker_fleet fleet_;

    /// Whether the fleet has given up. Written by the monitor, which then looks at all jobs; read
    /// by who begins one.
    std::atomic<bool> gave_up_{false};

    mutable std::mutex lock_; ///< Guards all below.
    /// Notified when a job gets its slot, and when one is done.
    std::condition_variable changed_;
    job_table jobs_;
    std::vector<record_pointer> unfinished_; ///< All that are not done.
    std::uint32_t last_job_ = 0;
    std::uint64_t reported_ = 0; ///< Failures that the error sink was given.
    bool closed_ = false;        ///< No further jobs.
    bool ending_ = false;        ///< The monitor is to end the workers, then itself.
    bool retry_ = false;         ///< The fleet is to try again.
    bool watching_ = false;      ///< The monitor will see by itself whether workers were rung.
    bool started_ = false;       ///< Each first worker was started, or could not be.
    std::exception_ptr start_error_;

    std::mutex closing_; ///< Held by `close`: one caller joins.
    std::thread monitor_;
};

} // namespace regatta::detail
