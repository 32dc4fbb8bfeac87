// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// All tasks of the machine at one moment, and on which CPU each one ran last.

#include <regatta/base/config.hpp>
#include <regatta/base/detail/system_files.hpp>

#include <cctype>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#if REGATTA_LINUX
#include <dirent.h>
#include <unistd.h>
#endif

namespace regatta {

/// A thread, as /proc tells of it.
struct task_sample {
    int pid = 0; ///< Of the process.
    int tid = 0;
    int parent_pid = 0;
    unsigned cpu = 0;    ///< On which it runs, or ran last.
    bool kernel = false; ///< A thread of the kernel itself.
    char state = '?';    ///< As in proc_pid_stat(5): R runs or could, S sleeps, T is stopped …
    std::string name;
    std::uint64_t started = 0; ///< Tells two tasks of one number apart.
    std::int64_t run_ns = 0;   ///< CPU time so far.
    std::int64_t wait_ns = 0;  ///< Ready to run, without a CPU; 0 where the kernel does not count.
    std::uint64_t turns = 0;   ///< How often it was given a CPU; 0 where the kernel does not count.
    std::int64_t children_ns = 0; ///< CPU time of the process's children that it has waited for.
};

namespace detail {

/// Reads the text of a `stat` file of a task; nothing for one that is none.
/// Source: proc_pid_stat(5).
inline std::optional<task_sample> parse_task_stat(std::string_view text,
                                                  std::int64_t ticks_a_second = 100) {
    // number (name) state parent …; the name may have blanks and brackets.
    const auto open = text.find('(');
    const auto close = text.rfind(')');
    if (open == std::string_view::npos || close == std::string_view::npos || close < open) {
        return std::nullopt;
    }
    const auto fields = split(text.substr(close + 1), ' ');
    constexpr std::size_t first = 3; // What proc_pid_stat(5) calls the state.
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

/// Puts what a `schedstat` file says into `task`: time run, time waited, turns. A kernel without
/// these figures has zeros there, or no such file; then those of `stat` stay.
inline void parse_task_schedstat(std::string_view text, task_sample& task) {
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

/// Calls `visit(number)` for each entry of a folder that is a number.
template<class Visit>
void for_each_number(const std::string& folder, Visit&& visit) {
#if REGATTA_LINUX
    DIR* const list = ::opendir(folder.c_str());
    if (list == nullptr) {
        return;
    }
    while (const dirent* const entry = ::readdir(list)) {
        if (const auto number = to_number(entry->d_name); number && *number > 0) {
            visit(static_cast<int>(*number));
        }
    }
    ::closedir(list);
#else
    static_cast<void>(folder);
    static_cast<void>(visit);
#endif
}

} // namespace detail

/// One thread by its number; nothing if it is gone or hidden. `pid` is the number of the process.
inline std::optional<task_sample> read_task(int pid, int tid, const std::string& root = {}) {
    const std::string folder =
        root + "/proc/" + std::to_string(pid) + "/task/" + std::to_string(tid);
    const auto stat = detail::read_small_file(folder + "/stat");
    if (!stat) {
        return std::nullopt;
    }
#if REGATTA_LINUX
    const std::int64_t ticks_a_second = ::sysconf(_SC_CLK_TCK);
#else
    constexpr std::int64_t ticks_a_second = 100;
#endif
    auto sample = detail::parse_task_stat(*stat, ticks_a_second);
    if (!sample) {
        return std::nullopt;
    }
    sample->pid = pid;
    if (const auto figures = detail::read_small_file(folder + "/schedstat")) {
        detail::parse_task_schedstat(*figures, *sample);
    }
    return sample;
}

/// Every thread that /proc shows, in the order of their processes. One that begins or ends
/// meanwhile is in it or not.
///
/// Threads: any. Failure: none; what cannot be read is left out. Cost: two small files a thread,
/// some 2 ms a hundred.
/// @param root a directory that stands in for `/`.
inline std::vector<task_sample> scan_tasks(const std::string& root = {}) {
    std::vector<task_sample> tasks;
    detail::for_each_number(root + "/proc", [&](int pid) {
        detail::for_each_number(root + "/proc/" + std::to_string(pid) + "/task", [&](int tid) {
            if (auto sample = read_task(pid, tid, root)) {
                tasks.push_back(std::move(*sample));
            }
        });
    });
    return tasks;
}

/// What a task did since an earlier scan.
struct task_delta {
    task_sample now;
    std::int64_t run_ns = 0;
    std::int64_t wait_ns = 0;
    std::uint64_t turns = 0;
};

/// Compares each scan with the one before.
///
/// Threads: one. Failure: none. Cost: a look-up a task; holds one scan.
class task_history {
public:
    /// What the tasks of `tasks` did since the last call; at the first call, nothing. A task that
    /// was not there then did it all meanwhile.
    std::vector<task_delta> update(std::vector<task_sample> tasks) {
        std::vector<task_delta> deltas;
        std::unordered_map<int, task_sample> latest;
        for (task_sample& one : tasks) {
            const auto before = latest_.find(one.tid);
            const bool same = before != latest_.end() && before->second.started == one.started;
            const task_sample nothing;
            const task_sample& old = same ? before->second : nothing;
            if (!first_ && one.run_ns > old.run_ns) {
                deltas.push_back({one, one.run_ns - old.run_ns, one.wait_ns - old.wait_ns,
                                  one.turns - old.turns});
            }
            latest.emplace(one.tid, std::move(one));
        }
        latest_ = std::move(latest);
        first_ = false;
        return deltas;
    }

private:
    std::unordered_map<int, task_sample> latest_;
    bool first_ = true;
};

} // namespace regatta
