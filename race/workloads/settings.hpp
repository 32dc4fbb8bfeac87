// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Which options a workload reads, and with which values it runs.

#include "workloads/workload.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace regatta::race {

/// Whether the workload reads that setting ("size", "max_prime"), by the text of its registry
/// entry, where `max_prime` is written as the option is typed: `--max-prime`.
bool reads_option(const workload_info& workload, std::string_view setting);

/// The settings that the workload reads, each with the value that it runs with: {"size", "512"}, …
/// `items` and `type` only where they are not the usual ones.
std::vector<std::pair<std::string, std::string>> settings_of(const workload_info& workload,
                                                             const workload_options& options);

} // namespace regatta::race
