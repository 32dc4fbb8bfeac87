// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "report/info/info_json.hpp"

#include "report/common/json_values.hpp"
#include "text/json_schemas.hpp"

namespace regatta::race {

std::string info_json(const provenance& from) {
    json document = document_head(json_schema::info, from);
    document["machine"] = to_value(from.machine);
    return text_of(document);
}

} // namespace regatta::race
