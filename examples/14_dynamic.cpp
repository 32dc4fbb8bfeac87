// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// A pool whose threads come and go, and the meter that says whether they are worth it.

#include <regatta/pool/dynamic_pool.hpp>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <latch>

using namespace std::chrono_literals;

int main() {
    std::atomic<int> done{0};
    std::latch together(2);
    std::latch crowd(4);
    regatta::dynamic_pool pool{{.threads = 1, .name = "elastic"}}; // after what its tasks use

    // Two tasks that wait for each other need two threads: those first, or an error here would
    // leave a task that waits for good.
    pool.add_threads(1);
    pool.execute([&] { together.arrive_and_wait(); });
    pool.execute([&] { together.arrive_and_wait(); });
    pool.wait();

    pool.resize(4);
    const unsigned four = pool.running_threads();
    pool.remove_threads(3); // each leaves after the task that it runs
    const unsigned expected = pool.expected_threads();
    pool.wait_for_threads(); // until they have left; nobody has to join them
    const unsigned one = pool.running_threads();

    const auto before = pool.reset_tasks_taken();
    for (int i = 0; i < 10'000; ++i) {
        pool.execute([&] { ++done; });
    }
    pool.wait();
    const double rate = pool.tasks_per_second();
    const auto taken = pool.reset_tasks_taken();
    std::printf("%llu tasks, %.0f a second\n", static_cast<unsigned long long>(taken), rate);

    // By itself: more threads while tasks wait too long, fewer when they have nothing to do.
    pool.autoscale({.min = 1, .max = 4, .target_delay = 5ms});
    for (int i = 0; i < 4; ++i) { // tasks that need four threads
        pool.execute([&] { crowd.arrive_and_wait(); });
    }
    pool.wait();
    const unsigned scaled = pool.expected_threads();
    pool.stop_autoscale();

    // Without threads tasks wait; those that the pool took are run when it ends, all the same.
    pool.resize(0);
    pool.wait_for_threads();
    pool.execute([&] { ++done; });
    const bool waits = pool.queued() == 1 && pool.running_threads() == 0;
    pool.close();

    const bool right = four == 4 && expected == 1 && one == 1 && before == 2 && taken == 10'000 &&
                       rate > 0 && scaled >= 1 && scaled <= 4 && waits && done == 10'001;
    return right ? 0 : 1;
}
