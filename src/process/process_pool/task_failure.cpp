// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include <regatta/process/process_job.hpp>

#include <string>
#include <utility>

namespace regatta {

std::string task_failure::describe() const {
    std::string words = "task " + std::to_string(task) + ": ";
    const std::string times = attempts == 1
                                  ? " in its only attempt"
                                  : " in the last of " + std::to_string(attempts) + " attempts";
    switch (cause) {
    case failure_cause::exception:
        words += type + (type.empty() || text.empty() ? "" : ": ") + text;
        break;
    case failure_cause::death:
        words += "its worker " + text + times;
        break;
    case failure_cause::deadline:
        words += "it took longer than its deadline" + times;
        break;
    case failure_cause::memory:
        words += "the kernel killed its worker for memory" + times;
        break;
    case failure_cause::no_worker:
        words += text;
        break;
    case failure_cause::cancelled:
        words += "it was cancelled before it began";
        break;
    }
    return words;
}

task_failed::task_failed(task_failure failure)
    : std::runtime_error(failure.describe())
    , failure_(std::move(failure)) {}
task_failed::~task_failed() = default;
remote_error::~remote_error() = default;

} // namespace regatta
