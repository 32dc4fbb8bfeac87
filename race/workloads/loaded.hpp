// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Workloads of the user's own, from shared libraries.

#include "workloads/workload.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace regatta::race {

/// Whether that is how a file with a workload is named: with a slash or its ending, "./mine.so".
bool names_file(std::string_view workload) noexcept;

/// The workload in a file that was made with regatta/race/item_workload.hpp. Its name is that
/// path. It stays loaded.
///
/// Threads: any, at once. Failure: `std::runtime_error` where that is no such file, which says why.
const workload_info& load_workload(const std::string& path);
/// The files of those that were loaded, from the root. They are mapped: who writes to one changes
/// code that may run.
/// Threads: any, at once.
std::vector<std::string> loaded_workloads();

/// What a thread runs of the code of such workloads, for the report of a crash.
struct own_code {
    const char* part = nullptr; ///< "run()", "the constructor", …; null: nothing of it.
    std::size_t item = no_item; ///< Of `run`.

    static constexpr std::size_t no_item = static_cast<std::size_t>(-1);
};
/// Threads: each has its own; may be called from a signal handler.
own_code own_code_here() noexcept;

/// Attaches to the mapping of such a workload, which says in which file it is. Throws if it is
/// none.
std::unique_ptr<workload> attach_loaded(int descriptor);

} // namespace regatta::race
