// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Sets of CPUs, the machine's topology, and the affinity and placement of threads.

#include <regatta/cpu/affinity.hpp>
#include <regatta/cpu/available_cpus.hpp>
#include <regatta/cpu/cpu_set.hpp>
#include <regatta/cpu/placement.hpp>
#include <regatta/cpu/topology.hpp>
