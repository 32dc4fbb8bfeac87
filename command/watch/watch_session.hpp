// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// One run of `regatta watch`.

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace regatta::command {

/// What is watched, how, and for how long.
struct watch_options {
    std::optional<int> process;          ///< An existing one.
    std::vector<std::string> program;    ///< To be started; empty: none.
    std::chrono::nanoseconds interval{}; ///< Between two looks.
    std::string pace;                    ///< The same as it was typed.
    bool once = false;                   ///< One look, as text.
    std::optional<unsigned long> count;  ///< How many looks; absent: until something ends it.
    std::string json;                    ///< A file for the documents; empty: none.
};

/// Watches until the last look, the end of what is watched, a key or a signal; the terminal is as
/// before then. Returns the exit status.
/// Failure: `usage_error`, `std::system_error`, `std::runtime_error`.
int run_watch(const watch_options& options);

} // namespace regatta::command
