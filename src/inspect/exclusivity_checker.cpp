// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "inspect/exclusivity_checker.hpp"

#include "inspect/cpu_watch.hpp"
#include "inspect/gap_attribution.hpp"
#include "inspect/gap_probe.hpp"
#include "inspect/sight_limits.hpp"
#include "inspect/steal_time.hpp"
#include "inspect/switch_trace.hpp"
#include "inspect/task_directory.hpp"
#include "inspect/task_history.hpp"
#include <regatta/base/detail/monotonic_ns.hpp>
#include <regatta/base/detail/saturated_time.hpp>
#include <regatta/base/detail/system_files.hpp>
#include <regatta/base/error.hpp>
#include <regatta/cpu/affinity.hpp>
#include <regatta/cpu/cpu_set.hpp>
#include <regatta/inspect/exclusivity_check.hpp>
#include <regatta/inspect/interrupt_counts.hpp>
#include <regatta/inspect/task_scan.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace regatta::detail {

std::optional<cpu_set> online_cpus(const std::string& root) {
    const auto text = read_small_file(root + "/sys/devices/system/cpu/online");
    cpu_list_error ignored;
    return text ? cpu_set::try_parse(trimmed(*text), ignored) : std::nullopt;
}

exclusivity_checker::exclusivity_checker(const cpu_set& cpus,
                                         const exclusivity_check_options& options, std::string root)
    : cpus_(cpus)
    , options_(options)
    , root_(std::move(root))
    , context_{task_directory(options.owners), {}, true, 0} {
    context_.own_pid = ::getpid();
}

exclusivity_report exclusivity_checker::run() {
    sight limits = limits_of_sight();
    report_.notes = std::move(limits.notes);
    report_.sees_all_tasks = context_.sees_all_tasks = limits.sees_all_tasks;
    report_.lists_all_tasks = limits.lists_all_tasks;
    // Keeps this thread off the CPUs that it checks.
    cpu_set allowed;
    try_affinity_of_this_thread(allowed);
    const cpu_set elsewhere = allowed - cpus_;
    std::optional<scoped_pin> pin;
    if (!elsewhere.empty()) {
        pin.emplace(elsewhere);
    } else {
        report_.notes.push_back("The check has no other CPU to run on, so its own tasks are "
                                "listed, too (as \"checker\").");
    }
    context_.checkers.insert(number_of_this_thread());
    open_traces();
    note_siblings();
    if (options_.gap_loop) {
        start_probes();
    }
    begin();
    std::int64_t last = begin_ns_;
    while (!stopped() && last < end_ns()) {
        last = sleep_until_next(last);
        require_cpus();
        gather(last);
    }
    finish();
    return std::move(report_);
}

bool exclusivity_checker::stopped() {
    report_.stopped = report_.stopped || (options_.stop && options_.stop());
    return report_.stopped;
}

void exclusivity_checker::open_traces() {
    int error = ENOTSUP;
    for (const unsigned cpu : cpus_) {
        std::optional<switch_trace> trace;
        if (options_.trace) {
            trace = switch_trace::open(cpu, error);
        } else {
            error = EPERM;
        }
        traced_ = trace.has_value() && traced_;
        watches_.push_back(std::make_unique<cpu_watch>(cpu, std::move(trace)));
    }
    if (!traced_) {
        report_.notes.push_back(why_no_trace(error, options_.gap_loop));
        return;
    }
    // Tasks may start and be named on any CPU. Without these traces short-lived ones stay unnamed.
    for (const unsigned cpu : online_cpus(root_).value_or(cpu_set()) - cpus_) {
        if (auto names = switch_trace::open(cpu, error, switch_trace::content::names)) {
            names_.push_back(std::move(*names));
        }
    }
}

void exclusivity_checker::note_siblings() {
    for (const auto& watch : watches_) {
        const auto text =
            read_small_file(root_ + "/sys/devices/system/cpu/cpu" + std::to_string(watch->cpu()) +
                            "/topology/thread_siblings_list");
        cpu_list_error ignored;
        const auto siblings = cpu_set::try_parse(trimmed(text ? *text : std::string()), ignored);
        const cpu_set others = siblings ? *siblings - cpus_ : cpu_set();
        if (!others.empty()) {
            watch->notes().push_back("it shares its core with CPU " + others.to_string() +
                                     ", which was not checked: tasks there slow this CPU "
                                     "down and leave no trace here");
        }
    }
}

void exclusivity_checker::start_probes() {
    std::vector<std::unique_ptr<gap_probe>> probes;
    for (const auto& watch : watches_) {
        probes.push_back(std::make_unique<gap_probe>(watch->cpu(), options_.threshold.count(),
                                                     options_.prepare));
    }
    // For all together. With the kernel's throttling a real-time task leaves a loop some time in
    // each second.
    const auto deadline = clock::now() + std::chrono::seconds(5);
    constexpr std::chrono::milliseconds pace(20);
    for (const auto& probe : probes) {
        while (!probe->await_start(std::min(deadline, clock::now() + pace)) &&
               clock::now() < deadline) {
            for (const auto& each : probes) {
                each->drain([](const gap&) {}); // The check has not begun.
            }
        }
    }
    for (std::size_t i = 0; i < probes.size(); ++i) {
        auto& notes = watches_[i]->notes();
        if (!probes[i]->await_start(deadline)) {
            notes.push_back("no gap loop: it got no CPU time there, as beside a real-time task "
                            "that never sleeps");
            probes[i]->stop(std::chrono::milliseconds(0));
        } else if (probes[i]->error() != 0) {
            notes.push_back("no gap loop: this process may not run there (" +
                            std::generic_category().message(probes[i]->error()) + ")");
        } else {
            context_.checkers.insert(probes[i]->thread());
            watches_[i]->take_probe(std::move(probes[i]), options_.threshold.count());
        }
    }
}

std::vector<task_sample> exclusivity_checker::scan() {
    auto tasks = scan_tasks();
    if (tasks.empty() && report_.lists_all_tasks) { // Not even this process.
        report_.lists_all_tasks = false;
        report_.notes.push_back("/proc could not be listed: tasks may have gone unseen.");
    }
    context_.directory.adopt(tasks);
    return tasks;
}

void exclusivity_checker::begin() {
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
    begin_ns_ = monotonic_ns();
    for (const auto& watch : watches_) {
        watch->forget_gaps();
        watch->begin(begin_ns_);
        watch->first_counts = counts_;
        watch->first_soft_counts = soft;
        watch->first_steal_ns = steal_time_ns(watch->cpu());
        steal_ns_.push_back(watch->first_steal_ns);
    }
}

std::int64_t exclusivity_checker::end_ns() const noexcept {
    return saturated_sum(clock::time_point(std::chrono::nanoseconds(begin_ns_)), options_.duration)
        .time_since_epoch()
        .count();
}

std::int64_t exclusivity_checker::sleep_until_next(std::int64_t last) const {
    constexpr std::int64_t shortest = 20'000'000;
    constexpr std::int64_t longest = 500'000'000;
    const std::int64_t stretch = std::clamp(20 * cost_ns_, shortest, longest);
    const std::int64_t end = std::min(last + stretch, end_ns());
    std::this_thread::sleep_until(clock::time_point(
        std::chrono::duration_cast<clock::duration>(std::chrono::nanoseconds(end))));
    return monotonic_ns();
}

void exclusivity_checker::require_cpus() const {
    const auto online = online_cpus(root_);
    if (online && !online->contains(cpus_)) {
        fail_system(ENODEV, "check CPUs " + cpus_.to_string() + ": CPUs " +
                                (cpus_ - *online).to_string() + " went offline");
    }
    for (const auto& watch : watches_) {
        cpu_set allowed;
        if (watch->probe() != nullptr &&
            try_affinity_of_thread(watch->probe()->thread(), allowed) == 0 &&
            allowed != cpu_set{watch->cpu()}) {
            const std::string cpu = std::to_string(watch->cpu());
            fail_system(ENODEV, "check CPUs " + cpus_.to_string() + ": the loop of CPU " + cpu +
                                    " was moved off it; the CPU went offline for a moment, or "
                                    "another program took it");
        }
    }
}

void exclusivity_checker::gather(std::int64_t now_ns) {
    for (switch_trace& one : names_) {
        one.drain([&](const switch_record& record) { context_.directory.learn(record); });
    }
    auto counts = interrupt_counts::read(cpus_);
    for (std::size_t i = 0; i < watches_.size(); ++i) {
        cpu_watch& watch = *watches_[i];
        interruption_counts since;
        since.read_ns = now_ns;
        for (const interrupt_count& one : counts.since(counts_, watch.cpu())) {
            (one.kind == interrupt_kind::tick     ? since.ticks
             : one.kind == interrupt_kind::device ? since.devices
                                                  : since.interprocessor) += one.count;
        }
        since.steal_ns = steal_since(steal_ns_[i], steal_time_ns(watch.cpu()));
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
    cost_ns_ = monotonic_ns() - now_ns;
}

void exclusivity_checker::finish() {
    const std::int64_t end_ns = monotonic_ns();
    require_cpus();
    for (const auto& watch : watches_) {
        watch->end(end_ns);
        if (watch->probe() != nullptr) {
            watch->probe()->stop();
        }
    }
    const auto soft = interrupt_counts::read_soft(cpus_);
    // Twice: the second call processes what the first held back.
    gather(end_ns);
    gather(end_ns);
    for (const auto& watch : watches_) {
        if (!watch->records()) {
            const std::string cpu = std::to_string(watch->cpu());
            fail_system(ENODEV, "check CPUs " + cpus_.to_string() + ": the trace of CPU " + cpu +
                                    " has ended; the CPU went offline for a moment");
        }
    }
    const auto tasks = scan();
    const auto deltas = whole_history_.update(tasks);
    for (const auto& watch : watches_) {
        cpu_check& found = watch->report();
        found.interrupts = counts_.since(watch->first_counts, watch->cpu());
        found.counts_ticks =
            counts_.has_ticks(watch->cpu()) && watch->first_counts.has_ticks(watch->cpu());
        found.soft_interrupts = soft.since(watch->first_soft_counts, watch->cpu());
        if (const auto steal = steal_time_ns(watch->cpu()); steal && watch->first_steal_ns) {
            found.steal_ns = steal_since(watch->first_steal_ns, steal);
        }
    }
    count_allowed(tasks);
    for (const auto& watch : watches_) {
        report_.cpus.push_back(watch->finish(context_, deltas));
    }
}

void exclusivity_checker::count_allowed(const std::vector<task_sample>& tasks) {
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

} // namespace regatta::detail
