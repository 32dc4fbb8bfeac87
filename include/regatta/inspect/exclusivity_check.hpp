// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Finding out whether CPUs are one's own: who else runs there, and what else comes between.

#include "inspect/cpu_watch.hpp"
#include "inspect/steal_time.hpp"
#include <regatta/base/config.hpp>
#include <regatta/base/detail/monotonic_ns.hpp>
#include <regatta/base/detail/system_files.hpp>
#include <regatta/base/error.hpp>
#include <regatta/cpu/affinity.hpp>
#include <regatta/cpu/cpu_quota.hpp>
#include <regatta/cpu/cpu_set.hpp>
#include <regatta/inspect/exclusivity_report.hpp>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#if REGATTA_LINUX
#include <unistd.h>
#endif

namespace regatta {

/// How to look at CPUs.
struct exclusivity_check_options {
    std::chrono::nanoseconds duration = std::chrono::seconds(1);
    /// Keep each CPU busy with a gap loop, which feels whatever comes between. False: only look on,
    /// while a program runs there.
    bool gap_loop = true;
    /// Gaps below this do not count; at least 100 ns.
    std::chrono::nanoseconds threshold = std::chrono::microseconds(1);
    /// Processes that may run there, with their descendants.
    std::vector<int> owners{};
    /// Called in each thread of a gap loop before it is pinned: where a lease is entered.
    std::function<void()> prepare{};
    /// Asked some times a second; true ends the check early, with what was found by then.
    std::function<bool()> stop{};
    /// Use the switch trace where it can be had; false is what an unprivileged user gets.
    bool trace = true;
};

namespace detail {

/// What /proc lets this process see, as sentences; empty: everything.
inline std::vector<std::string> limits_of_sight([[maybe_unused]] bool& sees_all_tasks) {
    std::vector<std::string> notes;
#if REGATTA_LINUX
    char space[64] = {};
    // The number of the first namespace is fixed by the kernel.
    if (::readlink("/proc/self/ns/pid", space, sizeof space - 1) > 0 &&
        std::string_view(space) != "pid:[4026531836]") {
        sees_all_tasks = false;
        notes.push_back("This is a PID namespace of its own (a container): tasks outside of it "
                        "cannot be named, and where no gap loop runs they look like an idle CPU.");
    }
    if (::access("/proc/1/stat", R_OK) != 0) {
        notes.push_back("/proc hides the tasks of other users (hidepid): they cannot be named.");
    }
#endif
    if (const auto quota = cpu_quota()) {
        char text[32];
        std::snprintf(text, sizeof text, "%.3g", *quota);
        notes.push_back("This process may use the time of " + std::string(text) +
                        " CPUs (quota of its control group); where a gap loop uses that up it is "
                        "held back, which is nobody's intrusion.");
    }
    return notes;
}

inline std::string why_no_trace(int error) {
    if (error == EACCES || error == EPERM) {
        const auto level = detail::read_small_file("/proc/sys/kernel/perf_event_paranoid");
        return "Without root, CAP_PERFMON or kernel.perf_event_paranoid of 0 (it is " +
               std::string(level ? trimmed(*level) : "unknown") +
               ") the kernel does not tell of each switch of tasks. So that somebody ran is known "
               "from the gap loop, but who it was only from /proc: their times are estimates, and "
               "a task that lives for less than a moment may go unnamed.";
    }
    return "The kernel does not tell of switches of tasks (perf_event_open: " +
           std::generic_category().message(error) +
           "), so that who ran is known only from /proc: times are estimates.";
}

/// Runs one check.
class exclusivity_checker {
public:
    exclusivity_checker(const cpu_set& cpus, const exclusivity_check_options& options)
        : cpus_(cpus)
        , options_(options)
        , context_{detail::task_directory(options.owners), {}, true, 0} {
#if REGATTA_LINUX
        context_.own_pid = ::getpid();
#endif
    }

    exclusivity_report run() {
        report_.notes = limits_of_sight(context_.sees_all_tasks);
        report_.sees_all_tasks = context_.sees_all_tasks;
        // This thread must not be what it looks for.
        cpu_set allowed;
        try_affinity_of_this_thread(allowed);
        const cpu_set elsewhere = allowed - cpus_;
        std::optional<scoped_pin> pin;
        if (!elsewhere.empty()) {
            pin.emplace(elsewhere);
        } else {
            report_.notes.push_back("The check itself has no other CPU to run on, so it is among "
                                    "what it finds (as \"checker\").");
        }
        context_.checkers.insert(number_of_this_thread());
        open_traces();
        note_siblings();
        if (options_.gap_loop) {
            start_probes();
        }
        begin();
        std::int64_t last = begin_ns_;
        while (!stopped() && last < begin_ns_ + options_.duration.count()) {
            last = sleep_until_next(last);
            gather(last);
        }
        finish();
        return std::move(report_);
    }

private:
    using clock = std::chrono::steady_clock;

    bool stopped() {
        report_.stopped = report_.stopped || (options_.stop && options_.stop());
        return report_.stopped;
    }

    void open_traces() {
        int error = ENOTSUP;
        for (const unsigned cpu : cpus_) {
            std::optional<detail::switch_trace> trace;
            if (options_.trace) {
                trace = detail::switch_trace::open(cpu, error);
            } else {
                error = EPERM;
            }
            traced_ = trace.has_value() && traced_;
            watches_.push_back(std::make_unique<detail::cpu_watch>(cpu, std::move(trace)));
        }
        if (!traced_) {
            report_.notes.push_back(why_no_trace(error));
            return;
        }
        // Tasks are started and named on all CPUs. Without this the short-lived stay unnamed.
        const auto text = detail::read_small_file("/sys/devices/system/cpu/online");
        cpu_list_error ignored;
        const auto online = cpu_set::try_parse(trimmed(text ? *text : std::string()), ignored);
        for (const unsigned cpu : (online ? *online : cpu_set()) - cpus_) {
            if (auto names =
                    detail::switch_trace::open(cpu, error, detail::switch_trace::content::names)) {
                names_.push_back(std::move(*names));
            }
        }
    }

    /// A core's other threads of execution take from it what no switch and no gap shows.
    void note_siblings() {
        for (const auto& watch : watches_) {
            const auto text = detail::read_small_file("/sys/devices/system/cpu/cpu" +
                                                      std::to_string(watch->cpu()) +
                                                      "/topology/thread_siblings_list");
            cpu_list_error ignored;
            const auto siblings =
                cpu_set::try_parse(trimmed(text ? *text : std::string()), ignored);
            const cpu_set others = siblings ? *siblings - cpus_ : cpu_set();
            if (!others.empty()) {
                watch->notes().push_back("it shares its core with CPU " + others.to_string() +
                                         ", which was not looked at: who runs there slows this one "
                                         "down and leaves no trace here");
            }
        }
    }

    void start_probes() {
        for (const auto& watch : watches_) {
            auto probe = std::make_unique<detail::gap_probe>(
                watch->cpu(), options_.threshold.count(), options_.prepare);
            if (probe->error() != 0) {
                watch->notes().push_back("no gap loop: this process may not run there (" +
                                         std::generic_category().message(probe->error()) + ")");
                continue;
            }
            context_.checkers.insert(probe->thread());
            watch->take_probe(std::move(probe), options_.threshold.count());
        }
    }

    /// All tasks now; who is a descendant of an owner is known then.
    std::vector<task_sample> scan() {
        auto tasks = scan_tasks();
        context_.directory.adopt(tasks);
        return tasks;
    }

    void begin() {
        auto tasks = scan();
        if (!traced_) {
            history_.update(tasks);
        }
        whole_history_.update(std::move(tasks));
        counts_ = interrupt_counts::read(cpus_);
        const auto soft = interrupt_counts::read_soft(cpus_);
        if (counts_.empty()) {
            report_.notes.push_back("/proc/interrupts cannot be read: interrupts are not known.");
        }
        begin_ns_ = detail::monotonic_ns();
        for (const auto& watch : watches_) {
            watch->begin(begin_ns_);
            watch->first_counts = counts_;
            watch->first_soft_counts = soft;
            watch->first_steal_ns = detail::steal_time_ns(watch->cpu());
            steal_ns_.push_back(watch->first_steal_ns.value_or(0));
        }
    }

    /// Short stretches tell causes well apart, but looking at all tasks of a large machine takes
    /// long: the check leaves at least 19 of 20 parts of its own CPU alone.
    std::int64_t sleep_until_next(std::int64_t last) const {
        constexpr std::int64_t shortest = 20'000'000;
        constexpr std::int64_t longest = 500'000'000;
        const std::int64_t stretch = std::clamp(20 * cost_ns_, shortest, longest);
        const std::int64_t end = std::min(last + stretch, begin_ns_ + options_.duration.count());
        std::this_thread::sleep_until(clock::time_point(
            std::chrono::duration_cast<clock::duration>(std::chrono::nanoseconds(end))));
        return detail::monotonic_ns();
    }

    void gather(std::int64_t now_ns) {
        for (detail::switch_trace& one : names_) {
            one.drain(
                [&](const detail::switch_record& record) { context_.directory.learn(record); });
        }
        auto counts = interrupt_counts::read(cpus_);
        for (std::size_t i = 0; i < watches_.size(); ++i) {
            detail::cpu_watch& watch = *watches_[i];
            interruption_counts since;
            for (const interrupt_count& one : counts.since(counts_, watch.cpu())) {
                (one.kind == interrupt_kind::tick     ? since.ticks
                 : one.kind == interrupt_kind::device ? since.devices
                                                      : since.interprocessor) += one.count;
            }
            const std::int64_t steal = detail::steal_time_ns(watch.cpu()).value_or(0);
            since.steal_ns = steal - std::exchange(steal_ns_[i], steal);
            watch.gather(context_, since, now_ns);
        }
        counts_ = std::move(counts);
        if (!traced_) {
            const auto deltas = history_.update(scan());
            for (const auto& watch : watches_) {
                if (!watch->traced()) {
                    watch->estimate(context_, deltas);
                }
            }
        }
        context_.directory.settle();
        cost_ns_ = detail::monotonic_ns() - now_ns;
    }

    void finish() {
        const std::int64_t end_ns = detail::monotonic_ns();
        for (const auto& watch : watches_) {
            watch->end(end_ns);
            if (watch->probe() != nullptr) {
                watch->probe()->stop();
            }
        }
        const auto soft = interrupt_counts::read_soft(cpus_);
        // Twice: what was held back for the stretch after is taken in, too.
        gather(end_ns);
        gather(end_ns);
        const auto tasks = scan();
        const auto deltas = whole_history_.update(tasks);
        for (const auto& watch : watches_) {
            cpu_check& found = watch->report();
            found.interrupts = counts_.since(watch->first_counts, watch->cpu());
            found.soft_interrupts = soft.since(watch->first_soft_counts, watch->cpu());
            if (const auto steal = detail::steal_time_ns(watch->cpu());
                steal && watch->first_steal_ns) {
                found.steal_ns = *steal - *watch->first_steal_ns;
            }
        }
        count_allowed(tasks);
        for (const auto& watch : watches_) {
            report_.cpus.push_back(watch->finish(context_, deltas));
        }
    }

    /// How many tasks of others may run on each CPU.
    void count_allowed(const std::vector<task_sample>& tasks) {
        for (const task_sample& one : tasks) {
            cpu_set allowed;
            if (context_.role_of(one.pid, one.tid, one.kernel) != task_role::intruder ||
                try_affinity_of_thread(one.tid, allowed) != 0) {
                continue;
            }
            for (const auto& watch : watches_) {
                watch->report().allowed_tasks += allowed.contains(watch->cpu()) ? 1 : 0;
            }
        }
    }

    const cpu_set& cpus_;
    const exclusivity_check_options& options_;
    exclusivity_report report_;
    detail::watch_context context_;
    std::vector<std::unique_ptr<detail::cpu_watch>> watches_;
    std::vector<detail::switch_trace> names_; ///< Of the other CPUs.
    task_history history_;                    ///< From stretch to stretch.
    task_history whole_history_;              ///< From the begin to the end.
    interrupt_counts counts_;                 ///< The last ones read.
    std::vector<std::int64_t> steal_ns_;
    bool traced_ = true; ///< All of them.
    std::int64_t begin_ns_ = 0;
    std::int64_t cost_ns_ = 0; ///< Of the last `gather`.
};

} // namespace detail

/// Looks at `cpus` for a while and says who ran there, what interrupted, and so whose they are.
///
/// With a gap loop it keeps each CPU busy with a thread of its own, so use that for CPUs that are
/// to be used; look on without it while a program runs on them. Its own threads are no intruders,
/// nor are the others of this process and those of the owners and their descendants.
///
/// With the right to (root, CAP_PERFMON) every switch is known, and so every task by name and time.
/// Without it the gap loop still knows each time that it lost its CPU, and /proc names those who
/// were there. The report says what could not be seen.
///
/// Threads: any; meanwhile the calling thread runs on other CPUs, if it may. Blocks: for
/// `duration`. Failure: `std::invalid_argument` for no CPU, a CPU that is off or does not exist, an
/// owner that does not exist, a duration or a threshold that cannot be; `std::system_error`
/// (`not_supported`) elsewhere than on Linux.
/// Cost: 5 % of another CPU, and of each of `cpus` what the gap loop takes: all.
inline exclusivity_report check_exclusivity(const cpu_set& cpus,
                                            const exclusivity_check_options& options = {}) {
    if (!REGATTA_LINUX) {
        fail_system(ENOTSUP, "check CPUs");
    }
    if (cpus.empty()) {
        fail_argument("no CPU to check: the list is empty");
    }
    const auto text = detail::read_small_file("/sys/devices/system/cpu/online");
    cpu_list_error ignored;
    const auto online = cpu_set::try_parse(detail::trimmed(text ? *text : "0"), ignored);
    if (online && !online->contains(cpus)) {
        fail_argument("CPUs '" + (cpus - *online).to_string() +
                      "' are off or do not exist; online are '" + online->to_string() + "'");
    }
    if (options.duration <= std::chrono::nanoseconds::zero()) {
        fail_argument("the duration of a check must be above 0");
    }
    if (options.threshold < std::chrono::nanoseconds(gap_histogram::edges.front())) {
        fail_argument("the threshold of gaps must be at least 100 ns");
    }
    for (const int owner : options.owners) {
        if (owner <= 0 || !detail::read_small_file("/proc/" + std::to_string(owner) + "/stat")) {
            fail_argument("no process " + std::to_string(owner) + " to own the CPUs");
        }
    }
    return detail::exclusivity_checker(cpus, options).run();
}

} // namespace regatta
