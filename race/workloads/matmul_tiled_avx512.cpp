// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// The blocked product for processors with AVX-512.

#include "workloads/matmul_kernels.hpp"
#include "workloads/matmul_tiled.hpp"

namespace {

struct avx512 {
    typedef float vector __attribute__((vector_size(64)));
    static constexpr std::size_t tile_rows = 8;
};

} // namespace

namespace regatta::race {

void matmul_tiled_avx512(std::size_t n, const matmul_block& block, const float* a, const float* b,
                         float* c) noexcept {
    tiled_product<avx512>::run(n, block, a, b, c);
}

} // namespace regatta::race
