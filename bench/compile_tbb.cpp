// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// examples/11_first_pool.cpp on oneTBB: what the bench compile holds that program against.

#include <oneapi/tbb/task_group.h>

#include <atomic>
#include <cstdio>

int main() {
    tbb::task_group group; // on a worker for each CPU
    std::atomic<int> sum{0};
    for (int i = 1; i <= 1000; ++i)
        group.run([&sum, i] { sum += i; });
    int answer = 0; // a task has no result
    group.run([&answer] { answer = [](int a, int b) { return a * b; }(6, 7); });
    group.wait(); // every task has run
    std::printf("the sum is %d, the product %d\n", sum.load(), answer);
    return sum == 500'500 && answer == 42 ? 0 : 1;
}
