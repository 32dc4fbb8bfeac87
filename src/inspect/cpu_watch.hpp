// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Everything that a check gathers of one CPU.

#include "inspect/gap_probe.hpp"
#include "inspect/switch_trace.hpp"
#include "inspect/task_directory.hpp"
#include <regatta/inspect/exclusivity_report.hpp>
#include <regatta/inspect/gap_causes.hpp>
#include <regatta/inspect/interrupt_counts.hpp>
#include <regatta/inspect/task_scan.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

namespace regatta::detail {

/// What all CPUs of a check share.
struct watch_context {
    task_directory directory;
    std::unordered_set<int> checkers; ///< Threads of the check.
    bool sees_all_tasks = true;
    int own_pid = 0; ///< Of the process that checks; its other threads are its own affair.

    task_role role_of(int pid, int tid, bool kernel) const {
        return checkers.contains(tid)                               ? task_role::checker
               : kernel                                             ? task_role::kernel
               : pid == own_pid || directory.owners().contains(pid) ? task_role::owner
                                                                    : task_role::intruder;
    }
};

/// One CPU under watch, from its sources to its part of the report.
///
/// Threads: one, that of the check.
class cpu_watch {
public:
    cpu_watch(unsigned cpu, std::optional<switch_trace> trace)
        : trace_(std::move(trace))
        , attribution_(trace_.has_value()) {
        check_.cpu = cpu;
        check_.traced = trace_.has_value();
    }

    unsigned cpu() const noexcept { return check_.cpu; }
    bool traced() const noexcept { return check_.traced; }
    std::vector<std::string>& notes() noexcept { return check_.notes; }
    gap_probe* probe() noexcept { return probe_.get(); }
    void take_probe(std::unique_ptr<gap_probe> probe, std::int64_t threshold_ns) {
        probe_ = std::move(probe);
        threshold_ns_ = threshold_ns;
    }

    /// What was before `now_ns` does not count.
    void begin(std::int64_t now_ns) noexcept { check_.begin_ns = check_.end_ns = now_ns; }

    /// Takes in what happened until now. @param counts since the last call.
    void gather(watch_context& context, const interruption_counts& counts, std::int64_t now_ns) {
        // The gaps first: what ran in a gap was recorded before the loop knew of it.
        std::vector<gap> gaps;
        if (probe_) {
            probe_->drain([&](const gap& one) { gaps.push_back(one); });
        }
        if (trace_) {
            trace_->drain([&](const switch_record& record) { take(context, record); });
        }
        displaced_ns_ = std::exchange(displaced_now_ns_, 0);
        for (gap& one : gaps) {
            // What reaches into the time of the check counts with the part that lies in it.
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

    /// Takes in what the tasks whose last CPU this is did since the last call, where no trace
    /// tells. Beside a gap loop nothing ran unless the loop was displaced, in this stretch or, if
    /// it is not back yet, in the next one.
    void estimate(const watch_context& context, const std::vector<task_delta>& deltas) {
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

    /// Nothing after `now_ns` counts.
    void end(std::int64_t now_ns) noexcept { end_limit_ns_ = now_ns; }

    /// The report, once all was gathered.
    /// @param deltas of all tasks since the begin.
    cpu_check finish(watch_context& context, const std::vector<task_delta>& deltas) {
        check_.end_ns = end_limit_ns_;
        if (trace_) {
            finish_trace(context, deltas);
        } else {
            finish_estimates();
        }
        // Intruders first, then by time; gaps then point to where their tasks have gone.
        std::vector<std::pair<std::size_t, task_presence>> order(presences_.begin(),
                                                                 presences_.end());
        std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
            const bool first = a.second.role == task_role::intruder;
            const bool second = b.second.role == task_role::intruder;
            return first != second ? first : a.second.time_ns > b.second.time_ns;
        });
        for (auto& [index, one] : order) {
            check_.tasks.push_back(std::move(one));
        }
        if (probe_) {
            finish_gaps(order);
        }
        return std::move(check_);
    }

    /// What /proc/interrupts said at the begin.
    interrupt_counts first_counts;
    interrupt_counts first_soft_counts;
    std::optional<std::int64_t> first_steal_ns;
    cpu_check& report() noexcept { return check_; }

private:
    static constexpr std::size_t nobody = static_cast<std::size_t>(-1);

    task_presence& presence(std::size_t key, int pid, int tid) {
        task_presence& one = presences_[key];
        one.pid = pid;
        one.tid = tid;
        return one;
    }

    void take(watch_context& context, const switch_record& record) {
        if (record.what == switch_record::kind::lost) {
            check_.lost_records += record.count;
            return;
        }
        if (record.what != switch_record::kind::runs) {
            context.directory.learn(record);
            return;
        }
        const std::size_t next = context.directory.find(record.pid, record.tid, record.time_ns);
        if (running_ == nobody) {
            // Who leaves had the CPU since the begin.
            running_ = context.directory.find(record.other_pid, record.other_tid, record.time_ns);
            since_ns_ = check_.begin_ns;
        }
        if (next != running_) {
            close(context, record.time_ns);
            if (record.time_ns >= check_.begin_ns && record.time_ns < end_limit_ns_) {
                ++check_.switches;
                if (record.preempted && running_ != task_directory::idle) {
                    const auto& who = context.directory[running_];
                    ++presence(running_, who.pid, who.tid).preemptions;
                }
                if (next != task_directory::idle) {
                    const auto& who = context.directory[next];
                    ++presence(next, who.pid, who.tid).turns;
                }
            }
            running_ = next;
            since_ns_ = record.time_ns;
        }
    }

    /// Accounts for the task that has the CPU, until `now_ns`.
    void close(const watch_context& context, std::int64_t now_ns) {
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
        task_presence& one = presence(running_, who.pid, who.tid);
        one.time_ns += to - from;
        one.longest_ns = std::max(one.longest_ns, to - from);
        if (probe_ && who.tid != probe_->thread()) {
            const gap_cause kind = context.checkers.contains(who.tid) ? gap_cause::checker
                                   : who.kernel                       ? gap_cause::kernel_thread
                                                                      : gap_cause::user_task;
            attribution_.ran(running_, kind, from, to);
        }
    }

    void estimate(const watch_context& context, const task_delta& one) {
        const task_role role = context.role_of(one.now.pid, one.now.tid, one.now.kernel);
        if (role == task_role::checker && probe_ && one.now.tid == probe_->thread()) {
            return; // The gaps tell better.
        }
        task_presence& seen =
            presence(static_cast<std::size_t>(one.now.tid), one.now.pid, one.now.tid);
        seen.name = one.now.name;
        seen.role = role;
        seen.time_ns += one.run_ns;
        seen.turns += one.turns;
    }

    void finish_trace(watch_context& context, const std::vector<task_delta>& deltas) {
        if (running_ == nobody) {
            // Not one switch: who had the CPU at the begin has it still.
            for (const task_delta& one : deltas) {
                if (one.now.cpu == check_.cpu && one.run_ns * 2 > check_.elapsed_ns()) {
                    running_ = context.directory.find(one.now.pid, one.now.tid, check_.begin_ns);
                    since_ns_ = check_.begin_ns;
                }
            }
        }
        close(context, end_limit_ns_);
        for (auto& [index, one] : presences_) {
            const auto& who = context.directory[index];
            one.name = who.name;
            one.role = context.role_of(who.pid, who.tid, who.kernel);
        }
        attribution_.finish();
        if (probe_ && !context.sees_all_tasks && !attribution_[gap_cause::held_back].empty()) {
            const gap_histogram& held = attribution_[gap_cause::held_back];
            task_presence& unseen = presence(nobody, 0, 0);
            unseen.time_ns = held.total_ns();
            unseen.longest_ns = held.longest_ns();
            unseen.turns = held.count();
        }
    }

    void finish_estimates() {
        attribution_.finish();
        if (!probe_) {
            return;
        }
        check_.switches = displacements_;
        std::int64_t known_ns = 0;
        std::uint64_t known_turns = 0;
        for (auto& [tid, one] : presences_) {
            // It may have used the rest of its time elsewhere.
            one.time_ns = std::min(one.time_ns, displaced_total_ns_);
            known_ns += one.time_ns;
            known_turns += one.turns;
        }
        // What nobody accounts for was somebody, if it is more than what estimates are off by.
        constexpr std::int64_t blur_ns = 100'000;
        const std::int64_t unknown_ns = displaced_total_ns_ - known_ns;
        if (displacements_ > known_turns &&
            (presences_.empty() || unknown_ns > blur_ns + displaced_total_ns_ / 5)) {
            task_presence& unseen = presence(nobody, 0, 0);
            unseen.time_ns = std::max<std::int64_t>(unknown_ns, 0);
            unseen.turns = displacements_ - known_turns;
        }
    }

    void finish_gaps(const std::vector<std::pair<std::size_t, task_presence>>& order) {
        gap_report made;
        made.threshold_ns = threshold_ns_;
        made.reads = probe_->result().reads;
        made.shortest_ns = probe_->result().shortest_ns;
        made.dropped = probe_->dropped();
        made.all = attribution_.all();
        for (std::size_t i = 0; i < gap_causes; ++i) {
            made.by_cause[i] = attribution_[static_cast<gap_cause>(i)];
        }
        made.longest = attribution_.longest();
        for (long_gap& one : made.longest) {
            const auto found = std::find_if(order.begin(), order.end(),
                                            [&](const auto& p) { return p.first == one.task; });
            one.task = static_cast<std::size_t>(found - order.begin());
        }
        check_.gaps = std::move(made);
    }

    cpu_check check_;
    std::optional<switch_trace> trace_;
    std::unique_ptr<gap_probe> probe_;
    std::int64_t threshold_ns_ = 0;
    gap_attribution attribution_;
    std::int64_t end_limit_ns_ = INT64_MAX;

    std::size_t running_ = nobody; ///< Who has the CPU, by its index in the directory.
    std::int64_t since_ns_ = 0;
    /// By the index in the directory; without a trace by the number of the thread.
    std::map<std::size_t, task_presence> presences_;

    std::vector<task_delta> held_;      ///< Of the stretch before.
    std::int64_t displaced_ns_ = 0;     ///< Of the gap loop, in the stretch before.
    std::int64_t displaced_now_ns_ = 0; ///< In this one.
    std::int64_t displaced_total_ns_ = 0;
    std::uint64_t displacements_ = 0;
};

} // namespace regatta::detail
