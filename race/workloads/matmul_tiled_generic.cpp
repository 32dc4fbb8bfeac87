// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// The blocked product for the processors that every build runs on.

#include "workloads/matmul_kernels.hpp"
#include "workloads/matmul_tiled.hpp"

namespace {

struct generic {
    typedef float vector __attribute__((vector_size(16)));
    static constexpr std::size_t tile_rows = 4;
};

} // namespace

namespace regatta::race {

void matmul_tiled_generic(std::size_t n, const matmul_block& block, const float* a, const float* b,
                          float* c) noexcept {
    tiled_product<generic>::run(n, block, a, b, c);
}

} // namespace regatta::race
