// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A task by value: what a pool hands to somebody else.

#include <regatta/base/inline_task.hpp>

namespace regatta {

/// One piece of work: a move-only callable without arguments and result.
using task = inline_task<void()>;

} // namespace regatta
