// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The message bus, and the worker pool for typed messages.

#include <regatta/bus/async_bus.hpp>
#include <regatta/message/worker_pool.hpp>
