// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The workload `inverse`: a few long items, each of which inverts a matrix with LAPACK.

#include "workloads/size_range.hpp"
#include "workloads/workload.hpp"

#include <memory>

namespace regatta::race {

/// Rows and columns of each matrix.
inline constexpr size_range inverse_sizes{64, 2048, 1000};
/// Items a run: as many matrices.
inline constexpr size_range inverse_items{1, 256, 4};

/// Makes the matrices M in a shared mapping; an item computes inv(M·Mᵀ) in double precision, on one
/// thread, with the calls that numpy makes for it (dsyrk, dgesv).
///
/// The mapping begins with three numbers of 64 bits, the size n, the count of the items and the
/// seed, in 128 bytes; the matrices M follow, one an item, n × n and row-major, and behind them the
/// outputs, alike. What comes after those is scratch memory.
///
/// Failure: `std::invalid_argument` for a size out of range, `std::system_error` where there is no
/// room, `std::runtime_error` where OpenBLAS is absent or has no LAPACK in it.
std::unique_ptr<workload> make_inverse(const workload_options& options);
std::unique_ptr<workload> attach_inverse(int descriptor);

} // namespace regatta::race
