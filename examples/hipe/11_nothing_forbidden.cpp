// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// What Hipe's manual warns of: waiting for a pond in one of its tasks, one pond used by several
// threads, tasks in a std::ref.

#include <regatta/compat/hipe.hpp>

using namespace hipe;

int main() {
    std::atomic<int> calls{0};

    SteadyThreadPond small(1);
    std::atomic<int> seen{-1};
    small.submit([&] {
        for (int i = 0; i < 10; ++i) {
            small.submit([&] { ++calls; });
        }
        small.waitForTasks(); // on the only thread: it runs them itself
        seen = calls.load();
    });
    small.waitForTasks();

    BalancedThreadPond shared(2, 100000);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&] {
            for (int i = 0; i < 1000; ++i) {
                shared.submit([&] { ++calls; });
            }
            shared.waitForTasks();
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }

    auto counter = [&calls, own = 0]() mutable { calls += ++own; };
    DynamicThreadPond dynamic(1);
    dynamic.submit(std::ref(counter)); // the counter itself, not a copy
    dynamic.submit(std::ref(counter));
    dynamic.waitForTasks();
    util::print(calls.load(), " calls");
    return seen == 10 && calls == 10 + 4000 + 1 + 2 ? 0 : 1;
}
