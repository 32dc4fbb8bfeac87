// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The state of a future whose task a worker process runs.

#include <regatta/base/config.hpp>
#include <regatta/core/detail/result_state.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <utility>

namespace regatta::detail {

class job_record;

/// Of a job of one task that has ended: its result. Failure: throws how the task failed.
REGATTA_SYSTEM_API const std::byte* result_of(const job_record& record);
/// Waits for a job that has a future, and completes that future. @returns whether the job has
/// ended or was abandoned; false: the deadline has passed.
REGATTA_SYSTEM_API bool wait_for_result(job_record& record,
                                        const std::chrono::steady_clock::time_point* deadline);
/// Cancels a job whose result nobody wants, if it has not begun.
REGATTA_SYSTEM_API void abandon_job(job_record& record) noexcept;

/// A future's state: its task is run in this process when the worker's has ended, and reads the
/// result.
///
/// Threads: as `future_state`. The record stays until both sides have left.
template<class Shape>
class process_call_state final : public result_state<typename Shape::result> {
public:
    process_call_state(block_store& store, std::shared_ptr<job_record> record) noexcept
        : result_state<typename Shape::result>(store, {}, false)
        , record_(std::move(record)) {}

private:
    future_state::outcome run() noexcept override {
        this->keep([this] { return Shape::unpack_result(result_of(*record_)); });
        return future_state::outcome::done;
    }
    void drop_closure() noexcept override { abandon_job(*record_); }
    void dispose() noexcept override { destroy_in_block(this, this->store()); }
    bool wait_outside(const future_state::time_point* deadline) override {
        // After that the wait is short: for the thread that completes or cancels the future.
        return wait_for_result(*record_, deadline) && future_state::wait_outside(deadline);
    }

    const std::shared_ptr<job_record> record_;
};

} // namespace regatta::detail
