// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "report/cpus/cpus_check_report.hpp"
#include "text/json.hpp"
#include "text/json_schemas.hpp"

#include <regatta/base/version.hpp>

namespace regatta::race {
namespace {

json to_value(const gap_histogram& histogram) {
    json bins = json::array();
    for (std::size_t i = 0; i < gap_histogram::bins; ++i) {
        if (histogram[i].count != 0) {
            bins.push_back({{"from_ns", gap_histogram::edges[i]},
                            {"count", histogram[i].count},
                            {"total_ns", histogram[i].total_ns}});
        }
    }
    return {{"count", histogram.count()},
            {"total_ns", histogram.total_ns()},
            {"longest_ns", histogram.longest_ns()},
            {"bins", bins}};
}

json name_or_null(const std::string& name) {
    return name.empty() ? json() : json(name);
}

json to_value(const task_presence& task) {
    return {{"name", name_or_null(task.name)},
            {"pid", task.pid == 0 ? json() : json(task.pid)},
            {"tid", task.tid == 0 ? json() : json(task.tid)},
            {"role", to_string(task.role)},
            {"time_ns", task.time_ns},
            {"longest_ns", task.longest_ns == 0 ? json() : json(task.longest_ns)},
            {"turns", task.turns},
            {"preemptions", task.preemptions}};
}

json to_value(const std::vector<interrupt_count>& interrupts) {
    json all = json::array();
    for (const interrupt_count& one : interrupts) {
        all.push_back({{"label", one.label},
                       {"name", one.name},
                       {"kind", to_string(one.kind)},
                       {"count", one.count}});
    }
    return all;
}

json to_value(const gap_report& gaps, const cpu_check& check) {
    json value = {{"threshold_ns", gaps.threshold_ns},
                  {"clock_reads", gaps.reads},
                  {"shortest_ns", gaps.shortest_ns},
                  {"dropped", gaps.dropped},
                  {"all", to_value(gaps.all)}};
    json causes = json::object();
    for (std::size_t i = 0; i < gap_causes; ++i) {
        causes[std::string(to_string(static_cast<gap_cause>(i)))] = to_value(gaps.by_cause[i]);
    }
    value["by_cause"] = causes;
    json longest = json::array();
    for (const long_gap& one : gaps.longest) {
        const bool by_task = one.task < check.tasks.size();
        longest.push_back({{"at_ns", one.start_ns - check.begin_ns},
                           {"length_ns", one.length_ns},
                           {"cause", to_string(one.cause)},
                           {"task", by_task ? name_or_null(check.tasks[one.task].name) : json()},
                           {"tid", by_task ? json(check.tasks[one.task].tid) : json()}});
    }
    value["longest"] = longest;
    return value;
}

json to_value(const cpu_check& check) {
    json value;
    value["cpu"] = check.cpu;
    value["verdict"] = to_string(check.verdict());
    value["elapsed_ns"] = check.elapsed_ns();
    value["traced"] = check.traced;
    value["switches"] = check.traced || check.gaps ? json(check.switches) : json();
    value["lost_records"] = check.lost_records;
    value["intruder_ns"] = check.time_of(task_role::intruder);
    value["ticks_per_second"] = check.counts_ticks ? json(check.ticks_a_second()) : json();
    value["allowed_tasks"] = check.allowed_tasks;
    value["steal_ns"] = check.steal_ns ? json(*check.steal_ns) : json();
    json tasks = json::array();
    for (const task_presence& one : check.tasks) {
        tasks.push_back(to_value(one));
    }
    value["tasks"] = tasks;
    value["interrupts"] = to_value(check.interrupts);
    value["soft_interrupts"] = to_value(check.soft_interrupts);
    value["gaps"] = check.gaps ? to_value(*check.gaps, check) : json();
    value["notes"] = check.notes;
    return value;
}

} // namespace

std::string cpus_check_json(const exclusivity_report& report, const std::string& time) {
    json document;
    document["schema"] = json_schema::cpus_check;
    document["version"] = version_string;
    document["time"] = time;
    document["verdict"] = to_string(report.verdict());
    document["exclusive"] = report.exclusive();
    document["certain"] = report.certain();
    document["conclusive"] = report.conclusive();
    document["stopped"] = report.stopped;
    json cpus = json::array();
    for (const cpu_check& one : report.cpus) {
        cpus.push_back(to_value(one));
    }
    document["cpus"] = cpus;
    document["notes"] = report.notes;
    // A task may give itself any bytes for a name.
    return text_of(document);
}

} // namespace regatta::race
