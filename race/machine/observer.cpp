// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "machine/observer.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace regatta::race {

std::size_t process_observation::processes() const {
    std::set<int> numbers;
    for (const thread_use& one : threads) {
        numbers.insert(one.now.task.pid);
    }
    return numbers.size();
}

observer::observer(std::optional<int> process, std::string root)
    : root_(std::move(root))
    , process_(process)
    , title_(process ? title_of_process(*process, root_) : std::string())
    , last_(take_look()) {}

observer::look observer::take_look() const {
    look now;
    now.moment = std::chrono::steady_clock::now();
    if (process_) {
        now.threads = read_process_activity(*process_, root_);
        now.cpu_ns = cpu_ns_of(now.threads, root_);
    }
    now.cpus = read_cpu_activity(root_);
    now.queue = read_run_queue(root_);
    now.stalls = read_pressure(root_);
    return now;
}

observation observer::observe() {
    look now = take_look();
    observation seen;
    seen.time = std::chrono::system_clock::now();
    const auto elapsed =
        std::chrono::duration_cast<std::chrono::nanoseconds>(now.moment - last_.moment).count();
    seen.elapsed_ns = std::max<std::int64_t>(1, elapsed);
    seen.all = shares_between(last_.cpus.all, now.cpus.all);
    seen.cpus = use_between(last_.cpus, now.cpus);
    seen.queue = now.queue;
    if (last_.queue && now.queue) {
        seen.switches_a_second = static_cast<double>(now.queue->switches - last_.queue->switches) *
                                 1e9 / static_cast<double>(seen.elapsed_ns);
    }
    seen.stalls = now.stalls;
    seen.stalled = {stalled_share(last_.stalls.cpu, now.stalls.cpu, seen.elapsed_ns),
                    stalled_share(last_.stalls.memory, now.stalls.memory, seen.elapsed_ns),
                    stalled_share(last_.stalls.io, now.stalls.io, seen.elapsed_ns)};
    if (process_) {
        seen.process = observe_process(now, seen.elapsed_ns);
    }
    last_ = std::move(now);
    return seen;
}

process_observation observer::observe_process(const look& now, std::int64_t elapsed_ns) {
    if (std::string title = title_of_process(*process_, root_); !title.empty()) {
        title_ = std::move(title); // It may have become another program.
    }
    process_observation seen;
    seen.pid = *process_;
    seen.title = title_;
    seen.alive = std::ranges::any_of(now.threads, [&](const thread_activity& one) {
        return one.task.pid == *process_ && one.task.state != 'Z' && one.task.state != 'X';
    });
    if (seen.alive) {
        seen.threads = use_between(last_.threads, now.threads, elapsed_ns);
        double living = 0; // Finer, and not wrong where an orphan has taken its time along.
        for (const thread_use& one : seen.threads) {
            living += one.use;
        }
        const auto used = static_cast<double>(now.cpu_ns - last_.cpu_ns);
        seen.cpus_used = std::max(living, used / static_cast<double>(elapsed_ns));
    }
    return seen;
}

} // namespace regatta::race
