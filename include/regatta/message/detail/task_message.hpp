// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A task in a queue of messages.

#include <regatta/core/detail/future_job.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <type_traits>

namespace regatta::detail {

/// The address of a task, as one of the element types of a pool's queue.
///
/// It has the size of a pointer and alignment 1, so no cell of a queue grows for it. It is
/// trivially copyable, so a variant of trivially copyable messages stays so with it.
///
/// Threads: as a plain value.
/// Failure: never; it owns nothing. The producer releases the job once the task is queued. The
/// consumer turns it back into a job, once; the job then runs or drops the task.
class task_message {
public:
    explicit task_message(const future_job& job) noexcept
        : address_(std::bit_cast<bytes>(job.get())) {}

    /// The released job.
    future_job job() const noexcept { return future_job(*std::bit_cast<future_state*>(address_)); }

private:
    using bytes = std::array<std::byte, sizeof(future_state*)>;

    bytes address_;
};
static_assert(std::is_trivially_copyable_v<task_message> && alignof(task_message) == 1);

} // namespace regatta::detail
