// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Timers, time limits and stopwatches.

#include <regatta/time/stopwatch.hpp>
#include <regatta/time/timer_scheduler.hpp>
#include <regatta/time/within.hpp>
