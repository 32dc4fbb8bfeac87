// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// A module that pool_processes.cpp loads.

#include "pool_module.hpp"

#include <atomic>

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

long fib(int n) {
    if (n < 2) {
        return n;
    }
    const auto [a, b] = regatta::join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
    return a + b;
}

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
long fork_in_module(regatta::thread_pool* pool, int n) {
    if (pool == nullptr) {
        return fib(n);
    }
    std::atomic<long> sum{0};
    constexpr int count = 20'000; // Of short iterations, which the forecast soon knows.
    for (int loop = 1; loop <= 50; ++loop) {
        regatta::parallel_for(*pool, 0, count, [&](int) { sum.fetch_add(1); });
        if (sum != loop * count) {
            return -1;
        }
    }
    const auto [a, b] = regatta::join(
        *pool, [n] { return fib(n - 1); }, [n] { return fib(n - 2); });
    return a + b;
}
