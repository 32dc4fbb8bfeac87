// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Kernel files that hold a set of CPUs, as a list or as a mask.

#include "lease/exclusive_system.hpp"
#include <regatta/cpu/cpu_set.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace regatta::detail {

/// The set that a text of the file `path` denotes; nothing if the text is not a set.
std::optional<cpu_set> cpus_from_text(std::string_view path, std::string_view text);

/// A set in the format of the file `path`. The empty set is an empty line, because a write of zero
/// bytes has no effect.
std::string cpus_to_text(std::string_view path, const cpu_set& cpus);

/// The set that a file holds now; nothing if it cannot be read.
std::optional<cpu_set> read_cpus(exclusive_system& system, const std::string& path);

/// The CPUs that are online now; nothing if that cannot be read.
std::optional<cpu_set> online_cpus(exclusive_system& system);

} // namespace regatta::detail
