// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "report/common/json_values.hpp"
#include "report/race/json.hpp"
#include "report/race/launches_report.hpp"
#include "report/sweep/sweep_report.hpp"
#include "text/json_schemas.hpp"

namespace regatta::race {

std::string to_json(const sweep_result& sweep, const provenance& from) {
    json document = document_head(json_schema::sweep, from);
    document["axes"] = {{"size", sweep.axes.sizes},
                        {"workers", sweep.axes.workers},
                        {"chunk", sweep.axes.chunks},
                        {"capacity", sweep.axes.capacities}};
    document["order_seed"] = sweep.order_seed;
    document["launches"] = sweep.launches;
    document["stopped"] = sweep.stopped;
    document["cells"] = json::array();
    for (const sweep_cell* const cell : sweep.measured()) {
        json& value = document["cells"].push_back(
            {{"size", cell->at.size != 0 ? json(cell->at.size) : json()},
             {"workers", cell->at.workers},
             {"chunk", cell->at.chunk},
             {"capacity", cell->at.capacity}});
        if (cell->launches.races.empty()) {
            value["race"] = json::parse(to_json(cell->result, from));
        } else {
            value["launches"] = json::parse(to_json(cell->launches, from));
        }
    }
    return text_of(document);
}

} // namespace regatta::race
