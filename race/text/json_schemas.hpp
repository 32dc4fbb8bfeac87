// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The names and versions of the JSON documents, as in their members "schema". A number rises when
/// a member goes or changes its meaning.

namespace regatta::race::json_schema {

inline constexpr const char* race = "regatta-race/1";
inline constexpr const char* list = "regatta-list/1";
inline constexpr const char* sweep = "regatta-sweep/1";
inline constexpr const char* launches = "regatta-launches/1";
inline constexpr const char* scale = "regatta-scale/1";
inline constexpr const char* isolation = "regatta-isolation/1";
inline constexpr const char* info = "regatta-info/1";
inline constexpr const char* watch = "regatta-watch/1";
inline constexpr const char* advice = "regatta-advice/1";
inline constexpr const char* shm = "regatta-shm/1";
inline constexpr const char* cpus = "regatta-cpus/1";
inline constexpr const char* cpus_check = "regatta-cpus-check/1";
inline constexpr const char* cpus_plan = "regatta-cpus-plan/1";
inline constexpr const char* cpus_status = "regatta-cpus-status/1";

} // namespace regatta::race::json_schema
