// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "workloads/matmul.hpp"
#include "workloads/workload.hpp"

namespace regatta::race {

const std::vector<workload_info>& workloads() {
    static const std::vector<workload_info> all = {
        {.name = "matmul",
         .summary = "C = A·B, square matrices of float; an item is one row or a few",
         .options = "--size 64..2048 (512), --kernel naive|tiled|blas (naive), --seed",
         .make = make_matmul,
         .attach = attach_matmul},
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
