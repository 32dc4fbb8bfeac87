// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The workload `matmul_tree`: a product of matrices by recursion.

#include "workloads/forked/forked_workload.hpp"
#include "workloads/splitmix.hpp"

namespace regatta::race {

/// C = A·B: the quarters of C are forked, down to blocks of 32 rows and columns.
class matmul_tree_kernel {
public:
    static constexpr std::string_view title = "matmul_tree";
    static constexpr std::string_view layout_text = "matmul_tree v1";
    static constexpr size_range sizes{32, 2048, 512};
    static constexpr bool recursive = true;

    static std::size_t bytes(std::size_t size) { return 3 * size * size * sizeof(double); }
    matmul_tree_kernel(std::byte* data, std::size_t size, std::uint64_t seed)
        : a_(reinterpret_cast<double*>(data))
        , b_(a_ + size * size)
        , c_(b_ + size * size)
        , size_(size)
        , seed_(seed) {}

    void fill() {
        for (std::size_t i = 0; i < 2 * size_ * size_; ++i) {
            // Small whole numbers: every sum is exact, in any order.
            a_[i] = static_cast<double>(splitmix(seed_, i) % 17) - 8;
        }
    }
    void reset() { std::fill_n(c_, size_ * size_, 0.0); }
    amount work() const {
        const auto n = static_cast<double>(size_);
        return {2 * n * n * n / 1e9, "GFLOP"};
    }
    verification verify() const;

    template<divides Fork>
    void run() {
        add_product<Fork>(*this, {0, 0, 0, size_, size_, size_});
    }

private:
    static constexpr std::size_t block = 32;

    /// C[row…][column…] += A[row…][inner…] · B[inner…][column…], with the number of each.
    struct part {
        std::size_t row;
        std::size_t column;
        std::size_t inner;
        std::size_t rows;
        std::size_t columns;
        std::size_t inners;
    };

    template<class Fork>
    static void add_product(const matmul_tree_kernel& all, const part& p) {
        if (p.rows <= block && p.columns <= block && p.inners <= block) {
            all.add_block(p);
            return;
        }
        const std::size_t rows = p.rows / 2;
        const std::size_t columns = p.columns / 2;
        const std::size_t inners = p.inners / 2;
        // Two sums go to the same quarter, so they are one after the other.
        for (const bool second : {false, true}) {
            Fork::each(4, [&, second](std::size_t quarter) {
                part q = p;
                q.rows = quarter / 2 == 0 ? rows : p.rows - rows;
                q.columns = quarter % 2 == 0 ? columns : p.columns - columns;
                q.inners = second ? p.inners - inners : inners;
                q.row += quarter / 2 == 0 ? 0 : rows;
                q.column += quarter % 2 == 0 ? 0 : columns;
                q.inner += second ? inners : 0;
                add_product<Fork>(all, q);
            });
        }
    }

    void add_block(const part& p) const;

    double* a_;
    double* b_;
    double* c_;
    std::size_t size_;
    std::uint64_t seed_;
};

} // namespace regatta::race
