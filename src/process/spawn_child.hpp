// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What a new process does between its birth and its program.

#include <cstddef>

namespace regatta::detail {

/// Where the start of a child failed.
enum class spawn_stage : int { descriptors, closing, group, directory, death_signal, program };

/// What a child that cannot start writes to its parent.
struct spawn_failure {
    int error;
    spawn_stage stage;
    int parent_descriptor; ///< Of the mapping that failed, for `spawn_stage::descriptors`.
};

/// A descriptor on its way to the child.
struct descriptor_move {
    int from;
    int to;
    int spare; ///< Above all targets, so that no move overwrites what another still needs.
};

/// Everything that a child needs, made by the parent: the child allocates nothing.
struct spawn_plan {
    const char* program;
    char* const* arguments;
    char* const* environment;
    const char* directory; ///< Null: stay.
    descriptor_move* moves;
    std::size_t move_count;
    const int* kept; ///< The child's descriptors, rising, each once.
    std::size_t kept_count;
    int report; ///< Write end of a pipe to the parent; closed on exec.
    int parent;
    int death_signal;
    bool own_process_group;
};

/// Runs in the child, which shares the parent's memory while the starting thread stands still.
///
/// Only raw system calls, nothing that allocates, locks or is wrapped by a sanitizer: its
/// bookkeeping would otherwise be the parent's.
__attribute__((noinline, no_sanitize("thread", "address", "undefined"))) int
run_spawn_plan(void* argument);

} // namespace regatta::detail
