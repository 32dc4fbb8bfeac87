// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "inspect/task_stat.hpp"

#include <regatta/base/detail/system_files.hpp>
#include <regatta/inspect/task_scan.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace regatta::detail {

std::optional<task_sample> parse_task_stat(std::string_view text, std::int64_t ticks_a_second) {
    // number (name) state parent …; the name may contain blanks and brackets.
    const auto open = text.find('(');
    const auto close = text.rfind(')');
    if (open == std::string_view::npos || close == std::string_view::npos || close < open) {
        return std::nullopt;
    }
    const auto fields = split(text.substr(close + 1), ' ');
    constexpr std::size_t first = 3; // The number of the field `state` in proc_pid_stat(5).
    const auto field = [&](std::size_t number) -> std::int64_t {
        const std::size_t at = number - first;
        return at < fields.size() ? to_number(fields[at]).value_or(0) : 0;
    };
    const auto tid = to_number(trimmed(text.substr(0, open)));
    if (!tid || fields.size() < 39 - first + 1) {
        return std::nullopt;
    }
    constexpr std::int64_t kernel_thread = 0x00200000; // PF_KTHREAD
    task_sample task;
    task.tid = static_cast<int>(*tid);
    task.pid = task.tid;
    task.name = std::string(text.substr(open + 1, close - open - 1));
    task.state = fields[0].front();
    task.parent_pid = static_cast<int>(field(4));
    task.kernel = (field(9) & kernel_thread) != 0;
    const std::int64_t tick_ns = 1'000'000'000 / ticks_a_second;
    task.run_ns = (field(14) + field(15)) * tick_ns;
    task.children_ns = (field(16) + field(17)) * tick_ns;
    task.started = static_cast<std::uint64_t>(field(22));
    task.cpu = static_cast<unsigned>(field(39));
    return task;
}

void parse_task_schedstat(std::string_view text, task_sample& task) {
    const auto fields = split(text, ' ');
    if (fields.size() < 3) {
        return;
    }
    const auto run = to_number(fields[0]);
    if (run && *run > 0) {
        task.run_ns = *run;
    }
    task.wait_ns = to_number(fields[1]).value_or(0);
    task.turns = static_cast<std::uint64_t>(to_number(fields[2]).value_or(0));
}

} // namespace regatta::detail
