// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Parsing the files of /proc about a task.

#include <regatta/inspect/task_scan.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

namespace regatta::detail {

/// Parses the text of a task's `stat` file; nothing for an invalid text.
///
/// Source: proc_pid_stat(5).
std::optional<task_sample> parse_task_stat(std::string_view text,
                                           std::int64_t ticks_a_second = 100);

/// Adds the figures of a `schedstat` file to `task`: run time, wait time, turns. A kernel without
/// them has zeros or no such file; then the figures of `stat` stay.
void parse_task_schedstat(std::string_view text, task_sample& task);

} // namespace regatta::detail
