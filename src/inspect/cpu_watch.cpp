// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "inspect/cpu_watch.hpp"

#include "inspect/gap_attribution.hpp"
#include "inspect/gap_probe.hpp"
#include "inspect/switch_trace.hpp"
#include "inspect/task_directory.hpp"
#include "inspect/task_history.hpp"
#include <regatta/inspect/exclusivity_check.hpp>
#include <regatta/inspect/interrupt_counts.hpp>
#include <regatta/inspect/jitter.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace regatta::detail {

task_role watch_context::role_of(int pid, int tid, bool kernel) const {
    return checkers.contains(tid)                               ? task_role::checker
           : kernel                                             ? task_role::kernel
           : pid == own_pid || directory.owners().contains(pid) ? task_role::owner
                                                                : task_role::intruder;
}

cpu_watch::cpu_watch(unsigned cpu, std::optional<switch_trace> trace)
    : trace_(std::move(trace))
    , attribution_(trace_.has_value()) {
    check_.cpu = cpu;
    check_.traced = trace_.has_value();
}

void cpu_watch::take_probe(std::unique_ptr<gap_probe> probe, std::int64_t threshold_ns) {
    probe_ = std::move(probe);
    threshold_ns_ = threshold_ns;
}

void cpu_watch::forget_gaps() {
    if (probe_) {
        probe_->drain([](const gap&) {});
    }
}

void cpu_watch::gather(watch_context& context, const interruption_counts& counts,
                       std::int64_t now_ns) {
    // The gaps first: tasks that ran in a gap were recorded before the loop noticed it.
    std::vector<gap> gaps;
    if (probe_) {
        probe_->drain([&](const gap& one) { gaps.push_back(one); });
    }
    if (trace_) {
        trace_->drain([&](const switch_record& record) { take(context, record); });
    }
    displaced_ns_ = std::exchange(displaced_now_ns_, 0);
    for (gap& one : gaps) {
        // A gap across the start or end of the check counts with its part inside.
        const std::int64_t end_ns = std::min(one.end_ns(), end_limit_ns_);
        one.start_ns = std::max(one.start_ns, check_.begin_ns);
        one.length_ns = end_ns - one.start_ns;
        if (one.length_ns >= threshold_ns_) {
            attribution_.add(one);
            displaced_now_ns_ += one.displaced ? one.length_ns : 0;
            displacements_ += one.displaced ? 1 : 0;
            displaced_total_ns_ += one.displaced ? one.length_ns : 0;
        }
    }
    if (probe_) {
        attribution_.settle(counts);
    }
    check_.end_ns = std::min(now_ns, end_limit_ns_);
}

void cpu_watch::estimate(const watch_context& context, const std::vector<task_delta>& deltas) {
    if (probe_ && displaced_ns_ + displaced_now_ns_ > 0) {
        for (const task_delta& one : held_) {
            estimate(context, one);
        }
    }
    held_.clear();
    for (const task_delta& one : deltas) {
        if (one.now.cpu == check_.cpu) {
            if (!probe_) {
                estimate(context, one);
            } else {
                held_.push_back(one);
            }
        }
    }
}

cpu_check cpu_watch::finish(watch_context& context, const std::vector<task_delta>& deltas) {
    check_.end_ns = end_limit_ns_;
    if (trace_) {
        finish_trace(context, deltas);
    } else {
        finish_estimates();
    }
    // Intruders first, then by time. `finish_gaps` maps the tasks of gaps to this order.
    std::vector<std::pair<task_key, task_presence>> order(presences_.begin(), presences_.end());
    std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
        const bool first = a.second.role == task_role::intruder;
        const bool second = b.second.role == task_role::intruder;
        return first != second ? first : a.second.time_ns > b.second.time_ns;
    });
    for (auto& [key, one] : order) {
        check_.tasks.push_back(std::move(one));
    }
    if (probe_) {
        finish_gaps(order);
    }
    return std::move(check_);
}

task_presence& cpu_watch::presence(task_key key, int pid, int tid) {
    task_presence& one = presences_[key];
    one.pid = pid;
    one.tid = tid;
    return one;
}

void cpu_watch::take(watch_context& context, const switch_record& record) {
    if (record.what == switch_record::kind::lost) {
        check_.lost_records += record.count;
        return;
    }
    if (record.what != switch_record::kind::runs) {
        if (record.what == switch_record::kind::ended && running_ == nobody) {
            // It has the CPU, and has no number any more when it leaves.
            running_ = context.directory.find(record.pid, record.tid, record.time_ns);
            since_ns_ = check_.begin_ns;
        }
        context.directory.learn(record);
        return;
    }
    const std::size_t next = context.directory.find(record.pid, record.tid, record.time_ns);
    if (running_ == nobody) {
        // The task that leaves had the CPU since the start.
        running_ = context.directory.find(record.other_pid, record.other_tid, record.time_ns);
        since_ns_ = check_.begin_ns;
    }
    if (next != running_) {
        close(context, record.time_ns);
        if (record.time_ns >= check_.begin_ns && record.time_ns < end_limit_ns_) {
            ++check_.switches;
            if (record.preempted && running_ != task_directory::idle) {
                const auto& who = context.directory[running_];
                ++presence({running_, 0}, who.pid, who.tid).preemptions;
            }
            if (next != task_directory::idle) {
                const auto& who = context.directory[next];
                ++presence({next, 0}, who.pid, who.tid).turns;
            }
        }
        running_ = next;
        since_ns_ = record.time_ns;
    }
}

void cpu_watch::close(const watch_context& context, std::int64_t now_ns) {
    const std::int64_t from = std::max(since_ns_, check_.begin_ns);
    const std::int64_t to = std::min(now_ns, end_limit_ns_);
    if (running_ == nobody || to <= from) {
        return;
    }
    if (running_ == task_directory::idle) {
        if (probe_) {
            attribution_.ran(running_, gap_cause::held_back, from, to);
        }
        return;
    }
    const auto& who = context.directory[running_];
    task_presence& one = presence({running_, 0}, who.pid, who.tid);
    one.time_ns += to - from;
    one.longest_ns = std::max(one.longest_ns, to - from);
    if (probe_ && who.tid == probe_->thread()) {
        constexpr std::int64_t some_reads_ns = 50'000; // Of the clock; otherwise it was stolen.
        if (to - from >= some_reads_ns) {
            attribution_.looped(from);
        }
    } else if (probe_) {
        const gap_cause kind = context.checkers.contains(who.tid) ? gap_cause::checker
                               : who.kernel                       ? gap_cause::kernel_thread
                                                                  : gap_cause::user_task;
        attribution_.ran(running_, kind, from, to);
    }
}

void cpu_watch::estimate(const watch_context& context, const task_delta& one) {
    const task_role role = context.role_of(one.now.pid, one.now.tid, one.now.kernel);
    if (role == task_role::checker && probe_ && one.now.tid == probe_->thread()) {
        return; // The gaps are more precise.
    }
    const task_key key{static_cast<std::size_t>(one.now.tid), one.now.started};
    task_presence& seen = presence(key, one.now.pid, one.now.tid);
    seen.name = one.now.name;
    seen.role = role;
    seen.time_ns += one.run_ns;
    seen.turns += one.turns;
}

void cpu_watch::finish_trace(watch_context& context, const std::vector<task_delta>& deltas) {
    if (running_ == nobody) {
        // No switch at all: one task had the CPU all the time.
        for (const task_delta& one : deltas) {
            if (one.now.cpu == check_.cpu && one.run_ns * 2 > check_.elapsed_ns()) {
                running_ = context.directory.find(one.now.pid, one.now.tid, check_.begin_ns);
                since_ns_ = check_.begin_ns;
            }
        }
    }
    close(context, end_limit_ns_);
    for (auto& [key, one] : presences_) {
        const auto& who = context.directory[key.first];
        one.name = who.name;
        const task_role role = context.role_of(who.pid, who.tid, who.kernel);
        const bool owned = role == task_role::intruder && context.directory.owned(key.first);
        one.role = owned ? task_role::owner : role;
    }
    attribution_.finish();
    if (probe_ && !context.sees_all_tasks && !attribution_[gap_cause::held_back].empty()) {
        const gap_histogram& held = attribution_[gap_cause::held_back];
        task_presence& unseen = presence({nobody, 0}, 0, 0);
        unseen.time_ns = held.total_ns();
        unseen.longest_ns = held.longest_ns();
        unseen.turns = held.count();
    }
}

void cpu_watch::finish_estimates() {
    attribution_.finish();
    if (!probe_) {
        return;
    }
    check_.switches = displacements_;
    std::int64_t known_ns = 0;
    std::uint64_t known_turns = 0;
    for (auto& [key, one] : presences_) {
        // It may have spent the rest of its time on another CPU.
        one.time_ns = std::min(one.time_ns, displaced_total_ns_);
        known_ns += one.time_ns;
        known_turns += one.turns;
    }
    // Unaccounted time counts as an unknown task if it exceeds the error of the estimates.
    constexpr std::int64_t blur_ns = 100'000;
    const std::int64_t unknown_ns = displaced_total_ns_ - known_ns;
    if (displacements_ > known_turns &&
        (presences_.empty() || unknown_ns > blur_ns + displaced_total_ns_ / 5)) {
        task_presence& unseen = presence({nobody, 0}, 0, 0);
        unseen.time_ns = std::max<std::int64_t>(unknown_ns, 0);
        unseen.turns = displacements_ - known_turns;
    }
}

void cpu_watch::finish_gaps(const std::vector<std::pair<task_key, task_presence>>& order) {
    gap_report made;
    made.threshold_ns = threshold_ns_;
    made.reads = probe_->result().reads;
    made.shortest_ns = probe_->result().shortest_ns;
    made.dropped = probe_->dropped();
    if (made.shortest_ns >= made.threshold_ns) {
        check_.notes.push_back(
            "reading the clock takes " + std::to_string(made.shortest_ns) +
            " ns there, no less than the threshold: each turn of the loop counts as a gap");
    }
    made.all = attribution_.all();
    for (std::size_t i = 0; i < gap_causes; ++i) {
        made.by_cause[i] = attribution_[static_cast<gap_cause>(i)];
    }
    made.longest = attribution_.longest();
    for (long_gap& one : made.longest) {
        const auto found = std::find_if(order.begin(), order.end(),
                                        [&](const auto& p) { return p.first.first == one.task; });
        one.task = static_cast<std::size_t>(found - order.begin());
    }
    check_.gaps = std::move(made);
}

} // namespace regatta::detail
