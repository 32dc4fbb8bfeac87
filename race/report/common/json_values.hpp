// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What the JSON documents have in common.

#include "machine/fingerprint.hpp"
#include "report/common/provenance.hpp"
#include "sampling/sampler.hpp"
#include "sampling/verdict.hpp"
#include "text/json.hpp"

#include <regatta/cpu/topology_parts.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace regatta::race {

template<class T>
json or_null(const std::optional<T>& value) {
    return value ? json(*value) : json();
}

/// Null for an empty text.
json text_or_null(const std::string& text);
/// Null for a size of 0, which is unknown.
json size_or_null(std::uint64_t bytes);
const char* name_of(cache_type type);
/// `{median, low, high, count}`; null where nothing is known.
json to_value(const estimate& e);
/// Its round, its time, and what disturbed it.
json to_value(const sample& one);
json to_value(const series& measured);
/// Percentiles and histogram; null of nothing.
json to_value(const latency_histogram& latency);
/// Null where the kernel does not tell it.
json to_value(const std::optional<pressure_stall>& stall);
/// The record of the machine; docs/reference/machine.schema.json describes it.
json to_value(const fingerprint& machine);
/// A workload's settings as an object; those that are whole numbers are such.
json settings_value(const std::vector<std::pair<std::string, std::string>>& settings);

/// The first members of a document: which schema it follows, and where it comes from.
json document_head(const char* schema, const provenance& from);
/// What a result with a control says of its noise: null without enough pairs.
template<class Result>
json noise_floor_of(const Result& result) {
    return result.floor.known() ? json(result.floor.distance) : json();
}
/// The control of a result; `against` names its comparison.
template<class Result>
json control_of(const Result& result, const char* against) {
    return {{against, to_value(result.floor.control)},
            {"contaminated", result.control.contaminated()},
            {"dropped", result.control.dropped()},
            {"samples", to_value(result.control)}};
}
/// How well the load of others was seen meanwhile.
template<class Result>
json load_of(const Result& result) {
    return {{"source", result.load_source},
            {"resolution_ns", result.load_resolution_ns},
            {"contaminated_share", result.contaminated}};
}

} // namespace regatta::race
