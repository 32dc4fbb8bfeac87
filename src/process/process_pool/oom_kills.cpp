// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "process/process_pool/oom_kills.hpp"

#include "process/memory_groups.hpp"
#include <regatta/base/detail/system_files.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace regatta::detail {

std::uint64_t oom_kills_in(std::string_view text) noexcept {
    for (const auto line : split(text, '\n')) {
        if (line.starts_with("oom_kill ")) {
            return static_cast<std::uint64_t>(to_number(line.substr(9)).value_or(0));
        }
    }
    return 0;
}

std::optional<std::uint64_t> count_oom_kills(const std::string& root) {
    for (const memory_group& group : memory_groups(root)) {
        const char* const name = group.v2 ? "/memory.events" : "/memory.oom_control";
        if (const auto events = read_small_file(group.mount + group.below + name)) {
            return oom_kills_in(*events);
        }
    }
    const auto machine = read_small_file(root + "/proc/vmstat");
    return machine ? std::optional(oom_kills_in(*machine)) : std::nullopt;
}

} // namespace regatta::detail
