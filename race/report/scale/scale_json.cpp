// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "report/scale/scale_json.hpp"

#include "report/common/json_values.hpp"
#include "report/scale/scale_words.hpp"
#include "text/json_schemas.hpp"

#include <utility>

namespace regatta::race {
namespace {

/// The figures of an estimate, also where no clean round is behind it: `count` is 0 then.
json figures_of(const estimate& e) {
    return {{"median", e.median}, {"low", e.low}, {"high", e.high}, {"count", e.count}};
}

/// What the preferred law has for so many workers; null without one.
json fitted_speedup(const scaling_fit& fit, unsigned workers) {
    switch (fit.preferred) {
    case scaling_law::amdahl:
        return fit.amdahl ? json(fit.amdahl->speedup(workers)) : json();
    case scaling_law::usl:
        return fit.usl ? json(fit.usl->speedup(workers)) : json();
    case scaling_law::none:
        break;
    }
    return nullptr;
}

json to_value(const scale_point& one, const scale_result& result) {
    const bool ran = one.ran();
    // At an offered rate all take the same time.
    const bool compared = ran && !result.rate;
    const bool has_speedup = compared && one.speedup.median > 0;
    const auto median_of = [&](const estimate& e) { return ran ? json(e.median) : json(); };
    json value;
    value["workers"] = one.workers;
    value["status"] = one.ok() ? "ok" : "failed";
    value["reason"] = text_or_null(one.failure);
    value["median_ns"] = median_of(one.time);
    value["events_per_second"] = median_of(one.events_per_second);
    value["throughput"] = median_of(one.throughput);
    value["speedup"] = has_speedup ? figures_of(one.speedup) : json();
    value["efficiency"] = has_speedup ? json(one.efficiency.median) : json();
    value["latency_ns"] = to_value(one.latency);
    value["clock_hz"] = or_null(one.clock_hz);
    value["item_cpu_share"] = or_null(one.item_cpu_share);
    value["verdict"] = compared ? json(to_string(one.word)) : json();
    value["fitted_speedup"] = fitted_speedup(result.fit, one.workers);
    value["intervals"] = {{"median_ns", to_value(one.time)},
                          {"events_per_second", to_value(one.events_per_second)},
                          {"throughput", to_value(one.throughput)},
                          {"efficiency", to_value(one.efficiency)}};
    value["runs_a_sample"] = one.runs_a_sample;
    value["cut"] = one.measured.cut();
    value["contaminated"] = one.measured.contaminated();
    value["dropped"] = one.measured.dropped();
    value["disturbed"] = one.measured.disturbed();
    value["samples"] = to_value(one.measured);
    return value;
}

json to_value(const scaling_fit& fit) {
    json value{{"points", fit.points}, {"preferred", to_string(fit.preferred)}};
    value["amdahl"] = nullptr;
    if (fit.amdahl) {
        const double serial = fit.amdahl->serial_fraction.median;
        value["amdahl"] = {{"serial_fraction", figures_of(fit.amdahl->serial_fraction)},
                           {"limit", serial > 0 ? json(1 / serial) : json()},
                           {"residual", fit.amdahl->residual}};
    }
    value["usl"] = nullptr;
    if (fit.usl) {
        value["usl"] = {{"contention", figures_of(fit.usl->contention)},
                        {"coherence", figures_of(fit.usl->coherence)},
                        {"residual", fit.usl->residual},
                        {"peak_workers", or_null(fit.usl->peak_workers)},
                        {"peak_speedup", or_null(fit.usl->peak_speedup)}};
    }
    return value;
}

json summary_of(const scale_result& result) {
    json all = json::array();
    if (const std::string peak = peak_sentence(result); !peak.empty()) {
        all.push_back(peak);
    }
    for (const std::string& one : fit_sentences(result, {})) {
        all.push_back(one);
    }
    all.push_back(scale_conclusion(result, {}));
    return all;
}

} // namespace

std::string to_json(const scale_result& result, const provenance& from) {
    json document = document_head(json_schema::scale, from);
    document["workload"] = result.workload;
    document["settings"] = settings_value(result.settings);
    document["scheme"] = result.scheme;
    document["scheme_version"] = text_or_null(result.scheme_version);
    document["unit"] = result.unit;
    document["units_a_run"] = result.units_a_run;
    document["items"] = result.items;
    document["cpus"] = result.cpus;
    document["seed"] = result.seed;
    document["order_seed"] = result.order_seed;
    document["rate"] = or_null(result.rate);
    document["peak"] =
        result.peak ? json{{"value", *result.peak}, {"source", result.peak_source}} : json();
    document["rounds"] = result.rounds;
    document["warm_up_rounds"] = result.warm_up;
    document["stopped"] = result.stopped;
    document["disturbed"] = result.disturbed();
    document["margin"] = result.margin;
    document["noise_floor"] = noise_floor_of(result);
    document["control"] = control_of(result, "vs_one_worker");
    document["baseline_drift"] = to_value(result.baseline_drift);
    document["clock_source"] = text_or_null(result.clock_source);
    document["load"] = load_of(result);
    document["load"]["stolen_share"] = result.stolen;
    document["load"]["foreign_share"] = result.foreign;
    document["items_wait"] = result.items_wait;
    json points = json::array();
    for (const scale_point& one : result.points) {
        points.push_back(to_value(one, result));
    }
    document["points"] = std::move(points);
    document["fit"] = to_value(result.fit);
    json warnings = json::array();
    for (const scale_warning& one : result.warnings) {
        warnings.push_back(
            {{"kind", to_string(one.kind)}, {"workers", one.workers}, {"text", one.text}});
    }
    document["warnings"] = std::move(warnings);
    document["summary"] = summary_of(result);
    document["machine"] = to_value(from.machine);
    return text_of(document);
}

} // namespace regatta::race
