// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// The bus and the pool in a program without exceptions and without run-time type information:
// built with -fno-exceptions -fno-rtti. What throws elsewhere prints its text and aborts here; a
// refused message is a return value in both.

#include <regatta/base/config.hpp>
#include <regatta/bus/async_bus.hpp>
#include <regatta/message/worker_pool.hpp>

#include <cstdio>

static_assert(!REGATTA_EXCEPTIONS && !REGATTA_RTTI, "build it with -fno-exceptions -fno-rtti");

struct sample {
    int value;
};
struct result {
    int value;
};

int main() {
    // Room for all results: nobody takes one before the pool is closed. A handler waits for room.
    regatta::async_bus<result> bus{{.capacity = 1024}};
    regatta::worker_pool<sample> pool{{.threads = 2}};
    pool.on<sample>([&](sample& s) {
        // A handler of one object may use another one.
        bus.publish(result{2 * s.value});
    });
    pool.start();
    for (int i = 1; i <= 100; ++i) {
        if (!pool.try_submit(sample{i})) {
            std::printf("no room for %d\n", i);
            return 1;
        }
    }
    pool.close();

    int sum = 0;
    const auto add = [&](const result& r) { sum += r.value; };
    while (bus.process_with(add) != 0) {
    }
    std::printf("the sum is %d\n", sum);
    return sum == 10'100 ? 0 : 1;
}
