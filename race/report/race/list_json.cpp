// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "report/common/json_values.hpp"
#include "report/race/list.hpp"
#include "schemes/scheme.hpp"
#include "text/json_schemas.hpp"

namespace regatta::race {

std::string list_json(const workload_info& chosen, const provenance& from) {
    json document = document_head(json_schema::list, from);
    document["workload"] = chosen.name;
    document["workloads"] = json::array();
    const auto add = [&](const workload_info& info) {
        document["workloads"].push_back(
            {{"name", info.name}, {"summary", info.summary}, {"options", info.options}});
    };
    for (const workload_info& info : workloads()) {
        add(info);
    }
    if (find_workload(chosen.name) != &chosen) {
        add(chosen); // of the user's own
    }
    const auto work = chosen.make(workload_options{});
    document["schemes"] = json::array();
    for (const scheme_info& info : schemes()) {
        document["schemes"].push_back({{"name", info.name},
                                       {"alias", text_or_null(std::string(info.alias))},
                                       {"summary", info.summary},
                                       {"suits", info.suits},
                                       {"version", text_or_null(info.version())},
                                       {"on_request", info.on_request},
                                       {"missing", text_or_null(info.missing(*work))}});
    }
    return text_of(document);
}

} // namespace regatta::race
