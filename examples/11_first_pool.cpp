// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include <regatta/pool/steady_pool.hpp>

#include <atomic>
#include <cstdio>

int main() {
    regatta::steady_pool pool; // a worker for each CPU that this program may use
    std::atomic<int> sum{0};
    for (int i = 1; i <= 1000; ++i)
        pool.execute([&sum, i] { sum += i; });
    auto product = pool.submit([](int a, int b) { return a * b; }, 6, 7);
    pool.wait(); // every task has run
    const int answer = product.get();
    std::printf("the sum is %d, the product %d\n", sum.load(), answer);
    return sum == 500'500 && answer == 42 ? 0 : 1;
}
