// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "report/cpus/cpus_status_report.hpp"
#include "text/json.hpp"
#include "text/json_schemas.hpp"

#include <regatta/base/version.hpp>

namespace regatta::race {

std::string cpus_status_json(const cpus_status& found) {
    json document;
    document["schema"] = json_schema::cpus_status;
    document["version"] = version_string;
    document["notes"] = found.unread;
    document["leases"] = json::array();
    for (const exclusive_lease& lease : found.leases) {
        document["leases"].push_back(
            {{"name", lease.name},
             {"title", lease.title},
             {"level", lease.taken ? json(to_string(lease.level)) : json()},
             {"process", lease.process},
             {"stale", lease.stale},
             {"cpus", lease.cpus.to_string()},
             {"effects", lease.effects}});
    }
    return text_of(document);
}

} // namespace regatta::race
