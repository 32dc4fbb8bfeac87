// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "report/common/json_values.hpp"

#include <utility>

namespace regatta::race {
namespace {

json list_or_null(const cpu_set& cpus) {
    return text_or_null(cpus.to_string());
}

json to_value(const processor& cpu) {
    json kinds = json::array();
    for (const core_design& kind : cpu.kinds) {
        kinds.push_back({{"name", text_or_null(kind.name)}, {"cpus", kind.cpus.to_string()}});
    }
    json caches = json::array();
    for (const alike_caches& cache : cpu.caches) {
        caches.push_back({{"level", cache.level},
                          {"type", name_of(cache.type)},
                          {"bytes", size_or_null(cache.bytes)},
                          {"count", cache.count},
                          {"cpus", cache.cpus}});
    }
    return {{"sockets", or_null(cpu.sockets)},
            {"threads_per_core", cpu.threads_per_core},
            {"nodes", or_null(cpu.nodes)},
            {"isolated", list_or_null(cpu.isolated)},
            {"kinds", std::move(kinds)},
            {"caches", std::move(caches)},
            {"instruction_sets", cpu.instruction_sets}};
}

json to_value(const clock_settings& clock) {
    return {{"driver", text_or_null(clock.driver)},
            {"preference", text_or_null(clock.preference)},
            {"base_mhz", or_null(clock.base_mhz)},
            {"lowest_mhz", or_null(clock.lowest_mhz)},
            {"highest_mhz", or_null(clock.highest_mhz)},
            {"limit_mhz", or_null(clock.limit_mhz)},
            {"full_mhz", or_null(clock.full_mhz)},
            {"throttled", or_null(clock.throttled)},
            {"on_battery", or_null(clock.on_battery)},
            {"time_source", text_or_null(clock.time_source)}};
}

json to_value(const memory_state& memory) {
    return {{"available_bytes", or_null(memory.available_bytes)},
            {"swap_bytes", memory.swap_bytes},
            {"swap_used_bytes", memory.swap_used_bytes},
            {"page_bytes", size_or_null(memory.page_bytes)},
            {"transparent_huge_pages", text_or_null(memory.transparent_huge_pages)},
            {"shared_huge_pages", text_or_null(memory.shared_huge_pages)},
            {"huge_page_bytes", size_or_null(memory.huge_page_bytes)},
            {"huge_pages", memory.huge_pages},
            {"huge_pages_free", memory.huge_pages_free},
            {"numa_balancing", or_null(memory.numa_balancing)}};
}

json to_value(const control_group& group) {
    return {{"path", text_or_null(group.path)},
            {"periods", group.periods},
            {"throttled_periods", group.throttled_periods},
            {"throttled_ns", group.throttled_ns},
            {"weight", or_null(group.weight)},
            {"memory_limit_bytes", or_null(group.memory_limit_bytes)},
            {"memory_used_bytes", or_null(group.memory_used_bytes)}};
}

json to_value(const pressure_line& line) {
    return {{"avg10", line.avg10}, {"avg60", line.avg60}, {"avg300", line.avg300}};
}

json to_value(const pressure& waiting) {
    return {{"cpu", to_value(waiting.cpu)},
            {"memory", to_value(waiting.memory)},
            {"io", to_value(waiting.io)}};
}

json to_value(const blas_record& blas) {
    if (blas.path.empty() && blas.usual_path.empty()) {
        return nullptr;
    }
    return {{"path", text_or_null(blas.path)},
            {"version", text_or_null(blas.version)},
            {"core", text_or_null(blas.core)},
            {"requested_core", text_or_null(blas.requested_core)},
            {"usual_path", text_or_null(blas.usual_path)}};
}

json to_value(const python_interpreter& python) {
    if (python.path.empty()) {
        return nullptr;
    }
    return {{"path", python.path},
            {"version", text_or_null(python.version)},
            {"implementation", text_or_null(python.implementation)},
            {"numpy_version", text_or_null(python.numpy_version)},
            {"numpy_blas", text_or_null(python.numpy_blas)},
            {"numpy_blas_core", text_or_null(python.numpy_blas_core)}};
}

json mitigations_of(const fingerprint& m) {
    json all = json::object();
    for (const mitigation& one : m.mitigations) {
        all[one.flaw] = one.state;
    }
    return all;
}

json warnings_in(const fingerprint& m) {
    json all = warnings_of(m);
    for (std::string& warning : library_warnings_of(m)) {
        all.push_back(std::move(warning));
    }
    return all;
}

} // namespace

json to_value(const std::optional<pressure_stall>& stall) {
    if (!stall) {
        return nullptr;
    }
    return {{"some", to_value(stall->some)},
            {"full", stall->full ? to_value(*stall->full) : json()}};
}

json to_value(const fingerprint& m) {
    json value;
    value["cpu_model"] = text_or_null(m.cpu_model);
    value["online_cpus"] = m.online_cpus;
    value["available_cpus"] = m.available_cpus;
    value["allowed_cpus"] = list_or_null(m.allowed_cpus);
    value["cores"] = or_null(m.cpu.cores);
    value["available_cores"] = or_null(m.available_cores);
    value["cpu_quota"] = or_null(m.group.quota);
    value["architecture"] = m.architecture;
    value["board"] = text_or_null(m.board);
    value["kernel"] = m.kernel;
    value["boot_options"] = m.boot_options;
    value["system"] = text_or_null(m.system);
    value["governor"] = text_or_null(m.clock.governor);
    value["boost"] = or_null(m.clock.boost);
    value["clock_mhz"] = or_null(m.clock.now_mhz);
    value["virtualisation"] = text_or_null(m.guest.text());
    value["stolen_share"] = or_null(m.guest.stolen_share);
    value["memory_bytes"] = m.memory.bytes;
    value["load_average"] = or_null(m.load_average);
    value["nice"] = or_null(m.nice);
    value["processor"] = to_value(m.cpu);
    value["clock"] = to_value(m.clock);
    value["memory"] = to_value(m.memory);
    value["control_group"] = to_value(m.group);
    value["pressure"] = to_value(m.waiting);
    value["mitigations"] = mitigations_of(m);
    value["blas"] = m.blas ? to_value(*m.blas) : json();
    value["python"] = m.python ? to_value(*m.python) : json();
    value["compiler"] = m.compiler;
    value["flags"] = m.flags;
    value["build_type"] = m.build_type;
    value["warnings"] = warnings_in(m);
    return value;
}

} // namespace regatta::race
