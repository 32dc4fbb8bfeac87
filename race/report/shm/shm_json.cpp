// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "report/shm/shm_report.hpp"
#include "text/json.hpp"
#include "text/json_schemas.hpp"

#include <regatta/base/version.hpp>

#include <string>

namespace regatta::race {

std::string shm_view_json(const shm_view& view) {
    json document;
    document["schema"] = json_schema::shm;
    document["version"] = version_string;
    document["room_bytes"] = view.room_bytes;
    document["free_bytes"] = view.free_bytes;
    document["removed"] = view.removed;
    document["segments"] = json::array();
    for (const segment_record& one : view.segments) {
        json users = json::array();
        for (const segment_user& user : one.users) {
            users.push_back({{"process", user.process}, {"command", user.command}});
        }
        document["segments"].push_back({{"name", one.name},
                                        {"anonymous", one.anonymous},
                                        {"stale", one.stale},
                                        {"user", one.user},
                                        {"bytes", one.bytes},
                                        {"allocated_bytes", one.allocated},
                                        {"users", std::move(users)}});
    }
    return text_of(document);
}

} // namespace regatta::race
