// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "workloads/matmul_kernels.hpp"

namespace regatta::race {
namespace {

matmul_kernel* best_for_this_processor() noexcept {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) {
        return matmul_tiled_avx512;
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        return matmul_tiled_avx2;
    }
#endif
    return matmul_tiled_generic;
}

} // namespace

void matmul_tiled(std::size_t n, const matmul_block& block, const float* a, const float* b,
                  float* c) noexcept {
    static matmul_kernel* const best = best_for_this_processor();
    best(n, block, a, b, c);
}

} // namespace regatta::race
