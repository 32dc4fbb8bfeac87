// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// What the doc comment of async_bus promises while user code waits for the bus, or makes it wait:
// handlers, closures and what makes a message; each test quotes the sentence that it checks.

#include "bus_cases.hpp"
#include "support/threads.hpp"

#include <regatta/base/config.hpp>
#include <regatta/bus/async_bus.hpp>
#include <regatta/message/worker_pool.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

namespace {

using library_test::await;
using library_test::observed_thread;

struct request {
    int value;
};
struct reply {
    int value;
};
using two_type_bus = regatta::async_bus<request, reply>;

/// A message that publishes another one when it is destroyed.
struct last_words;
using obituary_bus = regatta::async_bus<last_words, std::shared_ptr<int>>;
struct last_words {
    explicit last_words(obituary_bus& to, std::shared_ptr<int> words) noexcept
        : bus(&to)
        , said(std::move(words)) {}
    last_words(last_words&& other) noexcept
        : bus(std::exchange(other.bus, nullptr))
        , said(std::move(other.said)) {}
    ~last_words() {
        if (bus != nullptr) {
            EXPECT_FALSE(bus->try_publish(std::move(said)));
        }
    }
    obituary_bus* bus;
    std::shared_ptr<int> said;
};

/// A message that says something when it is destroyed.
struct farewell {
    explicit farewell(std::function<void()> w) : words(std::move(w)) {}
    farewell(farewell&& other) noexcept : words(std::exchange(other.words, nullptr)) {}
    ~farewell() {
        if (words) {
            words();
        }
    }
    std::function<void()> words;
};

/// A message that calls something as it is copied.
struct copied {
    explicit copied(const std::function<void()>& c) : call(&c) {}
    copied(copied&&) noexcept = default;
    copied(const copied& other) noexcept : call(other.call) { (*call)(); }
    const std::function<void()>* call;
};

} // namespace

// `block`: "The caller waits for room": not where there is some.
TEST(bus, a_publisher_goes_on_while_a_handler_waits_for_it) {
    for (const bool common : {false, true}) {
        const library_test::time_limit limit("a handler that waits for a publisher that has room");
        two_type_bus bus({.capacity = 2, .producers = 2});
        auto one = bus.make_producer();
        auto two = bus.make_producer();
        std::atomic<bool> third{false};
        bus.subscribe<request>([](request&) {});
        bus.subscribe<reply>([&](reply&) { await([&] { return third.load(); }); });
        observed_thread seen;
        std::thread producer([&] {
            seen.announce();
            if (common) {
                bus.publish(request{1});
                bus.publish(reply{2});
                bus.publish(request{3});
            } else {
                one.publish(request{1});
                one.publish(request{2});
                one.publish(request{3});
            }
            third = true;
        });
        if (!common) {
            two.publish(reply{1});
        }
        seen.await_sleep();
        while (!third) {
            bus.process_batch();
        }
        producer.join();
    }
}

// "cannot keep the others out"
TEST(bus, a_flood_in_the_common_lane_does_not_keep_out_a_producer_in_one_batch) {
    two_type_bus bus({.capacity = 1024, .producers = 1});
    auto lane = bus.make_producer();
    int handled = 0;
    int before = -1;
    bus.subscribe<request>([&](request&) {
        if (++handled == 1) {
            lane.publish(reply{1});
        }
        if (handled < 100'000) {
            bus.try_publish(request{0});
        }
    });
    bus.subscribe<reply>([&](reply&) { before = handled; });
    for (int i = 0; i < 200; ++i) {
        bus.publish(request{i});
    }
    bus.process_batch(SIZE_MAX);
    EXPECT_GT(before, 0);
    EXPECT_LT(before, 1000);
}

// "On return its handler is destroyed", also of a call in what makes a message.
TEST(bus, what_makes_a_message_may_unsubscribe_while_a_closed_bus_runs_out) {
    const library_test::time_limit limit("run and unsubscribe, which must not wait for each other");
    two_type_bus bus({.capacity = 8, .producers = 1});
    auto lane = bus.make_producer();
    const auto s = bus.subscribe<request>([](request&) {});
    std::atomic<bool> closed{false};
    observed_thread seen;
    std::thread consumer([&] {
        await([&] { return closed.load(); });
        seen.announce();
        bus.run(std::stop_token());
    });
    std::thread producer([&] {
        lane.publish_batch<request>(1, [&](std::size_t) {
            bus.close();
            closed = true;
            seen.await_sleep(); // It waits for this message.
            EXPECT_TRUE(bus.unsubscribe(s));
            return request{1};
        });
    });
    producer.join();
    consumer.join();
}

// The same of a message that is copied into the common lane, while `run` waits for it.
TEST(bus, the_copy_of_a_message_may_unsubscribe_while_run_returns) {
    for (const bool close : {true, false}) {
        const library_test::time_limit limit("run and unsubscribe, which must not wait");
        regatta::async_bus<copied, reply> bus;
        const auto s = bus.subscribe<reply>([](reply&) {});
        std::stop_source stop;
        std::atomic<bool> over{false};
        observed_thread seen;
        std::thread consumer([&] {
            await([&] { return over.load(); });
            seen.announce();
            bus.run(stop.get_token());
        });
        const std::function<void()> call = [&] {
            close ? bus.close() : static_cast<void>(stop.request_stop());
            over = true;
            seen.await_sleep(); // It waits for this message.
            EXPECT_TRUE(bus.unsubscribe(s));
        };
        const copied m(call);
        EXPECT_TRUE(bus.publish(m));
        consumer.join();
        EXPECT_EQ(bus.stats().processed, 1u);
    }
}

// And one that waits for a message that it has put into a lane meanwhile.
TEST(bus, the_copy_of_a_message_may_wait_for_another_one_while_run_returns) {
    const library_test::time_limit limit("run and the copy of a message, which wait");
    regatta::async_bus<copied, reply> bus({.producers = 1});
    auto lane = bus.make_producer();
    std::atomic<bool> answered{false};
    bus.subscribe<reply>([&](reply&) { answered = true; });
    std::stop_source stop;
    observed_thread seen;
    std::thread consumer([&] {
        await([&] { return stop.stop_requested(); });
        seen.announce();
        bus.run(stop.get_token());
    });
    const std::function<void()> call = [&] {
        stop.request_stop();
        seen.await_sleep(); // It waits for this message.
        EXPECT_TRUE(lane.publish(reply{1}));
        await([&] { return answered.load(); });
    };
    const copied m(call);
    EXPECT_TRUE(bus.publish(m));
    consumer.join();
    EXPECT_EQ(bus.stats().processed, 2u);
}

// The lock of the registrations is "never held while user code runs": moves of closures are some.
TEST(bus, a_closure_that_takes_a_lock_when_it_moves_does_not_hang_with_unsubscribe) {
    const library_test::time_limit limit("subscribe and unsubscribe, which must not deadlock");
    static std::mutex registry;
    static std::atomic<int> moves;
    static std::atomic<bool> held;
    struct registered {
        registered() = default;
        registered(registered&&) noexcept {
            // The second move is the one into the bus: the other thread has the lock by then.
            if (++moves == 2) {
                await([] { return held.load(); });
            }
            if (moves > 1) {
                const std::lock_guard lock(registry);
            }
        }
    };
    two_type_bus bus;
    const auto s = bus.subscribe<request>([](request&) {});
    moves = -100;
    held = false;
    auto handler = [r = registered()](request&) { static_cast<void>(r); };
    moves = 0;
    std::thread other([&] {
        await([] { return moves.load() >= 2; });
        const std::lock_guard lock(registry);
        held = true;
        EXPECT_TRUE(bus.unsubscribe(s));
    });
    bus.subscribe<request>(std::move(handler));
    other.join();
    EXPECT_GE(moves.load(), 2);
}

// "Destroys the handlers, whose destructors may still use the bus": also one that is full.
TEST(bus, a_handler_s_destructor_may_publish_into_a_full_bus_that_ends) {
    const library_test::time_limit limit("the destructor of a bus that nobody will read");
    struct farewell {
        two_type_bus* bus;
        ~farewell() { EXPECT_FALSE(bus->publish(request{0})); }
    };
    two_type_bus bus({.capacity = 2});
    bus.subscribe<request>([f = std::make_unique<farewell>(&bus)](request&) {});
    while (bus.try_publish(request{1})) {
    }
}

// "unprocessed messages, whose destructors may publish and are refused"
TEST(bus, what_the_destructor_of_a_message_publishes_into_a_bus_that_ends_is_destroyed) {
    for (const bool common : {false, true}) {
        const auto words = std::make_shared<int>(0);
        {
            obituary_bus bus({.capacity = 2, .producers = 1});
            auto lane = bus.make_producer();
            for (int i = 0; i < 2; ++i) {
                common ? bus.publish(last_words(bus, words)) : lane.publish(last_words(bus, words));
            }
        }
        EXPECT_EQ(words.use_count(), 1) << "common: " << common;
    }
}

// "The destructors of both may still use the bus": those of messages subscribe and unsubscribe,
// too.
TEST(bus, the_destructor_of_a_message_may_change_subscriptions_in_a_bus_that_ends) {
    for (const bool common : {false, true}) {
        const auto held = std::make_shared<int>(0);
        int changes = 0;
        {
            regatta::async_bus<farewell>::subscription s;
            regatta::async_bus<farewell> bus({.capacity = 4, .producers = 1});
            auto lane = bus.make_producer();
            s = bus.subscribe<farewell>([](farewell&) {});
            const std::function<void()> leave = [&] { changes += bus.unsubscribe(s) ? 0 : 1; };
            const std::function<void()> join = [&, held] {
                static_cast<void>(bus.subscribe<farewell>([held](farewell&) {}));
                ++changes;
            };
            for (const auto& words : {leave, join}) {
                common ? bus.publish(farewell(words)) : lane.publish(farewell(words));
            }
        }
        EXPECT_EQ(changes, 2) << "common: " << common;
        EXPECT_EQ(held.use_count(), 1) << "common: " << common;
    }
}

// "Calls `handler` with every message of type `T` from now on", "destroys the handler before the
// next message": also if a message's destructor subscribes and unsubscribes, between two of a
// batch.
TEST(bus, what_the_destructor_of_a_message_changes_holds_for_the_next_message) {
    for (const bool common : {false, true}) {
        const auto held = std::make_shared<int>(0);
        int joined = 0;
        regatta::async_bus<farewell> bus({.capacity = 4, .producers = 1, .subscribers = 2});
        auto lane = bus.make_producer();
        const auto s = bus.subscribe<farewell>([held](farewell&) { ++*held; });
        const std::function<void()> change = [&] {
            EXPECT_TRUE(bus.unsubscribe(s));
            static_cast<void>(bus.subscribe<farewell>([&](farewell&) {
                ++joined;
                EXPECT_EQ(held.use_count(), 1);
            }));
        };
        for (const auto& words : {change, std::function<void()>()}) {
            common ? bus.publish(farewell(words)) : lane.publish(farewell(words));
        }
        EXPECT_EQ(bus.process_batch(), 2u);
        EXPECT_EQ(*held, 1) << "common: " << common;
        EXPECT_EQ(joined, 1) << "common: " << common;
    }
}

// "`visitor` must take a reference to each type of the set", "as `void(T&)`".
TEST(bus, takes_pointers_to_members_as_handlers) {
    struct counter {
        int calls = 0;
        void count() { ++calls; }
        int twice() const { return 2 * calls; }
    };
    struct count_of {
        counter* of;
        void count() { of->count(); }
    };
    counter c;
    regatta::async_bus<count_of> bus({.capacity = 4});
    bus.subscribe<count_of>(&count_of::count);
    EXPECT_TRUE(bus.publish(count_of{&c}));
    EXPECT_EQ(bus.process_batch(), 1u);
    EXPECT_TRUE(bus.publish(count_of{&c}));
    EXPECT_EQ(bus.process_with(&count_of::count), 1u);
    EXPECT_EQ(c.calls, 2);
    regatta::worker_pool<count_of> pool({.threads = 1});
    pool.on<count_of>(&count_of::count);
    pool.start();
    EXPECT_TRUE(pool.submit(count_of{&c}));
    pool.drain();
    EXPECT_EQ(c.twice(), 6);
}

// "as `void(T&)`": what a handler or visitor returns is dropped, without a warning also if that is
// not to be ignored.
TEST(bus, drops_what_handlers_return) {
    struct [[nodiscard]] verdict {
        int of;
    };
    const auto judge = [](const request& r) { return verdict{r.value}; };
    regatta::async_bus<request> bus({.capacity = 4});
    bus.subscribe<request>(judge);
    EXPECT_TRUE(bus.publish(request{1}));
    EXPECT_EQ(bus.process_batch(), 1u);
    EXPECT_TRUE(bus.publish(request{2}));
    EXPECT_EQ(bus.process_with(judge), 1u);
    regatta::worker_pool<request, reply> pool({.threads = 1});
    pool.on<request>(judge);
    pool.on<reply>([](const reply& r, unsigned) { return verdict{r.value}; });
    pool.start();
    EXPECT_TRUE(pool.submit(request{3}));
    EXPECT_TRUE(pool.submit(reply{4}));
    pool.drain();
    EXPECT_EQ(pool.stats().handled, 2u);
}
