// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "report/watch/watch_json.hpp"

#include "report/common/json_values.hpp"
#include "text/json_schemas.hpp"

#include <regatta/base/version.hpp>

namespace regatta::race {
namespace {

json shares_of(const std::optional<cpu_shares>& shares) {
    if (!shares) {
        return nullptr;
    }
    return {{"user", shares->user},   {"system", shares->system}, {"interrupt", shares->interrupt},
            {"steal", shares->steal}, {"iowait", shares->iowait}, {"idle", shares->idle}};
}

json stall_of(const std::optional<pressure_stall>& stall, const std::optional<double>& share) {
    if (!stall) {
        return nullptr;
    }
    json value = to_value(stall);
    return {{"stalled", or_null(share)}, {"some", value["some"]}, {"full", value["full"]}};
}

json queue_of(const observation& seen) {
    if (!seen.queue) {
        return nullptr;
    }
    return {{"runnable", seen.queue->runnable},
            {"blocked", seen.queue->blocked},
            {"tasks", seen.queue->tasks},
            {"load", seen.queue->load},
            {"switches_per_second", or_null(seen.switches_a_second)}};
}

json thread_of(const thread_use& one) {
    const thread_activity& now = one.now;
    return {{"thread", now.task.tid},
            {"process", now.task.pid},
            {"name", now.task.name},
            {"state", std::string(1, now.task.state)},
            {"cpu", now.task.cpu},
            {"allowed", now.allowed ? json(now.allowed->to_string()) : json()},
            {"use", one.use},
            {"wait", or_null(one.wait)},
            {"voluntary_switches", or_null(one.voluntary)},
            {"involuntary_switches", or_null(one.involuntary)},
            {"migrations", or_null(one.migrations)},
            {"migrations_ever", or_null(now.migrations)}};
}

json process_of(const std::optional<process_observation>& process) {
    if (!process) {
        return nullptr;
    }
    json threads = json::array();
    for (const thread_use& one : process->threads) {
        threads.push_back(thread_of(one));
    }
    return {{"process", process->pid},
            {"title", process->title},
            {"alive", process->alive},
            {"cpus_used", process->cpus_used},
            {"threads", std::move(threads)}};
}

} // namespace

std::string to_json_line(const observation& seen) {
    json cpus = json::array();
    for (const cpu_use& one : seen.cpus) {
        cpus.push_back({{"cpu", one.cpu},
                        {"shares", shares_of(one.shares)},
                        {"clock_mhz", or_null(one.clock_mhz)}});
    }
    json document;
    document["schema"] = json_schema::watch;
    document["version"] = version_string;
    document["time"] = utc_text(seen.time);
    document["elapsed_ns"] = seen.elapsed_ns;
    document["all_cpus"] = shares_of(seen.all);
    document["cpus"] = std::move(cpus);
    document["run_queue"] = queue_of(seen);
    document["pressure"] = {{"cpu", stall_of(seen.stalls.cpu, seen.stalled.cpu)},
                            {"memory", stall_of(seen.stalls.memory, seen.stalled.memory)},
                            {"io", stall_of(seen.stalls.io, seen.stalled.io)}};
    document["process"] = process_of(seen.process);
    return document.dump() + '\n';
}

} // namespace regatta::race
