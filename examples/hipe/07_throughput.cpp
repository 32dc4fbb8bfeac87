// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// A manager that watches how many tasks a dynamic pond takes, and adjusts its threads.

#include <regatta/compat/hipe.hpp>

using namespace hipe;

int main() {
    constexpr int tasks = 3000;
    constexpr int most_threads = 6;
    DynamicThreadPond pond(1);
    util::SyncStream out;
    std::atomic<bool> closed{false};
    int loaded = 0;

    std::thread manager([&] {
        while (!closed) {
            const int since = pond.resetTasksLoaded();
            loaded += since;
            if (pond.getTasksRemain() > 100 && pond.getExpectThreadNumb() < most_threads) {
                pond.addThreads(1);
            } else if (pond.getTasksRemain() == 0 && pond.getExpectThreadNumb() > 1) {
                pond.delThreads(1);
            }
            pond.joinDeadThreads();
            util::sleep_for_milli(1);
        }
    });

    std::atomic<int> done{0};
    for (int i = 0; i < tasks; ++i) {
        pond.submit([&] {
            util::sleep_for_micro(20);
            ++done;
        });
    }
    pond.waitForTasks();
    closed = true;
    manager.join();

    loaded += pond.getTasksLoaded();
    out.print(loaded, " tasks were taken, ", pond.getExpectThreadNumb(), " threads at the end");
    return loaded == tasks && done == tasks ? 0 : 1;
}
