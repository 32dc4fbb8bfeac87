// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The workload `nqueens`: a search whose branches have very different lengths.

#include "workloads/forked/forked_workload.hpp"

namespace regatta::race {

/// Counts the ways to place n queens on a board so that none attacks another. Each square that is
/// left in a row is a fork.
class nqueens_kernel {
public:
    static constexpr std::string_view title = "nqueens";
    static constexpr std::string_view layout_text = "nqueens v1";
    static constexpr size_range sizes{4, 15, 11};
    static constexpr bool recursive = true;

    static std::size_t bytes(std::size_t) { return sizeof(std::uint64_t); }
    nqueens_kernel(std::byte* data, std::size_t size, std::uint64_t)
        : result_(reinterpret_cast<std::uint64_t*>(data))
        , size_(static_cast<unsigned>(size)) {}

    void fill() {}
    void reset() { *result_ = 0; }
    verification verify() const {
        // Source: The On-Line Encyclopedia of Integer Sequences, A000170.
        constexpr double known[] = {2,   10,   4,     40,    92,     352,
                                    724, 2680, 14200, 73712, 365596, 2279184};
        return same("the number of solutions", static_cast<double>(*result_), known[size_ - 4]);
    }
    amount work() const { return {1, "searches"}; }

    template<divides Fork>
    void run() {
        *result_ = place<Fork>((1U << size_) - 1, 0, 0, 0);
    }

private:
    /// @param all one bit for each column.
    /// @param columns, left, right the squares of the next row that are attacked, by direction.
    template<class Fork>
    static std::uint64_t place(unsigned all, unsigned columns, unsigned left, unsigned right) {
        if (columns == all) {
            return 1;
        }
        unsigned squares[sizes.max];
        std::uint64_t counts[sizes.max];
        std::size_t count = 0;
        for (unsigned free = all & ~(columns | left | right); free != 0; free &= free - 1) {
            squares[count++] = free & (~free + 1);
        }
        Fork::each(count, [&squares, &counts, all, columns, left, right](std::size_t i) {
            const unsigned square = squares[i];
            counts[i] =
                place<Fork>(all, columns | square, (left | square) << 1, (right | square) >> 1);
        });
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i < count; ++i) {
            sum += counts[i];
        }
        return sum;
    }

    std::uint64_t* result_;
    unsigned size_;
};

} // namespace regatta::race
