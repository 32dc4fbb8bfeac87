// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "report/info_json.hpp"

#include "report/json_values.hpp"

namespace regatta::race {

std::string info_json(const provenance& from) {
    json document = document_head(info_schema, from);
    document["machine"] = to_value(from.machine);
    return text_of(document);
}

} // namespace regatta::race
