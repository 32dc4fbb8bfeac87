// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#include <regatta/fork/blocking.hpp>
#include <regatta/fork/join.hpp>
#include <regatta/fork/parallel_for.hpp>
#include <regatta/message/worker_pool.hpp>
#include <regatta/pool/balanced_pool.hpp>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>

// Whether an iteration learns by `poll` that another one has thrown.
bool throw_ends_the_others() {
    regatta::balanced_pool pool(2);
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    std::atomic<bool> begun{false};
    std::atomic<bool> told{false};
    try {
        regatta::parallel_for(pool, 0, 2, [&](int i) {
            if (i == 0) {
                regatta::blocking([&] {
                    while (!begun && std::chrono::steady_clock::now() < deadline) {
                        std::this_thread::yield();
                    }
                });
                throw 1;
            }
            begun = true;
            while (!told && std::chrono::steady_clock::now() < deadline) {
                told = !regatta::poll();
            }
        });
    } catch (int) {
    }
    return told;
}

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
    std::printf("%d %s\n", sum.load(), throw_ends_the_others() ? "ended" : "went on");
}
