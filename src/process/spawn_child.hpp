// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The steps of a new process between clone and exec.

#include <cstddef>
#include <cstdint>

namespace regatta::detail {

/// The step that failed in a child that could not start.
enum class spawn_stage : int { descriptors, closing, group, directory, death_signal, program };

/// The message that a child that cannot start writes to its parent.
struct spawn_failure {
    int error;
    spawn_stage stage;
    int from; ///< Of the move that failed, for `spawn_stage::descriptors`; -1: of none.
    int to;
};

/// A descriptor of the parent and its number in the child.
struct descriptor_move {
    int from;
    int to;
    int spare; ///< None of the targets: no move overwrites it.
};

/// Everything that the child needs, prepared by the parent: the child allocates nothing.
struct spawn_plan {
    const char* program;
    char* const* arguments;
    char* const* environment;
    const char* directory; ///< Null: no change.
    descriptor_move* moves;
    std::size_t move_count;
    const int* kept; ///< The child's descriptors, ascending, each once.
    std::size_t kept_count;
    int report; ///< Write end of a pipe to the parent; closed on exec.
    int parent;
    int death_signal;
    bool own_process_group;
    std::uint64_t ignored; ///< Signals that stay ignored: bit n - 1 is signal n.
    /// Set by the child. The parent sees that if they share memory: then the child has reported a
    /// failure, if there was one, before the parent continued.
    bool shared = false;
};

/// Runs in the child, which shares the parent's memory while the calling thread is suspended.
///
/// Makes raw system calls only. Code that allocates, locks or is instrumented by a sanitizer would
/// change the parent's state.
__attribute__((noinline, no_sanitize("thread", "address", "undefined"))) int
run_spawn_plan(void* argument);

} // namespace regatta::detail
