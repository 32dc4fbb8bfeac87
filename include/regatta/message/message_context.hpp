// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What a handler may learn of the message that it handles.

#include <chrono>
#include <cstdint>

namespace regatta {

/// What a `worker_pool` tells a handler that takes it as its second argument.
struct message_context {
    unsigned worker = 0; ///< The number of the worker that handles the message, from 0.
    /// Messages and tasks that the pool had accepted before this one.
    std::uint64_t sequence = 0;
    /// From the message's entry into the queue to the call of the handler. Zero for messages that
    /// were submitted before the first handler with a context was set.
    std::chrono::nanoseconds waited{0};
};

} // namespace regatta
