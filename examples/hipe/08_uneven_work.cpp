// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// One long task among many short ones: nobody waits behind it.

#include <regatta/compat/hipe.hpp>

using namespace hipe;

int main() {
    BalancedThreadPond pond(2);
    pond.enableStealTasks(1);

    std::atomic<int> shorts{0};
    std::atomic<int> seen_by_long{-1};
    constexpr int count = 200;

    const double milliseconds = util::timewait<std::milli>([&] {
        pond.submit([&] { // ends only when all the others have ended
            while (shorts != count) {
                std::this_thread::yield();
            }
            seen_by_long = shorts.load();
        });
        for (int i = 0; i < count; ++i) {
            pond.submit([&] { ++shorts; });
        }
        pond.waitForTasks();
    });
    pond.disableStealTasks();
    util::print(count, " short tasks and a long one took ", milliseconds, " ms");

    bool refused = false;
    try {
        pond.enableStealTasks(2); // a thread has one other
    } catch (const std::invalid_argument& e) {
        refused = true;
        util::print(e.what());
    }
    return seen_by_long == count && refused ? 0 : 1;
}
