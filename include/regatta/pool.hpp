// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Thread pools, and futures and coroutines that run on them.

#include <regatta/core/coroutine.hpp>
#include <regatta/core/executor.hpp>
#include <regatta/core/future.hpp>
#include <regatta/core/future_group.hpp>
#include <regatta/core/promise.hpp>
#include <regatta/core/run_loop.hpp>
#include <regatta/core/strand.hpp>
#include <regatta/pool/balanced_pool.hpp>
#include <regatta/pool/dynamic_pool.hpp>
#include <regatta/pool/steady_pool.hpp>
