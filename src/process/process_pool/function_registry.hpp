// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The functions that this program can run in worker processes.

#include <regatta/process/detail/process_function.hpp>

#include <cstdint>

namespace regatta::detail {

/// The function of that number, or null.
process_function* find_process_function(std::uint64_t id) noexcept;

/// How many functions have been removed, as with a module that is unloaded: one that was found
/// before may be gone.
unsigned removed_process_functions() noexcept;

/// Notes which functions there are when `main` begins: a module that is loaded later may add some
/// that the workers, which run the same program up to there, do not have.
void note_process_functions() noexcept;

/// Of those that were noted: the same for the same set, in whatever order they were added.
std::uint64_t hash_of_process_functions() noexcept;

} // namespace regatta::detail
