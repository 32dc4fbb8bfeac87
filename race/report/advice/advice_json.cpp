// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "report/advice/advice_json.hpp"

#include "report/common/json_values.hpp"
#include "text/json_schemas.hpp"

#include <utility>

namespace regatta::race {
namespace {

json to_value(const sentence& one) {
    json figures = json::array();
    for (const cited_figure& cited : one.figures) {
        figures.push_back({{"name", cited.name},
                           {"value", cited.from.value},
                           {"file", cited.from.file},
                           {"member", cited.from.member}});
    }
    return {{"topic", to_string(one.about)}, {"text", one.text}, {"figures", std::move(figures)}};
}

} // namespace

std::string to_json(const advice& made, const provenance& from) {
    json document = document_head(json_schema::advice, from);
    document["files"] = made.files;
    document["workload"] = text_or_null(made.workload.name);
    document["settings"] = settings_value(made.workload.settings);
    document["cpu_model"] = text_or_null(made.machine.cpu_model);
    document["available_cpus"] = made.machine.available_cpus;
    document["scheme"] = or_null(made.scheme);
    document["workers"] = or_null(made.workers);
    document["limit"] = to_string(made.limit);
    document["workers_are"] = or_null(made.kind);
    document["placement"] = or_null(made.placement);
    json sentences = json::array();
    for (const sentence& one : made.sentences) {
        sentences.push_back(to_value(one));
    }
    document["sentences"] = std::move(sentences);
    json open = json::array();
    for (const open_question& one : made.open) {
        open.push_back(
            {{"topic", to_string(one.about)}, {"text", one.text}, {"measure", one.measure}});
    }
    document["open"] = std::move(open);
    return text_of(document);
}

} // namespace regatta::race
