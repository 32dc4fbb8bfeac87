// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Which task of a thread pool comes first.

namespace regatta {

/// The order in which a thread pool begins the tasks that wait: high before medium before low, but
/// so that none starves.
enum class priority : unsigned char { low, medium, high };

} // namespace regatta
