// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#include <regatta/fork/join.hpp>
#include <regatta/message/worker_pool.hpp>

#include <atomic>
#include <cstdio>

// Hides its names, and has no definition of what the library compiles: both must mean the same
// variables, also those that belong to a thread.
int main() {
    std::atomic<int> sum{0};
    regatta::worker_pool<int> messages;
    messages.on<int>([&sum](int& n) { regatta::join([&] { sum += n; }, [&] { sum += n; }); });
    messages.start();
    for (int i = 0; i < 100; ++i) {
        messages.submit(1);
    }
    messages.drain();
    std::printf("%d\n", sum.load());
}
