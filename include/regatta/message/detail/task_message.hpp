// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A task on its way through a queue of messages.

#include <regatta/core/detail/future_job.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <type_traits>

namespace regatta::detail {

/// The address of a task, beside the messages of a pool.
///
/// It has the size of a pointer and no alignment, so that no cell of a queue grows for it, and is
/// copied as bytes, so that messages that are stay so beside it.
///
/// Threads: as a plain value. Failure: it owns nothing. Who puts one into a queue releases the job
/// then, and who takes it out makes the job of it, once, which runs or drops the task.
class task_message {
public:
    explicit task_message(const future_job& job) noexcept
        : address_(std::bit_cast<bytes>(job.get())) {}

    /// The job that was released.
    future_job job() const noexcept { return future_job(*std::bit_cast<future_state*>(address_)); }

private:
    using bytes = std::array<std::byte, sizeof(future_state*)>;

    bytes address_;
};
static_assert(std::is_trivially_copyable_v<task_message> && alignof(task_message) == 1);

} // namespace regatta::detail
