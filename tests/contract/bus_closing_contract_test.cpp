// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// What the doc comment of async_bus promises of `close` to those who publish in a lane; each test
// quotes the sentence that it checks.

#include "bus_cases.hpp"
#include "messages.hpp"
#include "support/eventually.hpp"
#include "support/threads.hpp"

#include <regatta/bus/async_bus.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <span>
#include <thread>

namespace {

using library_test::await;
using library_test::bus_type;
using library_test::tick;

} // namespace

// "`run` returns once the rest is processed": a single message in a lane is a rest, too.
TEST(bus, run_processes_the_only_message_of_a_lane_when_it_was_closed) {
    const library_test::time_limit limit("run to return once closed");
    for (const std::size_t producers : {1u, 3u}) {
        bus_type bus({.capacity = 4, .producers = producers});
        auto lane = bus.make_producer();
        int got = 0;
        bus.subscribe<tick>([&](tick&) { ++got; });
        EXPECT_TRUE(lane.publish(tick{0}));
        bus.close();
        bus.run({});
        EXPECT_EQ(got, 1);
    }
}

// "A concurrent publish is refused, or accepted and then processed by `run`": here it had seen the
// bus open, and its message was still being moved in.
TEST(bus, run_waits_for_a_message_on_its_way_into_a_lane_when_it_was_closed) {
    using library_test::slow_message;
    slow_message::door door;
    regatta::async_bus<slow_message> bus({.capacity = 4, .producers = 2});
    std::atomic<int> got{0};
    bus.subscribe<slow_message>([&](slow_message&) { ++got; });
    auto lane = bus.make_producer();
    std::thread slow([&] { EXPECT_TRUE(lane.publish(slow_message(door))); });
    await([&] { return door.reached.load(); });
    bus.close();
    std::atomic<bool> running{false};
    std::thread consumer([&] {
        running = true;
        bus.run({});
        EXPECT_EQ(got.load(), 1);
    });
    await([&] { return running.load(); });
    for (int i = 0; i < 100; ++i) {
        std::this_thread::yield();
    }
    door.open = true;
    slow.join();
    consumer.join();
}

// The same, whenever `close` comes: what was accepted is processed, and nothing else.
TEST(bus, what_producers_publish_while_it_is_closed_is_processed_or_refused) {
    const library_test::time_limit limit("run to return once closed");
    for (int round = 0; round < 300; ++round) {
        bus_type bus({.capacity = 8, .producers = 2});
        long got = 0;
        bus.subscribe<tick>([&](tick&) { ++got; });
        std::atomic<long> accepted{0};
        std::atomic<int> began{0};
        auto one = bus.make_producer();
        auto two = bus.make_producer();
        std::thread single([&] {
            while (one.publish(tick{0})) {
                ++accepted;
                began |= 1;
            }
        });
        std::thread several([&] {
            const std::array<tick, 3> batch{};
            for (std::size_t done = batch.size(); done == batch.size();) {
                done = two.publish_batch(std::span<const tick>(batch));
                accepted += static_cast<long>(done);
                began |= 2;
            }
        });
        std::thread consumer([&] { bus.run({}); });
        await([&] { return began.load() == 3; });
        bus.close();
        single.join();
        several.join();
        consumer.join();
        ASSERT_EQ(got, accepted.load()) << "round " << round;
    }
}
