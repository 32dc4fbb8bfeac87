// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// Which task comes first, how to call tasks off, and two ways to end a pool.

#include <regatta/pool/balanced_pool.hpp>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <latch>
#include <stop_token>
#include <string>
#include <vector>

using regatta::priority;

bool first_things_first() {
    std::string order; // one worker: no lock
    regatta::balanced_pool pool{{.threads = 1}};
    pool.pause(); // begins no task until resume; tasks are still taken
    pool.execute(priority::low, [&] { order += 'l'; });
    pool.execute([&] { order += 'm'; }); // medium
    pool.execute(priority::high, [&] { order += 'h'; });
    pool.resume();
    pool.wait();
    return order == "hml";
}

bool nobody_starves() {
    std::vector<priority> order;
    regatta::balanced_pool pool{{.threads = 1}};
    pool.pause();
    for (int i = 0; i < 1000; ++i) {
        pool.execute(priority::high, [&] { order.push_back(priority::high); });
    }
    pool.execute(priority::low, [&] { order.push_back(priority::low); });
    pool.resume();
    pool.wait();
    const auto at = std::find(order.begin(), order.end(), priority::low) - order.begin();
    std::printf("the task of low priority was number %d of 1001\n", static_cast<int>(at) + 1);
    return at < 32;
}

bool called_off() {
    std::stop_source stopping;
    std::latch begun(1);
    std::atomic<int> begun_late{0};
    regatta::balanced_pool pool{{.threads = 1}};

    // A task that takes a stop token first is given that of its options.
    auto endless = pool.submit(stopping.get_token(), [&](std::stop_token stop) {
        begun.count_down();
        long rounds = 0;
        while (!stop.stop_requested()) {
            ++rounds;
        }
        return rounds;
    });
    begun.wait();
    // What is called off before its turn does not run at all.
    for (int i = 0; i < 10; ++i) {
        pool.execute({priority::high, stopping.get_token()}, [&] { ++begun_late; });
    }
    stopping.request_stop();
    endless.get();
    pool.wait();
    return begun_late == 0 && pool.stats().run == 1 && pool.stats().cancelled == 10;
}

bool the_end() {
    std::atomic<int> done{0};
    regatta::balanced_pool drained{{.threads = 1}};
    for (int i = 0; i < 100; ++i) {
        drained.execute([&] { ++done; });
    }
    drained.close(); // runs all that it took; the destructor does the same
    const bool all = done == 100 && !drained.try_execute([] {});

    std::latch begun(1);
    regatta::balanced_pool hurried{{.threads = 1}};
    hurried.execute([&] {
        begun.count_down();
        while (!hurried.closed()) {
        }
        ++done; // it had begun: it ends in its own time
    });
    begun.wait();
    auto queued = hurried.submit([&] { ++done; });
    hurried.stop(regatta::stop_mode::discard); // what had not begun is destroyed
    bool told = false;
    try {
        queued.get();
    } catch (const regatta::task_cancelled&) {
        told = true;
    }
    return all && told && done == 101;
}

int main() {
    const bool right = first_things_first() && nobody_starves() && called_off() && the_end();
    std::printf("%s\n", right ? "all as expected" : "not as expected");
    return right ? 0 : 1;
}
