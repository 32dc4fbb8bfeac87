// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Fork-join: calls, loops, reductions and algorithms that run in parallel on the workers of any
/// pool.

#include <regatta/fork/blocking.hpp>
#include <regatta/fork/execution.hpp>
#include <regatta/fork/fork_options.hpp>
#include <regatta/fork/join.hpp>
#include <regatta/fork/parallel_algorithms.hpp>
#include <regatta/fork/parallel_for.hpp>
#include <regatta/fork/parallel_reduce.hpp>
#include <regatta/fork/shared_pool.hpp>
#include <regatta/fork/task_graph.hpp>
#include <regatta/fork/task_scope.hpp>
