// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#include "regatta.hpp"

#include <cstdio>
#include <future>

int timer_runs_in_second_file();

struct message {
    int value;
};

// A use of each part, so that its templates are compiled.
int main() {
    regatta::steady_pool pool(2);
    std::future<int> product(pool.submit([](int a, int b) { return a * b; }, 6, 7));
    const int pooled = product.get();
    const int continued = pool.submit([] { return 42; }).then([](int n) { return n + 1; }).get();

    regatta::async_bus<message> bus{{.capacity = 4}};
    int received = 0;
    const auto subscription =
        bus.subscribe<message>([&](const message& m) { received += m.value; });
    bus.publish(message{1});
    bus.process_batch();
    bus.unsubscribe(subscription);

    regatta::worker_pool<message> workers{{.threads = 1}};
    std::promise<int> handled;
    workers.on<message>([&](const message& m) { handled.set_value(m.value); });
    workers.start();
    workers.submit(message{2});
    workers.drain();

    std::printf("pool %d, future %d, bus %d, worker_pool %d, timer %d\n", pooled, continued,
                received, handled.get_future().get(), timer_runs_in_second_file());
}
