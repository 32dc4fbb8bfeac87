// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// What the doc comment of async_bus promises about waiting and waking; each test quotes the
// sentence that it checks.

#include "bus_cases.hpp"
#include "messages.hpp"
#include "support/threads.hpp"

#include <regatta/base/config.hpp>
#include <regatta/bus/async_bus.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <span>
#include <stdexcept>
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

/// A thread that runs the bus and sleeps for want of messages.
template<class Bus>
class sleeping_consumer {
public:
    explicit sleeping_consumer(Bus& bus)
        : thread_([this, &bus](const std::stop_token& stop) {
            seen_.announce();
            bus.run(stop);
        }) {
        await([&] { return bus.stats().parked != 0; });
        seen_.await_sleep();
    }

private:
    observed_thread seen_;
    std::jthread thread_; ///< Last: it uses the other.
};

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
        const std::vector<tick> batch(3, tick{i});
        switch (i % 5) {
        case 0:
            EXPECT_TRUE(bus.publish(tick{i}));
            break;
        case 1:
            EXPECT_TRUE(lane.publish(tick{i}));
            break;
        case 2:
            EXPECT_TRUE(lane.publish(tick{i}, admission_class::low));
            break;
        case 3:
            EXPECT_EQ(lane.try_publish_batch(batch), batch.size());
            break;
        default:
            EXPECT_EQ(lane.publish_batch(batch), batch.size());
        }
        await([&] { return answered.load(std::memory_order_acquire) == i; });
    }
}

// The same for a message that had to wait for room: it comes when `run` sleeps again.
TEST(bus, a_message_that_waited_for_room_wakes_the_consumer) {
    const library_test::time_limit limit("a message that waited for room");
    for (const bool in_lane : {false, true}) {
        struct way {
            std::atomic<int> moves{0}; ///< The first is to where it waits, the second to its place.
            std::atomic<bool> open{false};
        };
        struct slow_to_place {
            way* on = nullptr;
            slow_to_place() = default;
            explicit slow_to_place(way& w) : on(&w) {}
            slow_to_place(slow_to_place&& other) noexcept : on(other.on) {
                if (on != nullptr && ++on->moves == 2) {
                    await([this] { return on->open.load(); });
                }
            }
        };
        way last;
        regatta::async_bus<slow_to_place> bus({.capacity = 2, .producers = 1});
        auto lane = bus.make_producer();
        std::atomic<int> got{0};
        bus.subscribe<slow_to_place>([&](const slow_to_place&) { ++got; });
        for (int i = 0; i < 2; ++i) {
            EXPECT_TRUE(in_lane ? lane.publish(slow_to_place()) : bus.publish(slow_to_place()));
        }
        std::thread waiting([&] {
            EXPECT_TRUE(in_lane ? lane.publish(slow_to_place(last))
                                : bus.publish(slow_to_place(last)));
        });
        await([&] { return last.moves.load() == 1; }); // It found no room.
        observed_thread seen;
        std::jthread consumer([&](const std::stop_token& stop) {
            seen.announce();
            bus.run(stop);
        });
        await([&] { return last.moves.load() == 2 && bus.stats().parked != 0; });
        seen.await_sleep();
        last.open = true;
        waiting.join();
        await([&] { return got.load() == 3; });
    }
}

// The same for a batch that is larger than its lane: `run` makes room for the rest.
TEST(bus, a_batch_without_room_for_all_wakes_the_consumer) {
    const library_test::time_limit limit("a batch that is larger than its lane");
    bus_type bus({.capacity = 4, .producers = 1});
    auto lane = bus.make_producer();
    std::atomic<int> got{0};
    bus.subscribe<tick>([&](tick& t) { got += t.value; });
    const sleeping_consumer consumer(bus);
    EXPECT_EQ(lane.publish_batch(std::vector<tick>(9, tick{1})), 9u);
    await([&] { return got.load() == 9; });
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
    const auto other = consumer_of(busy);
    seen.await_rest([&] {
        got = 0;
        for (int i = 1; i <= rounds(2000); ++i) {
            busy.publish(tick{i});
            await([&] { return got.load() == i; });
        }
    });
    EXPECT_EQ(idle.stats().parked, 1u);
}

// "returns once a message is queued or the bus is closed": no wake-up is lost in a loop of one's
// own, which ends as the doc comment says.
TEST(bus, no_wake_up_of_a_consumer_with_its_own_loop_is_lost) {
    const library_test::time_limit limit("a consumer that waits in its own loop");
    bus_type bus({.producers = 1});
    auto lane = bus.make_producer();
    std::atomic<int> answered{0};
    bus.subscribe<tick>([&](tick& t) { answered.store(t.value, std::memory_order_release); });
    observed_thread seen;
    std::thread consumer([&] {
        seen.announce();
        const auto next_due = std::chrono::steady_clock::now() + std::chrono::hours(1);
        while (!bus.closed()) {
            if (bus.wait_until(next_due)) {
                bus.process_batch();
            }
        }
        bus.run({});
    });
    for (int i = 1; i <= rounds(2000); ++i) {
        if (i % 4 == 0) { // Otherwise at any moment on its way to sleep.
            seen.await_sleep();
        }
        const std::vector<tick> batch(3, tick{i});
        if (i % 3 == 0) {
            EXPECT_TRUE(bus.publish(tick{i}));
        } else if (i % 3 == 1) {
            EXPECT_TRUE(lane.publish(tick{i}));
        } else {
            EXPECT_EQ(lane.publish_batch(batch), batch.size());
        }
        await([&] { return answered.load(std::memory_order_acquire) == i; });
    }
    seen.await_sleep();
    EXPECT_GE(bus.stats().parked, 1u);
    bus.close();
    consumer.join();
}

// "whether a message is queued or the bus is closed; false: the deadline passed": it looks before
// it waits, and it waits until the deadline.
TEST(bus, a_wait_of_the_consumer_ends_at_its_deadline) {
    using clock = std::chrono::steady_clock;
    using namespace std::chrono_literals;
    const library_test::time_limit limit("a wait that ends at its deadline");
    bus_type bus({.producers = 1});
    auto lane = bus.make_producer();
    EXPECT_FALSE(bus.wait_until(clock::time_point::min()));
    EXPECT_FALSE(bus.wait_until(clock::now()));
    EXPECT_FALSE(bus.wait_for(0ns));
    EXPECT_FALSE(bus.wait_for(-1h));
    EXPECT_EQ(bus.stats().parked, 0u); // These cost no sleep.
    const auto deadline = clock::now() + 20ms;
    EXPECT_FALSE(bus.wait_until(deadline));
    EXPECT_GE(clock::now(), deadline);
    const auto begin = clock::now();
    EXPECT_FALSE(bus.wait_for(5ms));
    EXPECT_GE(clock::now(), begin + 5ms);
    for (const bool in_lane : {false, true}) {
        EXPECT_TRUE(in_lane ? lane.publish(tick{1}) : bus.publish(tick{1}));
        EXPECT_TRUE(bus.wait_until(clock::time_point::min()));
        EXPECT_TRUE(bus.wait_until(clock::time_point::max()));
        EXPECT_TRUE(bus.wait_for(std::chrono::hours::max()));
        EXPECT_EQ(bus.process_batch(), 1u);
        EXPECT_FALSE(bus.wait_for(0s));
    }
}

// "On a closed bus it returns at once", also if the bus is closed while it sleeps, and also in
// threads that wait at once, which they must not.
TEST(bus, a_wait_of_the_consumer_ends_when_it_is_closed) {
    const library_test::time_limit limit("waits that end when the bus is closed");
    for (const std::size_t threads : {1u, 3u}) {
        bus_type bus;
        std::vector<observed_thread> seen(threads);
        std::vector<std::thread> waiting;
        for (std::size_t i = 0; i < threads; ++i) {
            waiting.emplace_back([&bus, &mine = seen[i], i] {
                mine.announce();
                EXPECT_TRUE(i == 0 ? bus.wait_for(std::chrono::hours::max())
                                   : bus.wait_for(std::chrono::hours(1)));
            });
        }
        await([&] { return bus.stats().parked != 0; });
        for (const auto& one : seen) {
            one.await_sleep();
        }
        bus.close();
        for (auto& thread : waiting) {
            thread.join();
        }
        EXPECT_TRUE(bus.wait_for(std::chrono::hours(1)));
    }
}

// "sleep while no message is queued": a wait that is woken for no message goes on. Here the stop of
// another `run` wakes it.
TEST(bus, a_wait_of_the_consumer_outlasts_wake_ups_without_a_message) {
    const library_test::time_limit limit("a wait that goes on");
    bus_type bus;
    observed_thread seen;
    std::atomic<bool> returned{false};
    std::thread waiting([&] {
        seen.announce();
        EXPECT_TRUE(bus.wait_for(std::chrono::hours(1)));
        returned = true;
    });
    await([&] { return bus.stats().parked == 1; });
    std::stop_source stop;
    stop.request_stop();
    bus.run(stop.get_token()); // Its notice wakes who sleeps there.
    await([&] { return returned.load() || bus.stats().parked == 2; });
    EXPECT_FALSE(returned.load());
    seen.await_sleep();
    EXPECT_TRUE(bus.publish(tick{1}));
    waiting.join();
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

// "A handler may wait for a publisher that waits for the room that messages before this one have
// left": also in the middle of a batch.
TEST(bus, a_handler_may_wait_for_a_publisher_that_waits_for_room) {
    const library_test::time_limit limit("a handler that waits for a publisher");
    constexpr int capacity = 256;
    for (const bool all_at_once : {false, true}) {
        bus_type bus({.capacity = capacity, .producers = 1});
        std::atomic<bool> went_on{false};
        observed_thread seen;
        std::thread publisher([&] {
            auto lane = bus.make_producer();
            seen.announce();
            if (all_at_once) {
                lane.publish_batch<tick>(capacity + 1, [](std::size_t) { return tick{1}; });
            } else {
                for (int i = 0; i <= capacity; ++i) {
                    lane.publish(tick{1});
                }
            }
            went_on.store(true);
        });
        seen.await_sleep(); // The lane is full.
        int got = 0;
        bus.subscribe<tick>([&](tick& t) {
            got += t.value;
            if (got == 2) {
                await([&] { return went_on.load(); });
            }
        });
        await([&] {
            bus.process_batch();
            return got == capacity + 1;
        });
        publisher.join();
    }
}

// "The same with an admission class: the lane counts as full at the level of that class": a
// publisher that waits enters below that level, not as soon as there is any room.
TEST(bus, a_publisher_with_a_class_waits_for_its_level) {
    const library_test::time_limit limit("a publisher that waits for its level");
    for (const bool in_lane : {false, true}) {
        bus_type bus({.capacity = 4, .producers = 1, .admission = {.low = 50}});
        auto lane = bus.make_producer();
        for (int i = 0; i < 3; ++i) {
            EXPECT_TRUE(in_lane ? lane.publish(tick{i}) : bus.publish(tick{i}));
        }
        observed_thread seen;
        std::atomic<bool> done{false};
        std::thread publisher([&] {
            seen.announce();
            EXPECT_TRUE(in_lane ? lane.publish(tick{3}, admission_class::low)
                                : bus.publish(tick{3}, admission_class::low));
            done = true;
        });
        await([&] { return done.load() || seen.sleeps(); });
        EXPECT_FALSE(done.load()) << "in lane: " << in_lane;
        EXPECT_EQ(bus.process_batch(1), 1u);
        EXPECT_EQ(bus.stats().queued, 2u); // The level is 2.
        EXPECT_EQ(bus.process_batch(1), 1u);
        publisher.join();
        EXPECT_EQ(bus.process_batch(), 2u);
    }
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
    EXPECT_THROW(bus.process_with([](auto&) {}), std::logic_error);
    EXPECT_THROW(bus.run(std::stop_token()), std::logic_error);
    EXPECT_THROW(bus.run(std::stop_token(), [](auto&) {}), std::logic_error);
    EXPECT_THROW(bus.wait_until(std::chrono::steady_clock::time_point::min()), std::logic_error);
    EXPECT_THROW(bus.wait_for(std::chrono::hours(1)), std::logic_error);
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
    const sleeping_consumer consumer(bus);
    std::vector<fragile> batch;
    batch.reserve(3);
    for (int i = 1; i <= 3; ++i) {
        batch.emplace_back(i);
    }
    EXPECT_THROW(lane.publish_batch(std::span<const fragile>(batch)), std::runtime_error);
    await([&] { return got.load() == 2; });
}

#endif
