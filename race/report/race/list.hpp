// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What there is to race: workloads and schemes.

#include "report/common/provenance.hpp"
#include "text/text.hpp"
#include "workloads/workload.hpp"

#include <string>

namespace regatta::race {

/// All workloads with their options, and all schemes with what they suit, those that are alike
/// together. Last come the schemes that cannot run `chosen`, each with what hinders it.
std::string list_text(const workload_info& chosen, const text_style& style);

/// The same as a document, indented, with a final newline; docs/reference/list.schema.json
/// describes it.
std::string list_json(const workload_info& chosen, const provenance& from);

} // namespace regatta::race
