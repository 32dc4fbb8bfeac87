// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "report/isolation/isolation_json.hpp"

#include "report/common/json_values.hpp"
#include "report/isolation/isolation_words.hpp"
#include "text/command_line.hpp"
#include "text/json_schemas.hpp"

#include <utility>

namespace regatta::race {
namespace {

/// The median alone, which is also known where no interval is; null where the mode did not run.
json median_or_null(const mode_result& mode, const estimate& e) {
    return mode.ran() ? json(e.median) : json();
}

/// The same of what compares with alone.
json beside_alone(const mode_result& mode, const estimate& e) {
    return mode.compared() ? json(e.median) : json();
}

json workers_of(const team_figures& run) {
    json all = json::array();
    for (const worker_figures& one : run.workers) {
        all.push_back({{"wall_ns", one.wall_ns},
                       {"cpu_ns", one.cpu_ns},
                       {"cpu_share", one.cpu_share()},
                       {"user_ns", one.user_ns},
                       {"system_ns", one.system_ns},
                       {"involuntary_switches", one.involuntary_switches},
                       {"voluntary_switches", one.voluntary_switches},
                       {"run_delay_ns", or_null(one.run_delay_ns)},
                       {"migrations", or_null(one.migrations)}});
    }
    return all;
}

json samples_of(const mode_result& mode) {
    json all = json::array();
    for (std::size_t i = 0; i < mode.measured.samples.size(); ++i) {
        const team_figures& run = mode.runs[i];
        json value = to_value(mode.measured.samples[i]);
        value["cpu_ns"] = run.cpu_ns;
        value["user_ns"] = run.user_ns;
        value["system_ns"] = run.system_ns;
        value["cpu_share"] = run.cpu_share();
        value["displaced_ns"] = run.displaced_ns();
        value["involuntary_switches"] = run.involuntary_switches;
        value["voluntary_switches"] = run.voluntary_switches;
        value["run_delay_ns"] = or_null(run.run_delay_ns);
        value["migrations"] = or_null(run.migrations);
        value["noise_cpu_ns"] = run.noise_cpu_ns;
        value["workers"] = workers_of(run);
        all.push_back(std::move(value));
    }
    return all;
}

json to_value(const mode_result& mode) {
    json value;
    value["name"] = to_string(mode.mode);
    value["status"] = to_string(mode.status);
    value["reason"] = text_or_null(mode.reason);
    value["level"] = text_or_null(mode.level);
    value["explanation"] = mode.explanation;
    value["slowdown"] = beside_alone(mode, mode.slowdown);
    value["cpu_share"] = median_or_null(mode, mode.cpu_share);
    value["work_cost"] = beside_alone(mode, mode.work_cost);
    value["user_ns"] = median_or_null(mode, mode.user);
    value["system_ns"] = median_or_null(mode, mode.system);
    value["involuntary_switches"] = median_or_null(mode, mode.involuntary_switches);
    value["voluntary_switches"] = median_or_null(mode, mode.voluntary_switches);
    value["run_delay_ns"] = mode.run_delay ? median_or_null(mode, *mode.run_delay) : json();
    value["migrations"] = mode.migrations ? median_or_null(mode, *mode.migrations) : json();
    value["other_cpus"] = median_or_null(mode, mode.others);
    value["median_ns"] = median_or_null(mode, mode.wall);
    value["displaced_ns"] = beside_alone(mode, mode.displaced);
    value["slower_ns"] = beside_alone(mode, mode.slower);
    value["verdict"] = mode.ran() ? json(to_string(mode.word)) : json();
    value["difference"] = mode.compared() ? json(to_string(mode.why)) : json();
    value["intervals"] = {
        {"slowdown", to_value(mode.slowdown)},
        {"cpu_share", to_value(mode.cpu_share)},
        {"work_cost", to_value(mode.work_cost)},
        {"user_ns", to_value(mode.user)},
        {"system_ns", to_value(mode.system)},
        {"involuntary_switches", to_value(mode.involuntary_switches)},
        {"voluntary_switches", to_value(mode.voluntary_switches)},
        {"run_delay_ns", mode.run_delay ? to_value(*mode.run_delay) : json()},
        {"migrations", mode.migrations ? to_value(*mode.migrations) : json()},
        {"median_ns", to_value(mode.wall)},
        {"displaced_ns", to_value(mode.displaced)},
        {"slower_ns", to_value(mode.slower)},
    };
    value["contaminated"] = mode.measured.contaminated();
    value["dropped"] = mode.measured.dropped();
    value["disturbed"] = mode.measured.disturbed();
    value["rounds"] = samples_of(mode);
    return value;
}

} // namespace

std::string to_json(const isolation_result& result, const provenance& from) {
    json document = document_head(json_schema::isolation, from);
    document["noise"] = {{"kind", to_string(result.noise.kind)}, {"count", result.noise.count}};
    document["workers"] = result.workers;
    document["cpus"] = result.cpus.to_string();
    document["worker_cpus"] = result.worker_cpus;
    document["program"] = result.program.empty() ? json() : json(command_line(result.program));
    document["units"] = result.program.empty() ? json(result.units) : json();
    document["move_others"] = result.move_others;
    document["seed"] = result.seed;
    document["rounds"] = result.rounds;
    document["warm_up_rounds"] = result.warm_up;
    document["stopped"] = result.stopped;
    document["noise_floor"] = noise_floor_of(result);
    document["control"] = control_of(result, "vs_alone");
    document["load"] = load_of(result);
    document["notes"] = result.notes;
    document["summary"] = isolation_sentences(result, {});
    document["machine"] = to_value(from.machine);
    json modes = json::array();
    for (const mode_result& mode : result.modes) {
        modes.push_back(to_value(mode));
    }
    document["modes"] = std::move(modes);
    document["exclusive_vs_pinned"] =
        result.compares_owning()
            ? json{{"ratio", to_value(result.owning)}, {"verdict", to_string(result.owning_word)}}
            : json();
    return text_of(document);
}

} // namespace regatta::race
