// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Files of the kernel that hold a set of CPUs, as a list or as a mask.

#include "lease/exclusive_system.hpp"
#include <regatta/base/detail/system_files.hpp>
#include <regatta/cpu/cpu_set.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace regatta::detail {

/// Whether a file of the kernel speaks in masks ("ff,00000001") instead of lists ("0,32-39").
inline bool holds_mask(std::string_view path) noexcept {
    return path.ends_with("smp_affinity") || path.ends_with("/cpumask");
}

/// The set that a text from the file `path` means; nothing for a text that means none.
inline std::optional<cpu_set> cpus_from_text(std::string_view path, std::string_view text) {
    cpu_list_error error;
    text = trimmed(text);
    return holds_mask(path) ? cpu_set::try_parse_mask(text, error)
                            : cpu_set::try_parse(text, cpu_set::max_width, error);
}

/// A set as the file `path` takes it. The empty set is an empty line, since a write of no bytes is
/// none.
inline std::string cpus_to_text(std::string_view path, const cpu_set& cpus) {
    return (holds_mask(path) ? cpus.to_mask() : cpus.to_string()) + "\n";
}

/// The set that a file holds now; nothing if it cannot be read.
inline std::optional<cpu_set> read_cpus(exclusive_system& system, const std::string& path) {
    const auto text = system.read(path);
    return text ? cpus_from_text(path, *text) : std::nullopt;
}

} // namespace regatta::detail
