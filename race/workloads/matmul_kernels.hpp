// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The code that computes rows of C = A·B for row-major n × n matrices of float or double.

#include <cstddef>

namespace regatta::race {

/// A part of C: `rows` rows from `row` on, of these `columns` columns from `column` on.
struct matmul_block {
    std::size_t row;
    std::size_t rows;
    std::size_t column;
    std::size_t columns;
};

/// Computes that part of C.
///
/// Threads: any, for different parts. Writes that part and nothing else.
using matmul_kernel = void(std::size_t n, const matmul_block& block, const float* a, const float* b,
                           float* c) noexcept;

/// The same of double.
using matmul_double_kernel = void(std::size_t n, const matmul_block& block, const double* a,
                                  const double* b, double* c) noexcept;

/// For each row i, for each column j, a dot product over k: B is read down its columns.
matmul_kernel matmul_naive;
matmul_double_kernel matmul_naive_double;

/// Rows blocked for registers, B copied panel by panel into the first-level cache.
///
/// Uses the widest vectors that this processor and OpenBLAS-like blocking profit from: AVX-512,
/// AVX2 with FMA, or 16 bytes. Cost: 2·n·rows·columns floating-point operations, and n·columns
/// copied elements, so that a block should have some dozens of rows. Source of the blocking: Goto
/// and van de Geijn, "Anatomy of High-Performance Matrix Multiplication", 2008.
matmul_kernel matmul_tiled;

/// The same compiled for one kind of processor; `matmul_tiled` picks.
matmul_kernel matmul_tiled_generic;
#if defined(__x86_64__)
matmul_kernel matmul_tiled_avx2;
matmul_kernel matmul_tiled_avx512;
#endif

} // namespace regatta::race
