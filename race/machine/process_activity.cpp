// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "machine/process_activity.hpp"

#include "machine/file_text.hpp"

#include <regatta/base/detail/system_files.hpp>
#include <regatta/cpu/cpu_set.hpp>
#include <regatta/inspect/task_scan.hpp>
#include <regatta/process/process_affinity.hpp>

#include <algorithm>
#include <cstddef>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace regatta::race {
namespace {

std::string task_folder(int process, int thread) {
    return "/proc/" + std::to_string(process) + "/task/" + std::to_string(thread);
}

/// The line "se.nr_migrations : 12" of a file `sched`; its name has had different beginnings.
std::optional<std::int64_t> migrations_of(std::string_view sched) {
    for (const std::string_view line : detail::split(sched, '\n')) {
        const auto colon = line.find(':');
        if (colon != line.npos &&
            detail::trimmed(line.substr(0, colon)).ends_with("nr_migrations")) {
            return detail::to_number(detail::trimmed(line.substr(colon + 1)));
        }
    }
    return std::nullopt;
}

std::optional<thread_activity> read_thread(int process, int thread, const std::string& root) {
    auto task = read_task(process, thread, root);
    if (!task) {
        return std::nullopt;
    }
    const std::string folder = root + task_folder(process, thread);
    const std::string status = text_of_file(folder + "/status");
    thread_activity now;
    now.task = std::move(*task);
    if (const auto list = detail::status_field(status, "Cpus_allowed_list"); !list.empty()) {
        cpu_list_error error;
        now.allowed = cpu_set::try_parse(list, cpu_set::max_width, error);
    }
    now.voluntary = detail::to_number(detail::status_field(status, "voluntary_ctxt_switches"));
    now.involuntary = detail::to_number(detail::status_field(status, "nonvoluntary_ctxt_switches"));
    now.migrations = migrations_of(text_of_file(folder + "/sched"));
    return now;
}

/// What a counter grew by; the whole of it where it did not exist before.
std::optional<std::int64_t> growth(const std::optional<std::int64_t>& before,
                                   const std::optional<std::int64_t>& after) {
    if (!after) {
        return std::nullopt;
    }
    return std::max<std::int64_t>(0, *after - before.value_or(0));
}

} // namespace

std::vector<thread_activity> read_process_activity(int process, const std::string& root) {
    std::vector<thread_activity> threads;
    std::vector<int> processes{process};
    for (std::size_t i = 0; i < processes.size(); ++i) {
        const int one = processes[i];
        for (const thread_number thread : threads_of(one, root)) {
            if (auto now = read_thread(one, thread, root)) {
                threads.push_back(std::move(*now));
            }
            const std::string children =
                text_of_file(root + task_folder(one, thread) + "/children");
            for (const std::string_view word : detail::split(children, ' ')) {
                const auto child = detail::to_number(word);
                // A number that was given anew meanwhile must not lead in a circle.
                if (child && std::ranges::find(processes, *child) == processes.end()) {
                    processes.push_back(static_cast<int>(*child));
                }
            }
        }
    }
    return threads;
}

std::int64_t cpu_ns_of(const std::vector<thread_activity>& threads, const std::string& root) {
    std::set<int> processes;
    for (const thread_activity& one : threads) {
        processes.insert(one.task.pid);
    }
    std::int64_t sum = 0;
    for (const int process : processes) {
        if (const auto whole = read_process(process, root)) {
            sum += whole->run_ns + whole->children_ns;
        }
    }
    return sum;
}

std::vector<thread_use> use_between(const std::vector<thread_activity>& before,
                                    const std::vector<thread_activity>& after,
                                    std::int64_t elapsed_ns) {
    std::unordered_map<int, const thread_activity*> known;
    for (const thread_activity& one : before) {
        known[one.task.tid] = &one;
    }
    const thread_activity unborn;
    const auto share = [&](std::int64_t earlier, std::int64_t later) {
        return std::clamp(static_cast<double>(later - earlier) / static_cast<double>(elapsed_ns),
                          0.0, 1.0);
    };
    std::vector<thread_use> uses;
    for (const thread_activity& now : after) {
        const auto found = known.find(now.task.tid);
        const bool same = found != known.end() && found->second->task.started == now.task.started;
        const thread_activity& then = same ? *found->second : unborn;
        thread_use use;
        use.now = now;
        use.use = share(then.task.run_ns, now.task.run_ns);
        if (now.task.turns > 0) {
            use.wait = share(then.task.wait_ns, now.task.wait_ns);
        }
        use.voluntary = growth(then.voluntary, now.voluntary);
        use.involuntary = growth(then.involuntary, now.involuntary);
        use.migrations = growth(then.migrations, now.migrations);
        uses.push_back(std::move(use));
    }
    return uses;
}

std::string title_of_process(int process, const std::string& root) {
    const std::string folder = root + "/proc/" + std::to_string(process);
    std::string words = text_of_file(folder + "/cmdline");
    while (!words.empty() && words.back() == '\0') {
        words.pop_back();
    }
    std::ranges::replace(words, '\0', ' ');
    if (!words.empty()) {
        return words;
    }
    const std::string name = line_of(folder + "/comm");
    return name.empty() ? name : '[' + name + ']';
}

std::optional<int> process_of_task(int number, const std::string& root) {
    const auto process = detail::to_number(
        value_of(root + "/proc/" + std::to_string(number) + "/status", "Tgid", ':'));
    return process ? std::optional(static_cast<int>(*process)) : std::nullopt;
}

} // namespace regatta::race
