// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The priority of a task in a thread pool.

namespace regatta {

/// The order in which a thread pool begins waiting tasks: high before medium before low, but
/// without starvation.
enum class priority : unsigned char { low, medium, high };

} // namespace regatta
