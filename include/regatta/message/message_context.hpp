// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Facts about a message, for its handler.

#include <regatta/base/detail/clock.hpp>

#include <cstdint>

namespace regatta {

/// The second argument of a `worker_pool` handler that takes one.
struct message_context {
    unsigned worker = 0; ///< The number of the worker that handles the message, from 0.
    /// Messages and tasks that the pool accepted before this one.
    std::uint64_t sequence = 0;
    /// From the message's entry into the queue to the call of the handler. Zero for a message
    /// submitted before the first handler with a context was set.
    std::chrono::nanoseconds waited{0};
};

} // namespace regatta
