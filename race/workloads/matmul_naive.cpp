// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "workloads/matmul_kernels.hpp"

namespace regatta::race {
namespace {

/// Kept apart from its loop: a compiler that saw both could exchange the loops, and the kernel
/// would no longer be the one that it is named for.
template<class T>
[[gnu::noinline]] T dot_with_column(std::size_t n, const T* row, const T* column) {
    T sum = 0;
    for (std::size_t k = 0; k < n; ++k) {
        sum += row[k] * column[k * n];
    }
    return sum;
}

template<class T>
void multiply(std::size_t n, const matmul_block& block, const T* a, const T* b, T* c) noexcept {
    for (std::size_t i = block.row; i < block.row + block.rows; ++i) {
        for (std::size_t j = block.column; j < block.column + block.columns; ++j) {
            c[i * n + j] = dot_with_column(n, a + i * n, b + j);
        }
    }
}

} // namespace

void matmul_naive(std::size_t n, const matmul_block& block, const float* a, const float* b,
                  float* c) noexcept {
    multiply(n, block, a, b, c);
}

void matmul_naive_double(std::size_t n, const matmul_block& block, const double* a, const double* b,
                         double* c) noexcept {
    multiply(n, block, a, b, c);
}

} // namespace regatta::race
