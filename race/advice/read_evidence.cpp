// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "advice/evidence.hpp"
#include "advice/result_value.hpp"
#include "sampling/verdict.hpp"
#include "text/json_schemas.hpp"
#include "workloads/own_library.hpp"

#include <fmt/core.h>

#include <cmath>
#include <filesystem>

namespace regatta::race {
namespace {

/// More is no ratio of two times, but a mistake.
constexpr double largest_ratio = 1e6;

machine_evidence read_machine(const result_value& machine) {
    machine_evidence read;
    if (const auto model = machine.find("cpu_model")) {
        read.cpu_model = model->text();
    }
    read.online_cpus = machine["online_cpus"].whole(1);
    read.available_cpus = machine["available_cpus"].whole(1);
    return read;
}

workload_evidence read_workload(const result_value& document) {
    workload_evidence read;
    read.name = document["workload"].text();
    const result_value settings = document["settings"];
    for (const std::string& name : settings.names()) {
        if (name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") != name.npos) {
            settings.refuse("has a member that is not the name of a setting");
        }
        read.settings.emplace_back(name, settings[name].plain());
    }
    return read;
}

void read_common(const result_value& document, result_evidence& read) {
    read.file = document.file();
    if (const auto rate = document.find("rate")) {
        rate->refuse("items were offered at a rate, and the times are latencies; advice is about "
                     "results without --rate");
    }
    read.machine = read_machine(document["machine"]);
    read.rounds = document["rounds"].whole();
    read.stopped = document["stopped"].boolean();
    read.noise_floor = document["noise_floor"].number_or_null();
    read.contaminated_share = document["load"]["contaminated_share"].number(0, 1);
}

/// Why it failed, if it did.
std::optional<std::string> read_failure(const result_value& one) {
    const auto status = one.find("status");
    if (!status || status->text() != "failed") {
        return std::nullopt;
    }
    const auto reason = one.find("reason");
    return reason ? reason->text() : "no reason is given";
}

scheme_evidence read_scheme(const result_value& scheme) {
    scheme_evidence read;
    read.name = scheme["name"].text();
    read.scheme = scheme["scheme"].text();
    read.ok = scheme["status"].text() == "ok";
    read.failure = read_failure(scheme);
    read.program = scheme.find("program").has_value();
    read.time = scheme["time_ns"].positive_or_null();
    read.vs_baseline = scheme["vs_baseline"].positive_or_null(largest_ratio);
    read.speedup = scheme["speedup"].positive_or_null(largest_ratio);
    read.times_items = scheme.find("item_cost").has_value();
    if (const auto attribution = scheme.find("attribution")) {
        for (const std::string& name : attribution->names()) {
            read.parts.emplace_back(name, (*attribution)[name].number());
        }
    }
    return read;
}

race_evidence read_race(const result_value& document) {
    race_evidence read;
    read_common(document, read);
    if (document["workload"].is_null()) {
        document["workload"].refuse(
            "only programs raced; advice is about the schemes of a workload");
    }
    read.workload = read_workload(document);
    read.workers = document["workers"].whole(1);
    if (const auto baseline = document.find("baseline")) {
        read.baseline = baseline->text();
    }
    for (const result_value& one : document["schemes"].elements()) {
        scheme_evidence scheme = read_scheme(one);
        if (read.find(scheme.name) != nullptr) {
            one["name"].refuse(fmt::format("\"{}\" is there twice", scheme.name));
        }
        read.schemes.push_back(std::move(scheme));
    }
    const auto names = [&](std::string_view member) {
        for (const result_value& one : document[member].elements()) {
            const scheme_evidence* named = read.find(one.text());
            if (named == nullptr || !named->time || !named->vs_baseline) {
                one.refuse(fmt::format("\"{}\" is no scheme that was measured", one.text()));
            }
        }
        return document[member].texts();
    };
    read.leaders = names("leaders");
    read.item_leaders = names("item_leaders");
    return read;
}

point_evidence read_point(const result_value& point) {
    point_evidence read;
    read.workers = point["workers"].whole(1);
    read.speedup = point["speedup"].positive_or_null(largest_ratio);
    read.efficiency = point["efficiency"].number_or_null();
    const auto word = point.find("verdict");
    read.faster = word && word->text() == to_string(verdict::faster);
    const auto throughput = point.find("throughput");
    read.throughput = throughput ? throughput->number_or_null() : std::nullopt;
    const auto status = point.find("status");
    read.ok = read.speedup && read.efficiency && (!status || status->text() == "ok");
    read.failure = read_failure(point);
    if (const auto share = point.find("item_cpu_share")) {
        read.item_cpu_share = share->number(0, 1);
    }
    if (const auto latency = point.find("latency_ns")) {
        read.mean_latency = (*latency)["mean"].number();
    }
    if (const auto clock = point.find("clock_hz")) {
        constexpr double slowest_clock = 1e6;
        constexpr double fastest_clock = 1e11;
        read.clock_hz = clock->number(slowest_clock, fastest_clock);
    }
    return read;
}

void check_efficiency(const result_value& point, const point_evidence& read) {
    if (!read.speedup || !read.efficiency) {
        return;
    }
    const double speedup = read.speedup->median.value;
    // What people round is right.
    if (std::abs(read.efficiency->value * read.workers - speedup) > 0.01 * speedup) {
        point["efficiency"].refuse(fmt::format("{} is not the speed-up {} over the {} workers",
                                               read.efficiency->value, speedup, read.workers));
    }
}

void check_alone(const result_value& point, const point_evidence& read) {
    if (read.workers == 1 && read.speedup && std::abs(read.speedup->median.value - 1) > 0.01) {
        point["speedup"]["median"].refuse(fmt::format(
            "{} is not 1, which is one worker's speed-up over itself", read.speedup->median.value));
    }
}

void read_fit(const result_value& fit, scale_evidence& read) {
    read.preferred_law = fit["preferred"].text();
    if (read.preferred_law != "none" && read.preferred_law != "amdahl" &&
        read.preferred_law != "usl") {
        fit["preferred"].refuse(
            fmt::format("\"{}\" is not a law; allowed are \"none\", \"amdahl\" and \"usl\"",
                        read.preferred_law));
    }
    if (const auto amdahl = fit.find("amdahl")) {
        read.serial_fraction = (*amdahl)["serial_fraction"].interval_or_null(1);
    }
    if (const auto usl = fit.find("usl")) {
        read.contention = (*usl)["contention"].interval_or_null(1);
        read.coherence = (*usl)["coherence"].interval_or_null();
        read.peak_workers = (*usl)["peak_workers"].number_or_null();
        read.peak_speedup = (*usl)["peak_speedup"].number_or_null();
    }
}

scale_evidence read_scale(const result_value& document) {
    scale_evidence read;
    read_common(document, read);
    read.workload = read_workload(document);
    read.scheme = document["scheme"].text();
    read.unit = document["unit"].text();
    read.cpus = document["cpus"].whole(1);
    if (const auto waiting = document.find("items_wait")) {
        read.items_wait = waiting->boolean();
    }
    read.disturbed = document["disturbed"].boolean();
    read.stolen_share = document["load"]["stolen_share"].number(0, 1);
    read.foreign_share = document["load"]["foreign_share"].number(0, 1);
    read.baseline_drift = document["baseline_drift"].interval_or_null();
    for (const result_value& one : document["points"].elements()) {
        const point_evidence point = read_point(one);
        if (!read.points.empty() && point.workers <= read.points.back().workers) {
            one["workers"].refuse(fmt::format("{} follows {}; the points must rise", point.workers,
                                              read.points.back().workers));
        }
        check_alone(one, point);
        check_efficiency(one, point);
        read.points.push_back(point);
    }
    read_fit(document["fit"], read);
    for (const result_value& one : document["warnings"].elements()) {
        read.warnings.push_back({one["kind"].text(), one["workers"].whole(), one["text"].text()});
    }
    return read;
}

isolation_evidence read_isolation(const result_value& document) {
    isolation_evidence read;
    read_common(document, read);
    const result_value noise = document["noise"];
    const std::string kind = noise["kind"].text();
    const unsigned count = noise["count"].whole();
    read.noise = count == 0 ? kind : fmt::format("{}:{}", kind, count);
    read.workers = document["workers"].whole(1);
    for (const result_value& one : document["modes"].elements()) {
        mode_evidence mode;
        mode.name = one["name"].text();
        mode.ok = one["status"].text() == "ok";
        if (const auto reason = one.find("reason")) {
            mode.reason = reason->text();
        }
        mode.slowdown = one["intervals"]["slowdown"].positive_or_null(largest_ratio);
        read.modes.push_back(std::move(mode));
    }
    return read;
}

/// Takes a result's place, which must be free.
template<class T>
void put(std::optional<T>& place, T result, std::string_view kind) {
    if (place) {
        throw result_error(fmt::format("{}: is a second result of {}, after {}; one is allowed",
                                       result.file, kind, place->file));
    }
    place = std::move(result);
}

void put_scale(evidence& all, scale_evidence result) {
    const bool is_stream = result.workload.name == "stream";
    if (!all.scale) {
        all.scale = std::move(result);
    } else if (is_stream) {
        put(all.bandwidth, std::move(result), "regatta scale stream");
    } else if (all.scale->workload.name == "stream" && !all.bandwidth) {
        all.bandwidth = std::exchange(all.scale, std::move(result));
    } else {
        put(all.scale, std::move(result), "regatta scale");
    }
}

void read_one(const result_text& file, evidence& all) {
    const result_value document = result_value::parse(file.file, file.text);
    const std::string allowed =
        fmt::format("{}, {} and {}", json_schema::race, json_schema::scale, json_schema::isolation);
    const auto schema = document.find("schema");
    if (!schema) {
        document.refuse(fmt::format(
            "is no result of regatta: it has no member \"schema\"; allowed are {}", allowed));
    }
    const std::string name = schema->text();
    if (name == json_schema::race) {
        put(all.race, read_race(document), "regatta race");
    } else if (name == json_schema::scale) {
        put_scale(all, read_scale(document));
    } else if (name == json_schema::isolation) {
        put(all.isolation, read_isolation(document), "regatta race isolation");
    } else {
        schema->refuse(
            fmt::format("\"{}\" is none of those that this program reads: {}", name, allowed));
    }
}

void check_same_machine(const result_evidence& one, const result_evidence& other) {
    if (one.machine.cpu_model != other.machine.cpu_model ||
        one.machine.online_cpus != other.machine.online_cpus ||
        one.machine.available_cpus != other.machine.available_cpus) {
        const auto words = [](const machine_evidence& m) {
            return fmt::format("{} of {} CPUs{}{}", m.available_cpus, m.online_cpus,
                               m.cpu_model.empty() ? "" : " ", m.cpu_model);
        };
        throw result_error(fmt::format(
            "{}: was measured with {}, and {} with {}; advice needs results of one machine",
            other.file, words(other.machine), one.file, words(one.machine)));
    }
}

void check_together(const evidence& all) {
    std::vector<const result_evidence*> results;
    const auto add = [&](const auto& result) {
        if (result) {
            results.push_back(&*result);
        }
    };
    add(all.race);
    add(all.scale);
    add(all.bandwidth);
    add(all.isolation);
    for (std::size_t i = 1; i < results.size(); ++i) {
        check_same_machine(*results.front(), *results[i]);
    }
    if (!all.race || !all.scale) {
        return;
    }
    const auto words = [](const workload_evidence& work) {
        std::string text = work.name;
        if (names_file(text)) { // "./mine.so" and "mine.so" are one
            text = "the file " + std::filesystem::path(text).lexically_normal().string();
        }
        for (const auto& [name, value] : work.settings) {
            // The seed changes the data and not the amount of work.
            text += name == "seed" ? "" : fmt::format(" {} {}", name, value);
        }
        return text;
    };
    if (words(all.race->workload) != words(all.scale->workload)) {
        throw result_error(fmt::format("{}: is about {}, and {} about {}; advice needs results of "
                                       "one workload with one setting",
                                       all.scale->file, words(all.scale->workload), all.race->file,
                                       words(all.race->workload)));
    }
}

} // namespace

evidence read_evidence(const std::vector<result_text>& files) {
    evidence all;
    for (const result_text& one : files) {
        read_one(one, all);
    }
    // Beside a race of another workload, a lone measurement of stream says what memory can do.
    if (all.race && all.scale && !all.bandwidth && all.scale->workload.name == "stream" &&
        all.race->workload.name != "stream") {
        all.bandwidth = std::exchange(all.scale, std::nullopt);
    }
    check_together(all);
    return all;
}

} // namespace regatta::race
