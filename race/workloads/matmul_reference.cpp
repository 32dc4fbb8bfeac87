// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "workloads/matmul_reference.hpp"

#include "machine/blas.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace regatta::race {
namespace {

void multiply_plainly(std::size_t rows, std::size_t n, const double* a, const double* b,
                      double* c) noexcept {
    std::fill(c, c + rows * n, 0.0);
    for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t k = 0; k < n; ++k) {
            const double factor = a[i * n + k];
            for (std::size_t j = 0; j < n; ++j) {
                c[i * n + j] += factor * b[k * n + j];
            }
        }
    }
}

} // namespace

matmul_reference::matmul_reference(std::size_t n)
    : n_(n)
    , product_(n * n)
    , row_bounds_(n, 0.0)
    , column_norms_(n, 0.0) {}

matmul_reference::matmul_reference(std::size_t n, const float* a, const float* b, method how)
    : matmul_reference(n) {
    compute(a, b, how);
}

matmul_reference::matmul_reference(std::size_t n, const double* a, const double* b, method how)
    : matmul_reference(n) {
    compute(a, b, how);
}

template<class T>
void matmul_reference::compute(const T* a, const T* b, method how) {
    constexpr bool wide = sizeof(T) == sizeof(double);
    const std::size_t n = n_;
    const double steps = static_cast<double>(n) * (wide ? 0x1p-53 : 0x1p-24);
    const double gamma = (wide ? 2 : 1) * steps / (1.0 - steps);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            const double x = double{a[i * n + j]};
            const double y = double{b[i * n + j]};
            row_bounds_[i] += x * x;
            column_norms_[j] += y * y;
        }
    }
    // One part in a million more covers the rounding of the reference and of these sums.
    constexpr double margin = 1.0 + 1e-6;
    for (std::size_t i = 0; i < n; ++i) {
        row_bounds_[i] = gamma * margin * std::sqrt(row_bounds_[i]);
        column_norms_[i] = std::sqrt(column_norms_[i]);
    }

    // A in slices: what is needed besides the result is one double matrix and not two.
    constexpr std::size_t slice = 64;
    const std::vector<double> wide_b(b, b + n * n);
    std::vector<double> wide_a(slice * n);
    const blas* library = how == method::plain ? nullptr : blas::find();
    for (std::size_t first = 0; first < n; first += slice) {
        const std::size_t rows = std::min(slice, n - first);
        std::copy(a + first * n, a + (first + rows) * n, wide_a.begin());
        double* out = product_.data() + first * n;
        if (library != nullptr) {
            library->dgemm(rows, n, n, wide_a.data(), wide_b.data(), out);
        } else {
            multiply_plainly(rows, n, wide_a.data(), wide_b.data(), out);
        }
    }
}

verification matmul_reference::compare(const float* c) const {
    return compare_all(c);
}

verification matmul_reference::compare(const double* c) const {
    return compare_all(c);
}

template<class T>
verification matmul_reference::compare_all(const T* c) const {
    std::size_t wrong = 0;
    std::size_t first = 0;
    for (std::size_t i = 0; i < n_; ++i) {
        for (std::size_t j = 0; j < n_; ++j) {
            const std::size_t at = i * n_ + j;
            const bool right = std::abs(double{c[at]} - product_[at]) <= tolerance(i, j);
            if (!right && wrong++ == 0) {
                first = at;
            }
        }
    }
    if (wrong == 0) {
        return {true, ""};
    }
    const std::size_t i = first / n_;
    const std::size_t j = first % n_;
    char text[200];
    std::snprintf(text, sizeof text,
                  "C[%zu][%zu] is %.9g, expected %.9g ± %.2g; %zu of %zu elements are wrong", i, j,
                  double{c[first]}, product_[first], tolerance(i, j), wrong, n_ * n_);
    return {false, text};
}

} // namespace regatta::race
