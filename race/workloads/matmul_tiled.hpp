// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The blocked product as a template on the width of a vector. Included by one file per kind of
/// processor, each compiled for that processor: everything here has internal linkage, so that no
/// other file can end up calling code that its processor does not have.

#include "workloads/matmul_kernels.hpp"

#include <cstddef>

namespace {

/// `Processor::vector` is a vector of float; `Processor::tile_rows` × 2 vectors of C stay in
/// registers.
template<class Processor>
struct tiled_product {
    using vector = typename Processor::vector;

    static constexpr std::size_t tile_rows = Processor::tile_rows;
    static constexpr std::size_t lanes = sizeof(vector) / sizeof(float);
    static constexpr std::size_t tile_columns = 2 * lanes;
    static constexpr std::size_t depth = 256; ///< Rows of B in one panel: 32 KiB at most.

    /// Adds the product of `tile_rows` rows of A with a panel of B to a tile of C.
    ///
    /// The tile may reach over the edge of C: only height × width of it are read and written, and
    /// rows of A beyond the height repeat the last.
    static void tile(std::size_t n, std::size_t steps, const float* a, std::size_t height,
                     const float* panel, float* c, std::size_t width, bool add) {
        const float* row[tile_rows];
        for (std::size_t i = 0; i < tile_rows; ++i) {
            row[i] = a + (i < height ? i : height - 1) * n;
        }
        vector sum[tile_rows][2] = {};
        for (std::size_t k = 0; k < steps; ++k) {
            const vector b0 = load(panel + k * tile_columns);
            const vector b1 = load(panel + k * tile_columns + lanes);
#pragma GCC unroll 8
            for (std::size_t i = 0; i < tile_rows; ++i) {
                const float factor = row[i][k];
                sum[i][0] += factor * b0;
                sum[i][1] += factor * b1;
            }
        }
        for (std::size_t i = 0; i < tile_rows && i < height; ++i) {
            float* out = c + i * n;
            float values[tile_columns];
            __builtin_memcpy(values, &sum[i], sizeof values);
            for (std::size_t j = 0; j < width; ++j) {
                out[j] = add ? out[j] + values[j] : values[j];
            }
        }
    }

    static void run(std::size_t n, const regatta::race::matmul_block& block, const float* a,
                    const float* b, float* c) {
        alignas(sizeof(vector)) float panel[depth * tile_columns];
        const std::size_t last_row = block.row + block.rows;
        const std::size_t last_column = block.column + block.columns;
        for (std::size_t from = 0; from < n; from += depth) {
            const std::size_t steps = lesser(n - from, depth);
            for (std::size_t column = block.column; column < last_column; column += tile_columns) {
                const std::size_t width = lesser(last_column - column, tile_columns);
                for (std::size_t k = 0; k < steps; ++k) {
                    copy(panel + k * tile_columns, b + (from + k) * n + column, width);
                }
                for (std::size_t row = block.row; row < last_row; row += tile_rows) {
                    tile(n, steps, a + row * n + from, lesser(last_row - row, tile_rows), panel,
                         c + row * n + column, width, from != 0);
                }
            }
        }
    }

private:
    static std::size_t lesser(std::size_t one, std::size_t other) {
        return other < one ? other : one;
    }

    static vector load(const float* from) {
        vector value;
        __builtin_memcpy(&value, from, sizeof value);
        return value;
    }

    /// One row of a panel; what lies beyond the edge of B becomes zero.
    static void copy(float* to, const float* from, std::size_t width) {
        if (width == tile_columns) {
            __builtin_memcpy(to, from, tile_columns * sizeof(float));
            return;
        }
        for (std::size_t j = 0; j < tile_columns; ++j) {
            to[j] = j < width ? from[j] : 0.0F;
        }
    }
};

} // namespace
