// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "machine/run_queue.hpp"

#include <regatta/base/detail/system_files.hpp>

#include <charconv>
#include <cstddef>
#include <string_view>
#include <system_error>

namespace regatta::race {

std::optional<run_queue> read_run_queue(const std::string& root) {
    const auto stat = detail::read_small_file(root + "/proc/stat");
    const auto load = detail::read_small_file(root + "/proc/loadavg");
    if (!stat || !load) {
        return std::nullopt;
    }
    run_queue now;
    for (const std::string_view line : detail::split(*stat, '\n')) {
        const auto words = detail::split(line, ' ');
        if (words.size() != 2) {
            continue;
        }
        const std::int64_t value = detail::to_number(words[1]).value_or(0);
        if (words[0] == "ctxt") {
            now.switches = value;
        } else if (words[0] == "procs_running") {
            now.runnable = static_cast<unsigned>(value);
        } else if (words[0] == "procs_blocked") {
            now.blocked = static_cast<unsigned>(value);
        }
    }
    // "0.20 0.18 0.12 1/80 11206": the loads, runnable and all tasks, the youngest process.
    const auto words = detail::split(detail::trimmed(*load), ' ');
    if (words.size() < now.load.size() + 1) {
        return std::nullopt;
    }
    for (std::size_t i = 0; i < now.load.size(); ++i) {
        const std::string_view word = words[i];
        if (std::from_chars(word.data(), word.data() + word.size(), now.load[i]).ec !=
            std::errc{}) {
            return std::nullopt;
        }
    }
    const std::string_view tasks = words[now.load.size()];
    const auto all = detail::to_number(tasks.substr(tasks.find('/') + 1));
    now.tasks = static_cast<unsigned>(all.value_or(0));
    return now;
}

} // namespace regatta::race
