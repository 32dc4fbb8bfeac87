// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "workloads/forked/kernels.hpp"

#include "workloads/splitmix.hpp"

#include <vector>

namespace regatta::race {

void matmul_tree_kernel::add_block(const part& p) const {
    for (std::size_t i = p.row; i < p.row + p.rows; ++i) {
        double* const to = c_ + i * size_ + p.column;
        for (std::size_t k = p.inner; k < p.inner + p.inners; ++k) {
            const double factor = a_[i * size_ + k];
            const double* const from = b_ + k * size_ + p.column;
            for (std::size_t j = 0; j < p.columns; ++j) {
                to[j] += factor * from[j];
            }
        }
    }
}

// C·v = A·(B·v) for a vector v of small whole numbers, none of them 0: that would hide a column.
// Source: R. Freivalds, "Fast probabilistic algorithms", 1979.
verification matmul_tree_kernel::verify() const {
    const std::size_t n = size_;
    std::vector<double> v(n);
    for (std::size_t i = 0; i < n; ++i) {
        v[i] = static_cast<double>(splitmix(seed_ + 1, i) % 32 + 1);
    }
    const auto times = [n](const double* matrix, const std::vector<double>& vector) {
        std::vector<double> product(n);
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t k = 0; k < n; ++k) {
                product[i] += matrix[i * n + k] * vector[k];
            }
        }
        return product;
    };
    const std::vector<double> expected = times(a_, times(b_, v));
    const std::vector<double> got = times(c_, v);
    for (std::size_t i = 0; i < n; ++i) {
        if (got[i] != expected[i]) {
            return {false, "row " + std::to_string(i) + " of the product is wrong"};
        }
    }
    return {true, {}};
}

void tree_sum_kernel::build(std::size_t first, std::size_t count) {
    node& one = nodes_[first];
    const std::size_t left = count < 2 ? 0 : splitmix(seed_, first) % count;
    const std::size_t right = count - 1 - left;
    one = {static_cast<double>(first), left == 0 ? 0U : 1U,
           right == 0 ? 0U : static_cast<std::uint32_t>(left + 1)};
    if (left != 0) {
        build(first + 1, left);
    }
    if (right != 0) {
        build(first + 1 + left, right);
    }
}

void sort_kernel::fill() {
    for (std::size_t i = 0; i < size_; ++i) {
        input_[i] = static_cast<std::uint32_t>(splitmix(seed_, i));
    }
}

// In order, and the same numbers: of a set and its permutation the sums of the mixed numbers agree.
verification sort_kernel::verify() const {
    std::uint64_t before = 0;
    std::uint64_t after = 0;
    for (std::size_t i = 0; i < size_; ++i) {
        before += splitmix(0, input_[i]);
        after += splitmix(0, output_[i]);
        if (i != 0 && output_[i] < output_[i - 1]) {
            return {false, "element " + std::to_string(i) + " is less than the one before it"};
        }
    }
    return {before == after, before == after ? "" : "an element is lost or doubled"};
}

std::uint16_t mandelbrot_kernel::steps(std::size_t row, std::size_t column,
                                       std::size_t size) noexcept {
    constexpr std::uint16_t most = 500;
    const auto scale = 3 / static_cast<double>(size);
    const double x = static_cast<double>(column) * scale - 2.2;
    const double y = static_cast<double>(row) * scale - 1.5;
    double a = 0;
    double b = 0;
    std::uint16_t taken = 1;
    for (; taken < most && a * a + b * b <= 4; ++taken) {
        const double next = a * a - b * b + x;
        b = 2 * a * b + y;
        a = next;
    }
    return taken;
}

void mandelbrot_kernel::fill() {
    for (std::size_t row = 0; row < size_; ++row) {
        for (std::size_t column = 0; column < size_; ++column) {
            expected_[row * size_ + column] = steps(row, column, size_);
        }
    }
}

verification mandelbrot_kernel::verify() const {
    for (std::size_t i = 0; i < size_ * size_; ++i) {
        if (pixels_[i] != expected_[i]) {
            return {false, "pixel " + std::to_string(i) + " is " + std::to_string(pixels_[i]) +
                               ", expected " + std::to_string(expected_[i])};
        }
    }
    return {true, {}};
}

void triad_kernel::fill() {
    for (std::size_t i = 0; i < elements(size_); ++i) {
        b_[i] = static_cast<double>(i);
        c_[i] = static_cast<double>(i % 7);
    }
}

verification triad_kernel::verify() const {
    for (std::size_t i = 0; i < elements(size_); ++i) {
        const double expected = static_cast<double>(i) + 3 * static_cast<double>(i % 7);
        if (a_[i] != expected) {
            return same("element " + std::to_string(i), a_[i], expected);
        }
    }
    return {true, {}};
}

workload_info fib_workload() {
    return forked_workload<fib_kernel>::info(
        {.name = "fib",
         .summary = "a recursion that does nothing but fork: all of the time is the scheme's",
         .options = "--size 5..45 (30)",
         .small_size = 15});
}

workload_info skynet_workload() {
    return forked_workload<skynet_kernel>::info(
        {.name = "skynet",
         .summary = "a tree of ten forks a node, down to single numbers",
         .options = "--size 1..8 (6)",
         .small_size = 3});
}

workload_info nqueens_workload() {
    return forked_workload<nqueens_kernel>::info(
        {.name = "nqueens",
         .summary = "a search tree that is uneven, a fork a branch",
         .options = "--size 4..15 (11)",
         .small_size = 6});
}

workload_info matmul_tree_workload() {
    return forked_workload<matmul_tree_kernel>::info(
        {.name = "matmul_tree",
         .summary = "a product of matrices by recursion, whatever the caches",
         .options = "--size 32..2048 (512), --seed",
         .small_size = 100});
}

workload_info tree_sum_workload() {
    return forked_workload<tree_sum_kernel>::info(
        {.name = "tree_sum",
         .summary = "sums up a binary tree of random shape, a fork a node",
         .options = "--size 100..100000000 (2000000), --seed",
         .small_size = 1000});
}

workload_info reduce_workload() {
    return forked_workload<reduce_kernel>::info({.name = "reduce",
                                                 .summary = "sums up an array of doubles",
                                                 .options = "--size 100..1000000000 (10000000)",
                                                 .small_size = 5000});
}

workload_info sort_workload() {
    return forked_workload<sort_kernel>::info(
        {.name = "sort",
         .summary = "sorts an array of random 32-bit numbers",
         .options = "--size 100..1000000000 (5000000), --seed",
         .small_size = 5000});
}

workload_info mandelbrot_workload() {
    return forked_workload<mandelbrot_kernel>::info(
        {.name = "mandelbrot",
         .summary = "a picture whose pixels cost 1 to 500 steps: a loop in two dimensions, or "
                    "items of a row",
         .options = "--size 16..8192 (400)",
         .small_size = 65});
}

workload_info triad_workload() {
    return forked_workload<triad_kernel>::info(
        {.name = "triad",
         .summary = "loops of that length over a million elements: from which on is dividing one "
                    "worth it?",
         .options = "--size 100..10000000 (10000)",
         .small_size = 1000});
}

} // namespace regatta::race
