// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// How a task of a process pool failed.

#include <regatta/base/config.hpp>

#include <cstddef>
#include <stdexcept>
#include <string>

namespace regatta {

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

    /// "task 3: killed by signal 11 (SIGSEGV) in each of 3 attempts".
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

} // namespace regatta
