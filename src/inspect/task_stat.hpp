// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The texts of /proc about a task.

#include <regatta/inspect/task_scan.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

namespace regatta::detail {

/// Reads the text of a `stat` file of a task; nothing for one that is none.
/// Source: proc_pid_stat(5).
std::optional<task_sample> parse_task_stat(std::string_view text,
                                           std::int64_t ticks_a_second = 100);

/// Puts what a `schedstat` file says into `task`: time run, time waited, turns. A kernel without
/// these figures has zeros there, or no such file; then those of `stat` stay.
void parse_task_schedstat(std::string_view text, task_sample& task);

} // namespace regatta::detail
