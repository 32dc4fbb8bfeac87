// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Huge pages that the kernel reserves at boot.

#include <regatta/base/config.hpp>
#include <regatta/boot/boot_line.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace regatta {

/// Huge pages to reserve at boot, all of one size.
struct huge_pages {
    std::size_t size = 0; ///< In bytes.
    std::size_t count = 0;
};

/// The huge pages that a machine can have.
struct REGATTA_SYSTEM_API huge_page_memory {
    std::vector<std::size_t> sizes; ///< In bytes, ascending; empty if the kernel has none.
    std::size_t usual_size = 0;     ///< Of a page whose size is not named; 0: unknown.
    std::size_t memory = 0;         ///< Of the machine, in bytes; 0: unknown.

    /// Reads /sys/kernel/mm/hugepages and /proc/meminfo.
    /// Failure: none; unreadable properties are unknown.
    /// @param root a directory to use instead of `/`.
    static huge_page_memory read(const std::string& root = {});
};

/// Adds `hugepagesz=` and `hugepages=` to a planned line. The kernel reserves the pages before any
/// program runs, while the memory is still in one piece. They are lost to all other uses.
///
/// Failure: `std::invalid_argument` for no page, for a size that the kernel does not have, and for
/// more than the memory of the machine. A line without options stays as it is. More than half of
/// the memory is a warning.
/// Source: the kernel's documentation of hugetlbpage and of its command line.
REGATTA_SYSTEM_API void add_huge_pages(boot_line& line, const huge_pages& pages,
                                       const huge_page_memory& machine,
                                       const running_kernel& kernel);

/// "2M", "1G", "64K": a size as the kernel's command line has it.
REGATTA_SYSTEM_API std::string huge_page_size_text(std::size_t bytes);

} // namespace regatta
