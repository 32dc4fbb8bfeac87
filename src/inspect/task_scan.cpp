// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include <regatta/inspect/task_scan.hpp>

#include "inspect/task_stat.hpp"
#include <regatta/base/detail/system_files.hpp>

#include <dirent.h>
#include <unistd.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace regatta {
namespace {

/// Calls `visit(number)` for each entry of a folder that is a number.
void for_each_number(const std::string& folder, const std::function<void(int)>& visit) {
    const std::unique_ptr<DIR, int (*)(DIR*)> list(::opendir(folder.c_str()), ::closedir);
    if (list == nullptr) {
        return;
    }
    while (const dirent* const entry = ::readdir(list.get())) {
        if (const auto number = detail::to_number(entry->d_name); number && *number > 0) {
            visit(static_cast<int>(*number));
        }
    }
}

} // namespace

std::optional<task_sample> read_task(int pid, int tid, const std::string& root) {
    const std::string folder =
        root + "/proc/" + std::to_string(pid) + "/task/" + std::to_string(tid);
    const auto stat = detail::read_small_file(folder + "/stat");
    if (!stat) {
        return std::nullopt;
    }
    auto sample = detail::parse_task_stat(*stat, ::sysconf(_SC_CLK_TCK));
    if (!sample) {
        return std::nullopt;
    }
    sample->pid = pid;
    if (const auto figures = detail::read_small_file(folder + "/schedstat")) {
        detail::parse_task_schedstat(*figures, *sample);
    }
    return sample;
}

std::optional<task_sample> read_process(int pid, const std::string& root) {
    const auto stat = detail::read_small_file(root + "/proc/" + std::to_string(pid) + "/stat");
    return stat ? detail::parse_task_stat(*stat, ::sysconf(_SC_CLK_TCK)) : std::nullopt;
}

std::vector<task_sample> scan_tasks(const std::string& root) {
    std::vector<task_sample> tasks;
    for_each_number(root + "/proc", [&](int pid) {
        for_each_number(root + "/proc/" + std::to_string(pid) + "/task", [&](int tid) {
            if (auto sample = read_task(pid, tid, root)) {
                tasks.push_back(std::move(*sample));
            }
        });
    });
    return tasks;
}

} // namespace regatta
