// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// A message bus: two producers with lanes of their own, a third one without, one consumer that
// sleeps while there is nothing to do.

#include <regatta/bus/async_bus.hpp>

#include <cstdio>
#include <span>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

struct reading {
    int sensor;
    int value;
};
struct note {
    std::string text;
};

int main() {
    regatta::async_bus<reading, note> bus{{.capacity = 256, .producers = 2}};
    using bus_type = decltype(bus);

    long sum = 0; // the consumer's, like all that handlers use
    int first_notes = 0;
    bus.subscribe<reading>([&](const reading& r) { sum += r.value; });

    // A handler may end its own subscription; it is destroyed before the next message.
    bus_type::subscription once;
    once = bus.subscribe<note>([&](const note& n) {
        std::printf("first note: %s\n", n.text.c_str());
        ++first_notes;
        bus.unsubscribe(once);
    });

    std::jthread consumer([&](std::stop_token stop) { bus.run(stop); });

    const auto produce = [&](int sensor) {
        auto lane = bus.make_producer(); // one thread's own way to the consumer
        std::vector<reading> batch;
        for (int i = 1; i <= 1000; ++i) {
            batch.push_back({sensor, i});
            if (batch.size() == 50) {
                // All at once, if there is room.
                lane.publish_batch(std::span<const reading>(batch));
                batch.clear();
            }
        }
        lane.publish(note{"sensor " + std::to_string(sensor) + " is done"});
    }; // the lane is given back; what is in it still arrives
    {
        std::jthread one(produce, 1);
        std::jthread other(produce, 2);
        bus.publish(note{"from the main thread"}); // the common lane, open to every thread
    }

    consumer.request_stop(); // what was published before is processed
    consumer.join();

    const regatta::bus_stats stats = bus.stats();
    std::printf("sum %ld; %llu published, %llu processed, of which %llu had no handler\n", sum,
                static_cast<unsigned long long>(stats.published),
                static_cast<unsigned long long>(stats.processed),
                static_cast<unsigned long long>(stats.unhandled));
    // The notes after the first one found no handler.
    const bool right = sum == 2L * 500'500 && first_notes == 1 && stats.published == 2003 &&
                       stats.processed == 2003 && stats.unhandled == 2 && stats.queued == 0;
    return right ? 0 : 1;
}
