// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// The blocked product for processors with AVX2 and FMA.

#include "workloads/matmul_kernels.hpp"
#include "workloads/matmul_tiled.hpp"

namespace {

struct avx2 {
    typedef float vector __attribute__((vector_size(32)));
    static constexpr std::size_t tile_rows = 4;
};

} // namespace

namespace regatta::race {

void matmul_tiled_avx2(std::size_t n, const matmul_block& block, const float* a, const float* b,
                       float* c) noexcept {
    tiled_product<avx2>::run(n, block, a, b, c);
}

} // namespace regatta::race
