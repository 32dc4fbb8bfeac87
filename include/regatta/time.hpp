// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Timers and stopwatches.

#include <regatta/time/stopwatch.hpp>
#include <regatta/time/timer_scheduler.hpp>
