// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The workload `matmul`: C = A·B for square matrices of float or double, a row or a block of C an
/// item.

#include "workloads/size_range.hpp"
#include "workloads/workload.hpp"

#include <memory>

namespace regatta::race {

inline constexpr size_range matmul_sizes{64, 2048, 512};

/// How many rows and columns of C an item computes, but for those at the edges.
struct matmul_block_size {
    std::size_t rows;
    std::size_t columns;
};

/// The blocks of the kernel `blas`: one for each CPU, as near to squares as their number allows,
/// none with fewer than 64 rows or columns. Each block packs copies of its own of what it reads of
/// A and B, so that with smaller ones the library would be slower than it can be.
matmul_block_size matmul_library_blocks(std::size_t n, std::size_t cpus) noexcept;

/// Makes the matrices in a shared mapping of their own; A and B are uniform in [-1, 1).
///
/// Failure: `std::invalid_argument` for a size, kernel or type that does not exist,
/// `std::system_error` where there is no room, `std::runtime_error` where the kernel is `blas` and
/// OpenBLAS is absent.
std::unique_ptr<workload> make_matmul(const workload_options& options);

/// Attaches to the matrices of another process. Throws `std::runtime_error` if the mapping holds
/// something else.
std::unique_ptr<workload> attach_matmul(int descriptor);

} // namespace regatta::race
