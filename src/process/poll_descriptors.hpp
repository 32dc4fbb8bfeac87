// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Waiting until one of several descriptors is readable.

#include <poll.h>
#include <time.h>

#include <span>

namespace regatta::detail {

/// ppoll(2) of descriptors for what can be read. poll(2) refuses to look at more descriptors than a
/// process may open; where that limit was lowered after they had been, select(2) looks in its
/// place.
/// @param at_most a null pointer: without limit.
/// @returns as ppoll(2).
int poll_descriptors(std::span<pollfd> polled, const timespec* at_most);

} // namespace regatta::detail
