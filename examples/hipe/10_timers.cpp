// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// Timers that submit to a pond: once, again and again, and no more.

#include <regatta/compat/hipe.hpp>

using namespace hipe;
using std::chrono::milliseconds;

int main() {
    std::atomic<int> once{0};
    std::atomic<int> beats{0};
    std::promise<void> five_beats;
    SteadyThreadPond pond(2); // after what its tasks use
    HeapTimerScheduler<SteadyThreadPond> timers(&pond);

    timers.submit([&] { ++once; }); // before the start: due at the start
    timers.start();

    const std::size_t id = timers.submit(
        [&] {
            if (++beats == 5) {
                five_beats.set_value();
            }
        },
        milliseconds(1), milliseconds(1));
    five_beats.get_future().wait();

    const bool cancelled = timers.cancel(id, true);
    const bool again = timers.cancel(id, true); // there is no such timer any more
    pond.waitForTasks();
    const int after = beats;
    util::sleep_for_milli(5);

    timers(std::cout); // how long it has been running
    timers.stop();
    util::print(once.load(), " once, ", after, " beats");
    return once == 1 && cancelled && !again && after >= 5 && beats == after ? 0 : 1;
}
