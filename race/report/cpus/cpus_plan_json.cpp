// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "report/cpus/cpus_plan_report.hpp"
#include "text/json.hpp"
#include "text/json_schemas.hpp"

#include <regatta/base/version.hpp>

#include <string_view>

namespace regatta::race {
namespace {

json text_or_null(std::string_view text) {
    return text.empty() ? json() : json(text);
}

json to_value(const exclusive_way& way) {
    json value;
    value["level"] = to_string(way.level);
    value["way"] = way.way;
    value["impossible"] = text_or_null(way.impossible);
    value["steps"] = way.steps;
    return value;
}

json to_value(const exclusive_preview& plan) {
    json value;
    const exclusive_way* const first = plan.first();
    value["refused"] = text_or_null(plan.refused);
    value["level"] = first != nullptr ? json(to_string(first->level)) : json();
    value["ways"] = json::array();
    for (const exclusive_way& way : plan.ways) {
        value["ways"].push_back(to_value(way));
    }
    value["notes"] = plan.notes;
    return value;
}

json to_value(const cpus_plan& plan, const boot_line& line) {
    json value;
    value["line"] = text_or_null(line.text());
    value["in_force"] = line.in_force();
    value["options"] = json::array();
    for (const boot_option& option : line.options) {
        value["options"].push_back({{"name", option.name},
                                    {"value", option.value},
                                    {"purpose", option.purpose},
                                    {"current", option.current ? json(*option.current) : json()}});
    }
    value["warnings"] = json::array();
    for (const boot_warning& warning : line.warnings) {
        value["warnings"].push_back(
            {{"concern", to_string(warning.concern)}, {"text", warning.text}});
    }
    value["boot_loaders"] = json::array();
    for (const boot_loader& loader : plan.loaders) {
        value["boot_loaders"].push_back({{"name", loader.name},
                                         {"file", text_or_null(loader.file)},
                                         {"advice", advice_of(loader, line)}});
    }
    return value;
}

} // namespace

std::string cpus_plan_json(const cpus_plan& plan) {
    json document;
    document["schema"] = json_schema::cpus_plan;
    document["version"] = version_string;
    document["cpus"] = plan.boot.cpus.to_string();
    document["housekeeping"] = plan.boot.housekeeping.to_string();
    document["kernel"] = {{"release", text_or_null(plan.kernel.release)},
                          {"command_line", text_or_null(plan.kernel.command_line)},
                          {"configuration", plan.kernel.config
                                                ? text_or_null(plan.kernel.config->source())
                                                : json()}};
    document["run_time"] = to_value(plan.run_time);
    document["boot"] = to_value(plan, plan.boot);
    return text_of(document);
}

} // namespace regatta::race
