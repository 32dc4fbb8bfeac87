// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The workload `stream`: as much memory traffic as the workers can cause, and hardly anything
/// else.

#include "workloads/size_range.hpp"
#include "workloads/workload.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace regatta::race {

/// MiB of each of the three arrays. The usual size is well above what last-level caches hold.
inline constexpr size_range stream_sizes{1, 16'384, 256};
/// Elements of each array that an item goes through: a MiB of doubles.
inline constexpr std::size_t stream_block = 131'072;

/// a[i] = b[i] + s·c[i] over arrays of doubles, a block an item: the triad of the STREAM benchmark.
/// Source: J. McCalpin, "Memory Bandwidth and Machine Balance in Current High Performance
/// Computers", 1995.
///
/// Failure: `std::invalid_argument` for a size out of range and for one that needs more memory than
/// is available, `std::system_error` where there is no room all the same.
std::unique_ptr<workload> make_stream(const workload_options& options);
std::unique_ptr<workload> attach_stream(int descriptor);

/// Bytes that the arrays may have altogether here: memory that programs get without anybody's
/// having to swap, and what the control groups leave of their limits. The greatest number where
/// that is unknown.
/// @param root a directory that stands in for `/`.
std::uint64_t stream_memory_available(const std::string& root = {});

} // namespace regatta::race
