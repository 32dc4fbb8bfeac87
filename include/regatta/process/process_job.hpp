// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The tasks that one call of `process_pool::map` has begun, and how they failed.

#include <regatta/base/config.hpp>
#include <regatta/base/detail/saturated_time.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace regatta {

/// What a function of a process pool gets as its first argument, if it asks for it.
///
/// {job, index} is the same for each attempt at a task: an idempotency key for effects outside of
/// the pool's memory, which an attempt that was killed may have had already.
struct process_task {
    std::uint64_t job = 0; ///< Differs between the jobs of a pool.
    std::size_t index = 0; ///< Of the task in its job, from 0.
    unsigned attempt = 0;  ///< From 1.
    unsigned worker = 0;   ///< The number of the worker, from 0.
};

/// Why a task of a process pool has no result.
enum class failure_cause {
    exception, ///< It threw.
    death,     ///< Its worker died in each of its attempts.
    deadline,  ///< In its last attempt it took longer than a task may, and was killed.
    memory,    ///< In its last attempt the kernel killed its worker for memory.
    no_worker, ///< The pool's workers cannot be started.
    cancelled, ///< It was cancelled before an attempt began.
};

/// The record of a task that failed.
struct task_failure {
    std::size_t task = 0; ///< Its index in the job.
    failure_cause cause = failure_cause::exception;
    unsigned attempts = 0; ///< How many began.
    int signal = 0;        ///< What ended the last worker; 0: none did.
    int status = 0;        ///< The exit status of the last worker, where it ended by itself.
    std::string type{};    ///< Of an exception: the name of its type.
    std::string text{};    ///< Of an exception: what it says, at most 375 bytes. Else: why.

    /// "task 3: its worker killed by signal 11 (SIGSEGV) in the last of 3 attempts".
    REGATTA_SYSTEM_API std::string describe() const;
};

/// Thrown for a task of a process pool that failed; its text is that of the record.
class REGATTA_SYSTEM_API task_failed : public std::runtime_error {
public:
    explicit task_failed(task_failure failure);
    ~task_failed() override;
    const task_failure& failure() const noexcept { return failure_; }

private:
    task_failure failure_;
};

/// Thrown for a task that threw: the exception itself stays in its process.
class REGATTA_SYSTEM_API remote_error : public task_failed {
public:
    using task_failed::task_failed;
    ~remote_error() override;
    /// The name of the type that was thrown: "std::out_of_range".
    const std::string& type() const noexcept { return failure().type; }
};

namespace detail {

class job_record;

} // namespace detail

/// A job of a process pool. Copies are the same job. Destroying the last one cancels nothing: the
/// pool runs the job to its end.
///
/// Threads: any, at once.
/// Order: what the tasks wrote is visible when a wait has returned or `done` has said so.
/// Failure: a member of a default-constructed job throws `std::logic_error`.
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
    /// How many tasks have ended.
    /// Cost: a look at each.
    std::size_t progress() const;
    /// Cancels the tasks that no worker has begun; those in work end. @returns how many those were.
    /// Cost: a look at each, and a compare-and-swap for each that it cancels; meanwhile other calls
    /// of the pool wait.
    std::size_t cancel() const;

    /// Waits, then tells which tasks failed and how, in the order of their index.
    /// Cost: a record for each.
    std::vector<task_failure> failures() const;
    /// `process_task::job` of its tasks.
    std::uint64_t number() const;

private:
    detail::job_record& record() const;

    std::shared_ptr<detail::job_record> record_;
};

} // namespace regatta
