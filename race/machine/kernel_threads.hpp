// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The threads of the kernel itself, and the CPU time that they have used.

#include <regatta/cpu/cpu_set.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace regatta::race {

/// The kernel's own threads as they were when this was made. One that the kernel starts later is
/// not among them, nor one that examines memory on a schedule of its own (`kdamond`, `ksmd`): what
/// runs beside it gave it nothing to do, so it disturbs like another process.
///
/// Threads: one. Failure: none; where they cannot be seen, as in most containers, there are none.
/// Cost: some 4 µs a thread and reading.
class kernel_threads {
public:
    /// @param within those alone that can run nowhere else. Work of the others may have been done
    /// there.
    /// @param processes where the processes are; a test puts its own.
    explicit kernel_threads(const std::optional<cpu_set>& within = {},
                            const std::string& processes = "/proc");

    /// CPU time of all of them since their start.
    std::int64_t cpu_ns() const;
    std::size_t count() const noexcept { return accounts_.size(); }

private:
    std::vector<std::string> accounts_; ///< The names of their schedstat.
};

} // namespace regatta::race
