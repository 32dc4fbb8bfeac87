// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "machine/memory_state.hpp"

#include "machine/file_text.hpp"

#include <unistd.h>

#include <algorithm>

namespace regatta::race {

memory_state read_memory_state(const std::string& root) {
    memory_state found;
    const auto count = [&](const char* key) -> std::optional<std::uint64_t> {
        const auto value = decimal(value_of(root + "/proc/meminfo", key, ':'));
        return value && *value >= 0 ? std::optional(static_cast<std::uint64_t>(*value))
                                    : std::nullopt;
    };
    const auto bytes = [&](const char* key) { return count(key).value_or(0) * 1024; };
    found.bytes = bytes("MemTotal");
    if (count("MemAvailable")) {
        found.available_bytes = bytes("MemAvailable");
    }
    found.swap_bytes = bytes("SwapTotal");
    found.swap_used_bytes = found.swap_bytes - std::min(found.swap_bytes, bytes("SwapFree"));
    if (root.empty()) {
        found.page_bytes = static_cast<std::uint64_t>(std::max(0L, ::sysconf(_SC_PAGESIZE)));
    }
    const std::string huge = root + "/sys/kernel/mm/transparent_hugepage/";
    found.transparent_huge_pages = choice_of(huge + "enabled");
    found.shared_huge_pages = choice_of(huge + "shmem_enabled");
    found.huge_page_bytes = bytes("Hugepagesize");
    found.huge_pages = count("HugePages_Total").value_or(0);
    found.huge_pages_free = count("HugePages_Free").value_or(0);
    found.numa_balancing = flag_of(root + "/proc/sys/kernel/numa_balancing");
    return found;
}

} // namespace regatta::race
