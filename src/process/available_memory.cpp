// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "process/available_memory.hpp"

#include "process/memory_groups.hpp"
#include <regatta/base/detail/system_files.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace regatta::detail {
namespace {

std::optional<std::uint64_t> unsigned_number(std::string_view text) noexcept {
    const auto number = to_number(text);
    return number && *number >= 0 ? std::optional(static_cast<std::uint64_t>(*number))
                                  : std::nullopt;
}

/// The number that follows `label` in the first line that begins with it; empty if no line does.
std::optional<std::uint64_t> number_after(std::string_view text, std::string_view label) noexcept {
    for (auto line = next_part(text, '\n'); !line.empty(); line = next_part(text, '\n')) {
        if (line.starts_with(label)) {
            line.remove_prefix(label.size());
            line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
            return unsigned_number(next_part(line, ' '));
        }
    }
    return std::nullopt;
}

/// The number in a file; empty if the file holds a word, as "max", or cannot be read.
std::optional<std::uint64_t> number_in(const std::string& path) {
    const auto text = read_small_file(path);
    return text ? unsigned_number(*text) : std::nullopt;
}

/// What the limit of a group leaves; no limit if it has none.
std::uint64_t left_in_group(const std::string& folder, bool v2) {
    const auto limit = number_in(folder + (v2 ? "/memory.max" : "/memory.limit_in_bytes"));
    const auto used = number_in(folder + (v2 ? "/memory.current" : "/memory.usage_in_bytes"));
    if (!limit || !used) {
        return UINT64_MAX;
    }
    // What the kernel takes back before it kills. Version 1 counts groups below only in totals.
    const std::string stat = read_small_file(folder + "/memory.stat").value_or("");
    const auto part = [&stat](std::string_view label) {
        return number_after(stat, label).value_or(0);
    };
    const std::uint64_t cache =
        v2 ? part("inactive_file ") + part("active_file ") + part("slab_reclaimable ")
           : part("total_inactive_file ") + part("total_active_file ");
    const std::uint64_t kept = *used - std::min(*used, cache);
    return *limit - std::min(*limit, kept);
}

} // namespace

std::uint64_t available_memory(const std::string& root) {
    const std::string machine = read_small_file(root + "/proc/meminfo").value_or("");
    const auto kilobytes = number_after(machine, "MemAvailable:");
    std::uint64_t bytes = kilobytes ? *kilobytes * 1024 : UINT64_MAX;
    for (const memory_group& own : memory_groups(root)) {
        // The limit of each group above holds, too.
        std::string group = own.below;
        for (bool more = true; more;) {
            bytes = std::min(bytes, left_in_group(own.mount + group, own.v2));
            more = !group.empty();
            const auto parent = group.rfind('/');
            group.resize(parent == std::string::npos ? 0 : parent);
            // Before Linux 5.11, a group of version 1 need not count those below it.
            more = more && (own.v2 || number_in(own.mount + group + "/memory.use_hierarchy") != 0U);
        }
    }
    return bytes;
}

} // namespace regatta::detail
