// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What the JSON documents have in common.

#include "machine/fingerprint.hpp"
#include "sampling/sampler.hpp"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace regatta::race {

/// A value whose members keep their order.
using json = nlohmann::ordered_json;

template<class T>
json or_null(const std::optional<T>& value) {
    return value ? json(*value) : json();
}

/// Null for an empty text.
json text_or_null(const std::string& text);
/// `{median, low, high, count}`; null where nothing is known.
json to_value(const estimate& e);
/// Its round, its time, and what disturbed it.
json to_value(const sample& one);
json to_value(const series& measured);
json to_value(const fingerprint& machine);

/// The words as one would type them into a shell.
std::string command_line(const std::vector<std::string>& words);

/// The document, indented, with a final newline. Text that is no UTF-8, which that of libraries and
/// of the system need not be, has its wrong bytes replaced.
std::string text_of(const json& document);

} // namespace regatta::race
