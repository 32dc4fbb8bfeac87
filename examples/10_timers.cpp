// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// Callbacks at their time: a time limit that is called off, a heartbeat that ends itself, a control
// loop that counts what it has missed, and periodic work on a pool. Whole lines from all of them.

#include <regatta/base/sync_stream.hpp>
#include <regatta/pool/steady_pool.hpp>
#include <regatta/time/stopwatch.hpp>
#include <regatta/time/timer_scheduler.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <latch>
#include <memory>

using namespace std::chrono_literals;

regatta::sync_stream out; // to std::cout; each line in one piece

bool on_the_timer_thread() {
    std::latch ended(1);
    int beats = 0;
    bool late = false;
    regatta::timer_scheduler timers; // callbacks run on its own thread

    const auto limit = timers.after(1h, [&] { late = true; });
    timers.every(2ms, [&](regatta::timer_id mine) {
        out.println("beat ", ++beats);
        if (beats == 3) {
            timers.cancel(mine); // in its own callback
            ended.count_down();
        }
    });
    ended.wait();
    return timers.cancel(limit) && !late && beats == 3; // true: it was still to come
}

bool a_control_loop() {
    std::latch ended(1);
    int steps = 0;
    std::uint64_t missed = 0;
    std::chrono::nanoseconds late{0};
    regatta::timer_scheduler timers{{.name = "control"}}; // .pin and .schedule place its thread

    timers.every(2ms, [&](const regatta::timer_tick& tick) {
        late = std::max(late, std::chrono::steady_clock::now() - tick.time);
        missed += tick.missed; // ticks since the last step that had none
        if (++steps == 5) {
            timers.cancel(tick.id);
            ended.count_down();
        }
    });
    ended.wait();
    out() << "5 steps, " << missed << " missed, at most "
          << std::chrono::duration<double, std::milli>(late).count() << " ms late\n";
    return steps == 5 && late >= 0ns;
}

bool on_a_pool() {
    regatta::steady_pool pool{{.threads = 2}}; // any object with execute(f) will do
    std::atomic<int> done{0};
    regatta::timer_scheduler timers{pool, {.name = "sampling"}};
    regatta::stopwatch watch;

    auto samples = std::make_unique<int>(0);
    const auto sampling = timers.every(
        1ms,
        [&] {
            ++*samples; // no two runs of one timer at once: no lock
            ++done;
            done.notify_one();
        },
        0ms, regatta::missed_ticks::catch_up); // at once, and a run for every tick
    for (int seen = 0; seen < 5; seen = done.load()) {
        done.wait(seen);
    }
    const auto first_lap = watch.lap();
    timers.cancel_and_wait(sampling);
    const int taken = *samples;
    samples.reset(); // no run uses it any more
    out() << taken << " samples in " << watch.seconds() * 1e3 << " ms\n";
    return taken >= 5 && first_lap >= 4ms; // the fifth tick is 4 ms after the first
}

int main() {
    const bool right = on_the_timer_thread() && a_control_loop() && on_a_pool();
    out.println(right ? "all as expected" : "not as expected");
    return right ? 0 : 1;
}
