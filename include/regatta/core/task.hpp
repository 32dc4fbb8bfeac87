// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A task by value, as a pool hands it to an overflow sink.

#include <regatta/base/inline_task.hpp>

namespace regatta {

/// One piece of work: a move-only callable without arguments or result.
using task = inline_task<void()>;

} // namespace regatta
