// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// How much memory there is, and in pages of which size programs get it.

#include <cstdint>
#include <optional>
#include <string>

namespace regatta::race {

/// The memory of the machine.
struct memory_state {
    std::uint64_t bytes = 0;                      ///< 0: unknown.
    std::optional<std::uint64_t> available_bytes; ///< To new programs, without swapping.
    std::uint64_t swap_bytes = 0;
    std::uint64_t swap_used_bytes = 0;
    std::uint64_t page_bytes = 0; ///< Of a usual page; 0: unknown.
    /// Whether programs get huge pages without asking: "always", "madvise" or "never".
    std::string transparent_huge_pages;
    /// The same of memory that processes share: "never", "advise", …
    std::string shared_huge_pages;
    std::uint64_t huge_page_bytes = 0; ///< Of those that are set aside.
    std::uint64_t huge_pages = 0;      ///< Set aside for programs that ask for them.
    std::uint64_t huge_pages_free = 0;
    /// Whether the kernel moves memory to the node of the CPU that uses it.
    std::optional<bool> numa_balancing;
};

/// Reads it. Failure: none. Cost: some small files.
/// @param root a directory that stands in for `/`.
memory_state read_memory_state(const std::string& root = {});

} // namespace regatta::race
