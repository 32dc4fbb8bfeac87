// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "report/common/json_values.hpp"
#include "report/cpus/cpus_show_report.hpp"
#include "text/json_schemas.hpp"

#include <regatta/base/version.hpp>

#include <cstdint>

namespace regatta::race {
namespace {

/// Null for a number that the system does not tell.
json number_or_null(std::int64_t id) {
    return id < 0 ? json() : json(id);
}

/// An array of what `to_value` makes of each.
template<class Parts, class ToValue>
json array_of(const Parts& parts, ToValue to_value) {
    json values = json::array();
    for (const auto& part : parts) {
        values.push_back(to_value(part));
    }
    return values;
}

void add_machine_parts(json& document, const topology& machine) {
    document["packages"] = array_of(machine.packages, [](const cpu_package& one) {
        return json{{"id", number_or_null(one.id)}, {"cpus", one.cpus.to_string()}};
    });
    document["dies"] = array_of(machine.dies, [](const cpu_die& one) {
        return json{{"id", number_or_null(one.id)},
                    {"package", one.package},
                    {"cpus", one.cpus.to_string()}};
    });
    document["cores"] = array_of(machine.cores, [](const cpu_core& one) {
        return json{{"id", number_or_null(one.id)},
                    {"cluster", number_or_null(one.cluster)},
                    {"die", one.die},
                    {"package", one.package},
                    {"cpus", one.cpus.to_string()}};
    });
    document["caches"] = array_of(machine.caches, [](const cpu_cache& one) {
        return json{{"level", one.level},
                    {"type", name_of(one.type)},
                    {"bytes", size_or_null(one.bytes)},
                    {"line_bytes", size_or_null(one.line_bytes)},
                    {"cpus", one.cpus.to_string()}};
    });
    document["nodes"] = array_of(machine.nodes, [](const numa_node& one) {
        return json{{"id", one.id},
                    {"memory_bytes", size_or_null(one.memory_bytes)},
                    {"distances", one.distances.empty() ? json() : json(one.distances)},
                    {"cpus", one.cpus.to_string()}};
    });
    document["kinds"] = array_of(machine.kinds, [](const core_kind& one) {
        return json{{"name", text_or_null(one.name)},
                    {"capacity", size_or_null(one.capacity)},
                    {"cpus", one.cpus.to_string()}};
    });
    document["cpus"] = array_of(machine.cpus, [](const cpu_info& one) {
        return json{{"cpu", one.cpu},         {"core", one.core}, {"die", one.die},
                    {"package", one.package}, {"node", one.node}, {"kind", one.kind}};
    });
}

} // namespace

std::string cpus_view_json(const cpus_view& view) {
    const topology& machine = view.machine;
    json document;
    document["schema"] = json_schema::cpus;
    document["version"] = version_string;
    document["model"] = text_or_null(view.model);
    document["possible"] = machine.possible.to_string();
    document["present"] = machine.present.to_string();
    document["online"] = machine.online.to_string();
    document["isolated"] = machine.isolated.to_string();
    document["partitioned"] = machine.partitioned.to_string();
    document["nohz_full"] = machine.nohz_full.to_string();
    document["housekeeping"] = machine.housekeeping.to_string();
    document["allowed"] = view.allowed ? json(view.allowed->to_string()) : json();
    document["quota"] = or_null(view.quota);
    add_machine_parts(document, machine);
    document["groups"] = array_of(view.groups, [](const cpuset_group& one) {
        return json{{"path", one.path},
                    {"version", one.version},
                    {"partition", text_or_null(one.partition)},
                    {"cpus", one.cpus.to_string()}};
    });
    document["leases"] = array_of(view.leases, [](const exclusive_lease& one) {
        return json{{"name", one.name},
                    {"title", text_or_null(one.title)},
                    {"level", one.taken ? json(to_string(one.level)) : json()},
                    {"process", one.process},
                    {"stale", one.stale},
                    {"cpus", one.cpus.to_string()}};
    });
    document["notes"] = view.unread;
    return text_of(document);
}

} // namespace regatta::race
