// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// A bus that never makes its producers wait: what finds no room is given up and counted, and
// messages of low priority find less room than others.

#include <regatta/bus/async_bus.hpp>

#include <cstdio>

struct frame {
    int number;
};
struct alert {
    int code;
};

int main() {
    using regatta::admission_class;
    regatta::async_bus<frame, alert> bus{{.capacity = 100, // rounded up: 128
                                          .producers = 0,
                                          .admission = {.low = 50, .medium = 75, .high = 100},
                                          .on_full = regatta::when_full::discard}};
    int frames = 0;
    int alerts = 0;
    bus.subscribe<frame>([&](const frame&) { ++frames; });
    bus.subscribe<alert>([&](const alert&) { ++alerts; });

    // Nobody consumes yet.
    int accepted = 0;
    for (int i = 0; i < 200; ++i) {
        accepted += bus.publish(frame{i}, admission_class::low) ? 1 : 0; // up to 50 % of 128
    }
    const bool medium = bus.publish(frame{200}, admission_class::medium); // 64 wait, 96 are allowed
    int heard = 0;
    while (bus.publish(alert{7}, admission_class::high)) {
        ++heard; // up to the last cell
    }

    const regatta::bus_stats full = bus.stats();
    std::printf("capacity %zu: %d frames of low priority, %d alerts; %zu wait, %llu refused\n",
                bus.capacity(), accepted, heard, full.queued,
                static_cast<unsigned long long>(full.refused));

    std::size_t processed = 0;
    while (const std::size_t now = bus.process_batch(10)) { // at most 10 before other work
        processed += now;
    }
    std::printf("then %zu processed: %d frames, %d alerts\n", processed, frames, alerts);

    const bool right = bus.capacity() == 128 && accepted == 64 && medium && heard == 63 &&
                       full.queued == 128 && full.refused == 136 + 1 && frames == 65 &&
                       alerts == 63 && bus.stats().queued == 0;
    return right ? 0 : 1;
}
