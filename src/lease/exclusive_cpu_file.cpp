// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "lease/exclusive_cpu_file.hpp"

#include "lease/exclusive_system.hpp"
#include <regatta/base/detail/system_files.hpp>
#include <regatta/cpu/cpu_set.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace regatta::detail {
namespace {

/// Whether a kernel file holds a mask ("ff,00000001") instead of a list ("0,32-39").
bool holds_mask(std::string_view path) noexcept {
    return path.ends_with("smp_affinity") || path.ends_with("/cpumask");
}

} // namespace

std::optional<cpu_set> cpus_from_text(std::string_view path, std::string_view text) {
    cpu_list_error error;
    text = trimmed(text);
    return holds_mask(path) ? cpu_set::try_parse_mask(text, error)
                            : cpu_set::try_parse(text, cpu_set::max_width, error);
}

std::string cpus_to_text(std::string_view path, const cpu_set& cpus) {
    return (holds_mask(path) ? cpus.to_mask() : cpus.to_string()) + "\n";
}

std::optional<cpu_set> read_cpus(exclusive_system& system, const std::string& path) {
    const auto text = system.read(path);
    return text ? cpus_from_text(path, *text) : std::nullopt;
}

std::optional<cpu_set> online_cpus(exclusive_system& system) {
    return read_cpus(system, "/sys/devices/system/cpu/online");
}

} // namespace regatta::detail
