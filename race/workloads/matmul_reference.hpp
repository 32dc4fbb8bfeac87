// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The product of two matrices in double precision, and how far a right result may be from it.

#include "workloads/workload.hpp"

#include <cstddef>
#include <vector>

namespace regatta::race {

/// The reference of one pair of row-major n × n matrices.
///
/// An element of C passes if |c − r| ≤ γ·‖A's row‖₂·‖B's column‖₂ with γ = n·u / (1 − n·u) and
/// u = 2⁻²⁴; of doubles u = 2⁻⁵³, and twice γ, since the reference is as far off. This holds for
/// every order of summation, with and without fused multiplication and addition (Higham, "Accuracy
/// and Stability of Numerical Algorithms", 2nd edition, §3.5; the norms bound (|A|·|B|)ᵢⱼ from
/// above by Cauchy and Schwarz). A NaN never passes.
class matmul_reference {
public:
    enum class method { fastest, plain };

    /// Computes it: with dgemm of OpenBLAS where that is installed, otherwise, or if asked for,
    /// with plain loops.
    matmul_reference(std::size_t n, const float* a, const float* b, method how = method::fastest);
    matmul_reference(std::size_t n, const double* a, const double* b, method how = method::fastest);

    /// Compares every element; the message names the first wrong one and how many are wrong.
    verification compare(const float* c) const;
    verification compare(const double* c) const;

    /// The value that element (i, j) should have, and the greatest distance that passes.
    double expected(std::size_t i, std::size_t j) const noexcept { return product_[i * n_ + j]; }
    double tolerance(std::size_t i, std::size_t j) const noexcept {
        return row_bounds_[i] * column_norms_[j];
    }

private:
    explicit matmul_reference(std::size_t n);
    template<class T>
    void compute(const T* a, const T* b, method how);
    template<class T>
    verification compare_all(const T* c) const;

    std::size_t n_;
    std::vector<double> product_;
    std::vector<double> row_bounds_; ///< γ times the norms of A's rows.
    std::vector<double> column_norms_;
};

} // namespace regatta::race
