// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// How often the kernel killed a process for memory.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace regatta::detail {

/// The number behind "oom_kill" in a text of lines "name number"; 0 if there is none.
std::uint64_t oom_kills_in(std::string_view text) noexcept;

/// So many of this process's control group and those below, where the kernel tells that apart; else
/// of the whole machine; nothing if that cannot be read, as for want of descriptors.
/// @param root a directory that stands in for `/`.
std::optional<std::uint64_t> count_oom_kills(const std::string& root = {});

} // namespace regatta::detail
