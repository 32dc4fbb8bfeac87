// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "report/race/json.hpp"

#include "report/common/json_values.hpp"
#include "text/json_schemas.hpp"

#include <utility>

namespace regatta::race {
namespace {

json to_value(const attribution& where) {
    if (where.total_ns() <= 0) {
        return nullptr;
    }
    json parts = json::object();
    for (std::size_t i = 0; i < part_count; ++i) {
        parts[std::string(part_names[i])] = where.ns[i];
    }
    return parts;
}

/// What the set-up consists of; null where no process was begun.
json set_up_of(const attribution& where) {
    json steps; // null without any
    for (std::size_t i = 0; i < set_up_step_count && where.steps_ns[0] > 0; ++i) {
        steps[std::string(set_up_step_names[i])] = where.steps_ns[i];
    }
    return steps;
}

json to_value(const program_result& program) {
    return {{"command", program.command},
            {"cpu_ns", or_null(program.cpu_ns)},
            {"peak_bytes", or_null(program.peak_bytes)}};
}

json to_value(const std::vector<run_figure>& figures) {
    json value; // null where there are none
    for (const run_figure& one : figures) {
        value[std::string(one.name)] = one.value;
    }
    return value;
}

json to_value(const scheme_result& one, const race_result& result) {
    const bool measured = one.time.count != 0;
    json value;
    value["name"] = one.name;
    value["scheme"] = one.scheme;
    value["summary"] = one.summary;
    value["version"] = text_or_null(one.version);
    value["status"] = to_string(one.status);
    value["reason"] = text_or_null(one.reason);
    value["wrong_result"] = one.wrong_result;
    value["verified"] = one.verified;
    value["median_ns"] = measured ? json(one.time.median) : json();
    value["time_ns"] = to_value(one.time);
    value["throughput"] = or_null(result.throughput(one));
    value["vs_baseline"] = to_value(one.vs_baseline);
    value["vs_baseline_undropped"] = to_value(one.vs_baseline_undropped);
    value["verdict"] = measured ? json(to_string(one.word)) : json();
    value["more_rounds"] = one.word == verdict::unclear ? json(one.more_rounds) : json();
    value["latency_ns"] = to_value(one.latency);
    value["speedup"] = one.speedup ? to_value(*one.speedup) : json();
    const bool clean_pair = one.speedup && one.speedup->count != 0;
    value["efficiency"] = clean_pair ? or_null(one.efficiency) : json();
    value["program"] = one.program ? to_value(*one.program) : json();
    value["figures"] = to_value(one.figures);
    value["attribution"] = to_value(one.where);
    value["set_up"] = set_up_of(one.where);
    value["attribution_workers"] = one.where.workers;
    value["item_cost"] = or_null(one.where.item_cost);
    value["runs_a_sample"] = one.runs_a_sample;
    value["reused"] = one.reused;
    value["cut"] = one.measured.cut();
    value["contaminated"] = one.measured.contaminated();
    value["dropped"] = one.measured.dropped();
    value["not_measurable"] = one.measured.not_measurable();
    value["tried_again"] = one.measured.first_tries.size();
    value["disturbed"] = one.measured.disturbed();
    value["samples"] = to_value(one.measured);
    return value;
}

} // namespace

std::string to_json(const race_result& result, const provenance& from) {
    json document = document_head(json_schema::race, from);
    document["workload"] = text_or_null(result.workload);
    document["settings"] = settings_value(result.settings);
    document["items"] = result.items;
    document["unit"] = result.amount > 0 ? json(result.unit) : json();
    document["chunk"] = result.how.chunk;
    document["capacity"] = result.how.capacity != 0 ? json(result.how.capacity) : json();
    document["kill_every_ns"] = result.how.kill_every.count();
    document["workers"] = result.how.workers;
    document["rate"] = or_null(result.rate);
    document["judged"] = result.rate ? "p99_latency" : "time";
    document["reuse"] = result.reuse;
    document["oversubscribed"] = result.oversubscribed();
    document["seed"] = result.seed;
    document["order_seed"] = result.order_seed;
    document["rounds"] = result.rounds;
    document["warm_up_rounds"] = result.warm_up;
    document["stopped"] = result.stopped;
    document["baseline"] = text_or_null(result.baseline);
    document["margin"] = result.margin;
    document["noise_floor"] = noise_floor_of(result);
    document["control"] = control_of(result, "vs_baseline");
    document["load"] = load_of(result);
    document["load"]["not_measurable_share"] = result.not_measurable;
    document["leaders"] = result.leaders;
    document["item_leaders"] = result.item_leaders;
    document["notes"] = result.notes;
    document["machine"] = to_value(from.machine);
    json schemes = json::array();
    for (const scheme_result& one : result.schemes) {
        schemes.push_back(to_value(one, result));
    }
    document["schemes"] = std::move(schemes);
    return text_of(document);
}

} // namespace regatta::race
