// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// A module that pool_processes.cpp loads.

#include "pool_module.hpp"

namespace {

int* ended = nullptr;

struct pool_and_end {
    regatta::steady_pool pool{{.threads = 1, .name = "module"}};
    ~pool_and_end() {
        pool.close();
        if (ended != nullptr) {
            ++*ended;
        }
    }
};

} // namespace

regatta::thread_pool* pool_of_module() {
    static pool_and_end own;
    return &own.pool;
}
void tell_end_of_pool(int* count) {
    ended = count;
}
int nest_in_module(regatta::thread_pool& pool, int outer) {
    int sum = 0;
    for (int i = 0; i < outer; ++i) {
        sum += pool.submit([&pool] { return pool.submit([] { return 1; }).get(); }).get();
    }
    return sum;
}
