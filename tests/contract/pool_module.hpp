// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What the module with pools of its own offers; its other names are hidden.

#include <regatta/fork.hpp>
#include <regatta/pool.hpp>

/// The module's own pool, of one thread: made at the first call, and ended with the module.
extern "C" [[gnu::visibility("default")]] regatta::thread_pool* pool_of_module();
/// Counts up `*ended` when the pool has run its tasks and its thread has ended.
extern "C" [[gnu::visibility("default")]] void tell_end_of_pool(int* ended);
/// Waits for the end of `outer` tasks on the program's pool, each of which waits for one of its
/// own.
extern "C" [[gnu::visibility("default")]] int nest_in_module(regatta::thread_pool& pool, int outer);
/// The n-th Fibonacci number by forks, on that pool; null: on the one that forks of the module take
/// by themselves.
extern "C" [[gnu::visibility("default")]] long fork_in_module(regatta::thread_pool* pool, int n);
