// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The tasks that one call of `process_pool::map` has begun.

#include <regatta/base/config.hpp>
#include <regatta/base/detail/saturated_time.hpp>
#include <regatta/process/task_failure.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace regatta {
namespace detail {

class job_record;

} // namespace detail

/// A job of a process pool. Copies are the same job. Destroying the last one cancels nothing: the
/// pool runs the job to its end.
///
/// Threads: any, at once. Order: what the tasks wrote is visible when a wait has returned or `done`
/// has said so. Failure: a member of a default-constructed job throws `std::logic_error`.
class REGATTA_SYSTEM_API process_job {
public:
    process_job() = default;
    explicit process_job(std::shared_ptr<detail::job_record> record) noexcept
        : record_(std::move(record)) {}

    /// Waits until every task has ended, however.
    void wait() const;
    /// Waits at most that long. @returns whether every task has ended.
    template<class Rep, class Period>
    bool wait_for(std::chrono::duration<Rep, Period> time) const {
        const auto deadline = detail::deadline_after(time);
        if (deadline) {
            return wait_until(*deadline);
        }
        wait();
        return true;
    }
    /// Waits until that time at most. @returns whether every task has ended.
    bool wait_until(std::chrono::steady_clock::time_point deadline) const;
    /// Waits, then throws for the first task that failed: `remote_error` if it threw, else
    /// `task_failed`. Where more than 16 threw, the first one whose text was kept.
    void get() const;

    /// Whether every task has ended.
    bool done() const;
    std::size_t tasks() const;
    /// How many tasks have ended. Cost: a look at each.
    std::size_t progress() const;
    /// Cancels the tasks that no worker has begun; those in work end. @returns how many those were.
    std::size_t cancel() const;

    /// Waits, then tells which tasks failed and how, in the order of their index.
    std::vector<task_failure> failures() const;
    /// `process_task::job` of its tasks.
    std::uint64_t number() const;

private:
    detail::job_record& record() const;

    std::shared_ptr<detail::job_record> record_;
};

} // namespace regatta
