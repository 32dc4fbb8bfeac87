// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// What the doc comment of async_bus promises of `close` and of a stopped `run`; each test quotes
// the sentence that it checks.

#include "bus_cases.hpp"
#include "messages.hpp"
#include "support/eventually.hpp"
#include "support/threads.hpp"

#include <regatta/bus/async_bus.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <span>
#include <stop_token>
#include <thread>
#include <vector>

namespace {

using library_test::await;
using library_test::bus_type;
using library_test::consumer_of;
using library_test::observed_thread;
using library_test::rounds;
using library_test::tick;
using regatta::admission_class;

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

// "until `stop` is requested or the bus is closed" … "Processes the messages published before that
// and then returns."
TEST(bus, run_processes_what_was_published_before_it_was_stopped_or_closed) {
    const library_test::time_limit limit("run to return once stopped or closed");
    for (const std::size_t capacity : {2u, 64u, 256u, 1024u}) {
        for (const bool by_close : {false, true}) {
            bus_type bus({.capacity = capacity, .producers = 3});
            auto one = bus.make_producer();
            auto two = bus.make_producer();
            int published = 0;
            while (bus.try_publish(tick{0}) + one.try_publish(tick{0}) + two.try_publish(tick{0})) {
                published = static_cast<int>(bus.stats().published);
            }
            int got = 0;
            bus.subscribe<tick>([&](tick&) { ++got; });
            std::stop_source stop;
            by_close ? bus.close() : static_cast<void>(stop.request_stop());
            bus.run(stop.get_token());
            EXPECT_EQ(got, published);
            EXPECT_EQ(got, static_cast<int>(3 * bus.capacity()));
        }
    }
}

// The same for what stands behind a message that its publisher is still moving in.
TEST(bus, run_waits_for_a_message_on_its_way_in_before_it_returns) {
    for (const bool by_close : {false, true}) {
        using library_test::slow_message;
        slow_message::door door;
        regatta::async_bus<slow_message> bus;
        std::atomic<int> got{0};
        bus.subscribe<slow_message>([&](slow_message&) { ++got; });
        std::thread slow([&] { EXPECT_TRUE(bus.publish(slow_message(door))); });
        await([&] { return door.reached.load(); });
        EXPECT_TRUE(bus.publish(slow_message()));
        std::stop_source stop;
        by_close ? bus.close() : static_cast<void>(stop.request_stop());
        std::atomic<bool> running{false};
        std::thread consumer([&] {
            running = true;
            bus.run(stop.get_token());
            EXPECT_EQ(got.load(), 2);
        });
        await([&] { return running.load(); });
        for (int i = 0; i < 100; ++i) {
            std::this_thread::yield();
        }
        door.open = true;
        slow.join();
        consumer.join();
    }
}

// The same while a producer goes on: it cannot hold the end up, and what came before its messages
// in another lane is not left behind.
TEST(bus, producers_who_go_on_do_not_hold_up_the_end_of_run) {
    const library_test::time_limit limit("run to return while producers go on");
    for (int round = 0; round < rounds(50); ++round) {
        bus_type bus({.capacity = 4, .producers = 1});
        std::atomic<bool> done{false};
        std::atomic<int> of_lane{0};
        bus.subscribe<tick>([&](tick& t) { of_lane += t.value; });
        std::stop_source stop;
        std::thread consumer([&] { bus.run(stop.get_token()); });
        std::thread flood([&] {
            while (!done.load()) {
                bus.try_publish(tick{0});
            }
        });
        auto lane = bus.make_producer();
        int sent = 0;
        for (int i = 0; i < 100; ++i) {
            sent += lane.try_publish(tick{1}) ? 1 : 0;
        }
        stop.request_stop();
        consumer.join();
        EXPECT_EQ(of_lane.load(), sent);
        done = true;
        flood.join();
    }
}

// "`run` … sleeps": a stop request or close() ends that sleep.
TEST(bus, stop_and_close_end_a_sleeping_run) {
    const library_test::time_limit limit("a sleeping run to return once stopped or closed");
    for (int i = 0; i < rounds(200); ++i) {
        bus_type bus;
        std::jthread consumer = consumer_of(bus);
        if (i % 4 < 2) {
            await([&] { return bus.stats().parked != 0; });
        }
        i % 2 == 0 ? bus.close() : static_cast<void>(consumer.request_stop());
        consumer.join();
        EXPECT_EQ(bus.stats().queued, 0u);
    }
}

// "Refuses further messages": from everywhere; the bus can be closed twice.
TEST(bus, a_closed_one_refuses_and_counts) {
    bus_type bus({.producers = 1});
    auto lane = bus.make_producer();
    EXPECT_TRUE(bus.publish(tick{1}));
    bus.close();
    bus.close();
    const std::vector<tick> batch(3, tick{2});
    EXPECT_FALSE(bus.publish(tick{2}));
    EXPECT_FALSE(bus.publish(tick{2}, admission_class::high));
    EXPECT_FALSE(bus.try_publish(tick{2}));
    EXPECT_FALSE(lane.publish(tick{2}));
    EXPECT_FALSE(lane.publish(tick{2}, admission_class::high));
    EXPECT_FALSE(lane.try_publish(tick{2}, admission_class::high));
    EXPECT_EQ(lane.publish_batch(std::span<const tick>(batch)), 0u);
    EXPECT_EQ(lane.try_publish_batch(std::span<const tick>(batch)), 0u);
    EXPECT_EQ(bus.stats().refused, 12u);
    EXPECT_EQ(bus.process_batch(), 1u);
}

// "publishers that wait for room give up" when the bus is closed.
TEST(bus, blocked_publishers_give_up_when_it_is_closed) {
    const library_test::time_limit limit("publishers that give up when the bus is closed");
    bus_type bus({.capacity = 4, .producers = 1});
    auto lane = bus.make_producer();
    while (bus.try_publish(tick{0}) || lane.try_publish(tick{0})) {
    }
    std::vector<observed_thread> seen(3);
    std::vector<std::thread> publishers;
    publishers.reserve(seen.size());
    publishers.emplace_back([&] {
        seen[0].announce();
        EXPECT_FALSE(bus.publish(tick{1}));
    });
    publishers.emplace_back([&] {
        seen[1].announce();
        EXPECT_FALSE(bus.publish(tick{1}, admission_class::high));
    });
    publishers.emplace_back([&] {
        seen[2].announce();
        const std::vector<tick> batch(3, tick{1});
        EXPECT_EQ(lane.publish_batch(std::span<const tick>(batch)), 0u);
    });
    for (const auto& one : seen) {
        one.await_sleep();
    }
    bus.close();
    for (auto& thread : publishers) {
        thread.join();
    }
    EXPECT_EQ(bus.stats().queued, 8u);
}

// "`run` returns once the rest is processed": what makes a message waits for one that was accepted.
TEST(bus, run_processes_what_a_message_on_its_way_waits_for) {
    const library_test::time_limit limit("run to process what a message on its way waits for");
    bus_type bus({.capacity = 4, .producers = 2});
    std::atomic<bool> answered{false};
    std::atomic<bool> arrived{false};
    bus.subscribe<tick>([&](tick& t) { (t.value == 1 ? answered : arrived) = true; });
    std::atomic<bool> asked{false};
    std::thread producer([&] {
        auto lane = bus.make_producer();
        EXPECT_EQ(lane.publish_batch<tick>(1,
                                           [&](std::size_t) {
                                               EXPECT_TRUE(bus.publish(tick{1}));
                                               asked = true;
                                               await([&] { return answered.load(); });
                                               return tick{2};
                                           }),
                  1u);
    });
    await([&] { return asked.load(); });
    bus.close();
    bus.run({});
    producer.join();
    EXPECT_TRUE(arrived.load());
}

// A stopped `run`: "Only messages published by now", also of lanes that come later in the round.
TEST(bus, a_stopped_run_leaves_what_its_handlers_publish) {
    bus_type bus({.capacity = 16, .producers = 2});
    auto first = bus.make_producer();
    auto second = bus.make_producer();
    int got = 0;
    bus.subscribe<tick>([&](tick& t) {
        ++got;
        if (t.value == 0) {
            EXPECT_TRUE(second.publish(tick{1}));
            EXPECT_TRUE(bus.publish(tick{1}));
        }
    });
    first.publish(tick{0});
    first.publish(tick{0});
    std::stop_source stop;
    stop.request_stop();
    bus.run(stop.get_token());
    EXPECT_EQ(got, 2);
    EXPECT_EQ(bus.stats().queued, 4u);
    bus.run(stop.get_token());
    EXPECT_EQ(got, 6);
    bus.publish(tick{0}); // The same of the lane that comes last.
    bus.run(stop.get_token());
    EXPECT_EQ(got, 7);
    EXPECT_EQ(bus.stats().queued, 2u);
}
