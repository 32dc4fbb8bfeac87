// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// For tests: workers that die, or are stopped, between two steps.

#include "process/process_pool/control_block.hpp"

#include <signal.h>
#include <unistd.h>

#include <atomic>

namespace regatta::detail {

/// In the environment of a program that makes a pool, "STEP:COUNT:SIGNAL": so many of its workers
/// get that signal, SIGKILL if none is given, at that step, a number of `worker_step`.
inline constexpr const char* kill_variable = "REGATTA_TEST_KILL_WORKERS";

/// Ends or stops this process here if workers are still to be at this step.
inline void at_step(pool_control& control, worker_step step) noexcept {
    // relaxed: it only hands out deaths.
    if (control.settings.kill_at == step &&
        control.kills_left.fetch_sub(1, std::memory_order_relaxed) > 0) {
        ::kill(::getpid(), control.settings.kill_by);
    }
}

} // namespace regatta::detail
