// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#include <regatta/base/config.hpp>
#include <regatta/message/worker_pool.hpp>
#include <regatta/pool.hpp>

#include <atomic>
#include <cstdio>

#if REGATTA_POOLS_DEFINITIONS
#error "regatta::pools does not say that it is linked"
#endif

int twice_in(regatta::steady_pool& pool, int number); // Of a file compiled without the library.

int main() {
    std::atomic<int> sum{0};
    {
        regatta::steady_pool steady(2);
        regatta::balanced_pool balanced({.threads = 1, .capacity = 4});
        regatta::dynamic_pool dynamic(1);
        dynamic.autoscale();
        for (int i = 0; i < 100; ++i) {
            for (regatta::thread_pool* const pool :
                 {static_cast<regatta::thread_pool*>(&steady),
                  static_cast<regatta::thread_pool*>(&balanced),
                  static_cast<regatta::thread_pool*>(&dynamic)}) {
                pool->execute([&sum] { ++sum; });
            }
        }
        sum += twice_in(
            steady, steady.submit([&] { return balanced.submit([] { return 10; }).get(); }).get());
        steady.wait();
    }
    regatta::worker_pool<int> messages;
    messages.on<int>([&sum](int& n) { sum += n; });
    messages.start();
    messages.submit(80);
    messages.drain();
    std::printf("%d\n", sum.load());
}
