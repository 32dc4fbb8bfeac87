// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "workloads/counted.hpp"
#include "workloads/inverse.hpp"
#include "workloads/matmul.hpp"
#include "workloads/primes.hpp"
#include "workloads/stream.hpp"
#include "workloads/transcend.hpp"
#include "workloads/uneven.hpp"
#include "workloads/workload.hpp"

namespace regatta::race {

const std::vector<workload_info>& workloads() {
    static const std::vector<workload_info> all = {
        {.name = "matmul",
         .summary = "C = A·B, square matrices of float; an item is one row or a few",
         .options = "--size 64..2048 (512), --kernel naive|tiled|blas (naive), --seed",
         .usual_size = matmul_sizes.usual,
         .make = make_matmul,
         .attach = attach_matmul},
        {.name = "primes",
         .summary = "an item counts the primes up to a number by trial division, as sysbench does",
         .options = "--size 1..1000000 (1000), --max-prime 1000..10000000 (10000)",
         .usual_size = primes_sizes.usual,
         .usual_max_prime = primes_bounds.usual,
         .make = make_primes,
         .attach = attach_primes},
        {.name = "inverse",
         .summary = "few long items, each inverts M·Mᵀ with LAPACK as numpy does",
         .options = "--size 64..2048 (1000), --seed",
         .usual_size = inverse_sizes.usual,
         .make = make_inverse,
         .attach = attach_inverse},
        {.name = "stream",
         .summary = "a[i] = b[i] + s·c[i] over long arrays: all of the time is the memory's",
         .options = "--size 1..16384 (256)",
         .usual_size = stream_sizes.usual,
         .make = make_stream,
         .attach = attach_stream},
        {.name = "empty",
         .summary = "items that do nothing: all of the time is the scheme's",
         .options = "--size 100..100000000 (100000)",
         .usual_size = empty_sizes.usual,
         .make = make_empty,
         .attach = attach_empty},
        {.name = "transcend",
         .summary = "few long items that only compute: 2048 × 4096 × log(sqrt(exp(sin i + cos j)))",
         .options = "--size 4..64 (4)",
         .usual_size = transcend_sizes.usual,
         .make = make_transcend,
         .attach = attach_transcend},
        {.name = "allocate",
         .summary = "each item fills a fresh vector of 100 ints",
         .options = "--size 100..10000000 (100000)",
         .usual_size = allocate_sizes.usual,
         .make = make_allocate,
         .attach = attach_allocate},
        {.name = "uneven",
         .summary = "items of very different length, most short and a few long",
         .options = "--size 100..1000000 (10000), --seed",
         .usual_size = uneven_sizes.usual,
         .make = make_uneven,
         .attach = attach_uneven},
        {.name = "within",
         .summary = "one item hands over all others, which do nothing",
         .options = "--size 100..1000000 (100000)",
         .usual_size = within_sizes.usual,
         .make = make_within,
         .attach = attach_within},
    };
    return all;
}

const workload_info* find_workload(std::string_view name) {
    for (const workload_info& info : workloads()) {
        if (info.name == name) {
            return &info;
        }
    }
    return nullptr;
}

} // namespace regatta::race
