// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// What the bus and the pool are made of, used alone: a ring between two threads, a gate to sleep
// at, a callable that can only be moved, a lock for a few instructions.

#include <regatta/base/inline_task.hpp>
#include <regatta/sync/adaptive_mutex.hpp>
#include <regatta/sync/event_count.hpp>
#include <regatta/sync/spsc_ring.hpp>

#include <atomic>
#include <cstdio>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

int main() {
    // Tasks with small closures stay inside the ring: nothing is allocated for them.
    using task = regatta::inline_task<void()>;
    regatta::spsc_ring<task> ring(64);
    regatta::event_count filled;
    std::atomic<bool> ended{false};

    std::jthread consumer([&] {
        for (;;) {
            if (ring.consume(64, [](task& t) { t(); }) != 0) {
                continue;
            }
            filled.wait([&] { return ring.ready() || ended.load(); });
            if (ended.load() && !ring.ready()) {
                return;
            }
        }
    });

    int sum = 0;
    regatta::adaptive_mutex lock;
    const auto submit = [&](task t) {
        while (!ring.try_emplace(std::move(t))) { // full: t is untouched
            std::this_thread::yield();
        }
        filled.notify_one();
    };
    for (int i = 1; i <= 1000; ++i) {
        submit([&, owned = std::make_unique<int>(i)] {
            const std::lock_guard guard(lock);
            sum += *owned;
        });
    }
    ended.store(true);
    filled.notify_all();
    consumer.join();
    std::printf("the sum is %d\n", sum);
    return sum == 500'500 ? 0 : 1;
}
