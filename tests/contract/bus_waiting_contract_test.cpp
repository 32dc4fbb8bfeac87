// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// What the doc comment of async_bus promises about waiting, waking and ending; each test quotes the
// sentence that it checks.

#include "support/counted.hpp"
#include "support/threads.hpp"

#include <regatta/base/config.hpp>
#include <regatta/bus/async_bus.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <vector>

namespace {

using library_test::await;
using library_test::counted;
using library_test::observed_thread;
using library_test::rounds;
using regatta::admission_class;

struct tick {
    int value;
};
using bus_type = regatta::async_bus<tick>;

std::jthread run(bus_type& bus) {
    return std::jthread([&bus](const std::stop_token& stop) { bus.run(stop); });
}

} // namespace

// "sleeps while no message is queued": and every publish ends that sleep.
TEST(bus, no_wake_up_of_a_sleeping_consumer_is_lost) {
    const library_test::time_limit limit("a consumer that is woken for each message");
    bus_type bus({.producers = 1});
    auto lane = bus.make_producer();
    std::atomic<int> answered{0};
    bus.subscribe<tick>([&](tick& t) { answered.store(t.value, std::memory_order_release); });
    observed_thread seen;
    const std::jthread consumer([&](const std::stop_token& stop) {
        seen.announce();
        bus.run(stop);
    });
    for (int i = 1; i <= rounds(2000); ++i) {
        if (i % 4 == 0) { // Otherwise at any moment on its way to sleep.
            seen.await_sleep();
        }
        switch (i % 3) {
        case 0:
            EXPECT_TRUE(bus.publish(tick{i}));
            break;
        case 1:
            EXPECT_TRUE(lane.publish(tick{i}));
            break;
        default:
            EXPECT_EQ(lane.publish_batch(std::span<const tick>(std::vector<tick>(3, tick{i}))), 3u);
        }
        await([&] { return answered.load(std::memory_order_acquire) == i; });
    }
}

// "`run` sleeps while no message is queued": it uses no CPU time then.
TEST(bus, an_idle_run_uses_no_cpu_time) {
    bus_type idle;
    observed_thread seen;
    std::jthread consumer([&](const std::stop_token& stop) {
        seen.announce();
        idle.run(stop);
    });
    await([&] { return idle.stats().parked != 0; });
    ASSERT_GE(seen.cpu_time(), 0);
    // As long as another bus needs for some thousand messages.
    bus_type busy;
    std::atomic<int> got{0};
    busy.subscribe<tick>([&](tick&) { ++got; });
    const auto other = run(busy);
    seen.await_rest([&] {
        got = 0;
        for (int i = 1; i <= rounds(2000); ++i) {
            busy.publish(tick{i});
            await([&] { return got.load() == i; });
        }
    });
    EXPECT_EQ(idle.stats().parked, 1u);
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
        std::jthread consumer = run(bus);
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

// "Blocks: `publish` as `when_full` says": "Waits for room: spins, then sleeps", and
// goes on when the consumer has made room.
TEST(bus, blocked_publishers_go_on_when_there_is_room) {
    const library_test::time_limit limit("publishers that go on when there is room");
    constexpr int each = 50;
    bus_type bus({.capacity = 4, .producers = 4});
    std::vector<observed_thread> seen(6);
    std::vector<std::thread> publishers;
    publishers.reserve(seen.size());
    const auto start = [&](std::size_t i, auto publish) {
        publishers.emplace_back([&seen, i, publish] {
            seen[i].announce();
            publish();
        });
    };
    start(0, [&] {
        for (int i = 0; i < each; ++i) {
            EXPECT_TRUE(bus.publish(tick{1}));
        }
    });
    start(1, [&] {
        for (int i = 0; i < each; ++i) {
            EXPECT_TRUE(bus.publish(tick{1}, admission_class::medium));
        }
    });
    start(2, [&] {
        auto lane = bus.make_producer();
        const std::vector<tick> batch(each, tick{1});
        EXPECT_EQ(lane.publish_batch(std::span<const tick>(batch)), std::size_t{each});
    });
    start(3, [&] {
        auto lane = bus.make_producer();
        for (int i = 0; i < each; ++i) {
            EXPECT_TRUE(lane.publish(tick{1}, admission_class::low));
        }
    });
    start(4, [&] {
        auto lane = bus.make_producer();
        for (int i = 0; i < each; ++i) {
            EXPECT_TRUE(lane.emplace<tick>(tick{1}));
        }
    });
    start(5, [&] {
        auto lane = bus.make_producer();
        std::size_t next = 0;
        const auto make = [&](std::size_t i) {
            EXPECT_EQ(i, next++);
            return tick{1};
        };
        EXPECT_EQ(lane.publish_batch<tick>(each, make), std::size_t{each});
    });
    for (const auto& one : seen) {
        one.await_sleep(); // Every lane is full.
    }
    EXPECT_LE(bus.stats().queued, 20u);
    int got = 0;
    bus.subscribe<tick>([&](tick& t) { got += t.value; });
    await([&] {
        bus.process_batch(3);
        return got == 6 * each;
    });
    for (auto& thread : publishers) {
        thread.join();
    }
    EXPECT_EQ(bus.stats().published, 6u * each);
    EXPECT_EQ(bus.stats().refused, 0u);
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

// "`unsubscribe` from another thread waits for the end of the consumer's current batch": "On return
// its handler is destroyed: it is not running and will not be called again".
TEST(bus, unsubscribe_waits_until_the_handler_has_ended_and_is_destroyed) {
    const library_test::time_limit limit("unsubscribe to return");
    for (int round = 0; round < rounds(200); ++round) {
        std::atomic<int> alive{0};
        std::atomic<bool> entered{false};
        std::atomic<bool> unsubscribing{false};
        int after_it = 0; // Not atomic: unsubscribe orders it.
        bus_type bus;
        const auto s = bus.subscribe<tick>([&, c = counted(alive, 0)](tick&) {
            entered = true;
            await([&] { return unsubscribing.load(); });
            for (int i = 0; i < 20; ++i) {
                std::this_thread::yield();
            }
            ++after_it;
        });
        const auto consumer = run(bus);
        bus.publish(tick{1});
        await([&] { return entered.load(); });
        unsubscribing = true;
        EXPECT_TRUE(bus.unsubscribe(s));
        EXPECT_EQ(after_it, 1);
        EXPECT_EQ(alive.load(), 0);
    }
}

// The same if the handler has ended its subscription itself and still runs.
TEST(bus, unsubscribe_waits_also_for_a_handler_that_ended_itself) {
    for (int round = 0; round < rounds(200); ++round) {
        std::atomic<int> alive{0};
        std::atomic<bool> ended_itself{false};
        std::atomic<bool> unsubscribing{false};
        int after_it = 0;
        bus_type bus;
        bus_type::subscription s;
        s = bus.subscribe<tick>([&, c = counted(alive, 0)](tick&) {
            EXPECT_TRUE(bus.unsubscribe(s));
            ended_itself = true;
            await([&] { return unsubscribing.load(); });
            for (int i = 0; i < 20; ++i) {
                std::this_thread::yield();
            }
            ++after_it;
        });
        const auto consumer = run(bus);
        bus.publish(tick{1});
        await([&] { return ended_itself.load(); });
        unsubscribing = true;
        EXPECT_FALSE(bus.unsubscribe(s));
        EXPECT_EQ(after_it, 1);
        EXPECT_EQ(alive.load(), 0);
    }
}

// "Order: messages of one producer arrive in the order in which it published them", and
// "subscribing … from any thread" while others publish.
TEST(bus, keeps_each_producer_s_order_while_handlers_come_and_go) {
    struct stamped {
        int producer;
        int number;
    };
    const int each = rounds(5000);
    regatta::async_bus<stamped> bus({.capacity = 16, .producers = 2});
    std::vector<int> next(4, 0);
    bus.subscribe<stamped>(
        [&](stamped& s) { EXPECT_EQ(s.number, next[static_cast<std::size_t>(s.producer)]++); });
    std::thread consumer([&] { bus.run(std::stop_token()); });
    std::vector<std::thread> producers;
    for (int p = 0; p < 4; ++p) {
        producers.emplace_back([&bus, p, each] {
            if (p < 2) {
                auto lane = bus.make_producer();
                for (int i = 0; i < each; ++i) {
                    EXPECT_TRUE(lane.publish(stamped{p, i}));
                }
            } else {
                for (int i = 0; i < each; ++i) {
                    EXPECT_TRUE(bus.publish(stamped{p, i}));
                }
            }
        });
    }
    for (int i = 0; i < rounds(300); ++i) {
        std::atomic<int> alive{0};
        const auto s = bus.subscribe<stamped>([c = counted(alive, 0)](stamped&) {});
        EXPECT_TRUE(bus.unsubscribe(s));
        EXPECT_EQ(alive.load(), 0);
    }
    for (auto& thread : producers) {
        thread.join();
    }
    bus.close();
    consumer.join();
    EXPECT_EQ(next, std::vector<int>(4, each));
    EXPECT_EQ(bus.stats().processed, 4u * static_cast<unsigned>(each));
}

#if REGATTA_EXCEPTIONS

// "`process_batch`, `process_with` and `run` from one thread at a time": two are refused.
TEST(bus, two_consumers_at_once_are_refused) {
    bus_type bus;
    std::atomic<bool> entered{false};
    std::atomic<bool> leave{false};
    bus.subscribe<tick>([&](tick&) {
        entered = true;
        await([&] { return leave.load(); });
    });
    bus.publish(tick{1});
    std::thread first([&] { EXPECT_EQ(bus.process_batch(), 1u); });
    await([&] { return entered.load(); });
    EXPECT_THROW(bus.process_batch(), std::logic_error);
    EXPECT_THROW(bus.process_with([](tick&) {}), std::logic_error);
    EXPECT_THROW(bus.run(std::stop_token()), std::logic_error);
    leave = true;
    first.join();
    bus.publish(tick{2});
    EXPECT_EQ(bus.process_batch(), 1u); // The role may go from thread to thread.
}

// A batch whose copying throws: what was copied before is published, and the consumer is told.
TEST(bus, a_batch_whose_copying_throws_still_wakes_the_consumer) {
    const library_test::time_limit limit("the consumer to be woken");
    struct fragile {
        int value = 0;
        explicit fragile(int v) noexcept : value(v) {}
        fragile(const fragile& other) : value(other.value) {
            if (value == 3) {
                throw std::runtime_error("no copy");
            }
        }
        fragile(fragile&&) noexcept = default;
    };
    regatta::async_bus<fragile> bus({.producers = 1});
    auto lane = bus.make_producer();
    std::atomic<int> got{0};
    bus.subscribe<fragile>([&](const fragile&) { ++got; });
    observed_thread seen;
    const std::jthread consumer([&](const std::stop_token& stop) {
        seen.announce();
        bus.run(stop);
    });
    await([&] { return bus.stats().parked != 0; });
    seen.await_sleep();
    std::vector<fragile> batch;
    batch.reserve(3);
    for (int i = 1; i <= 3; ++i) {
        batch.emplace_back(i);
    }
    EXPECT_THROW(lane.publish_batch(std::span<const fragile>(batch)), std::runtime_error);
    await([&] { return got.load() == 2; });
}

#endif
