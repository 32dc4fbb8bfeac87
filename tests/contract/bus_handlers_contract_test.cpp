// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// What the doc comment of async_bus promises of subscriptions, and of what a handler may do; each
// test quotes the sentence that it checks.

#include "bus_cases.hpp"
#include "support/counted.hpp"
#include "support/threads.hpp"

#include <regatta/bus/async_bus.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <memory>
#include <span>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

namespace {

using library_test::await;
using library_test::bus_type;
using library_test::consumer_of;
using library_test::counted;
using library_test::drain;
using library_test::rounds;
using library_test::text;
using library_test::tick;
using regatta::admission_class;

} // namespace

// "Called within a handler, it destroys the handler before the next message" and "will not be
// called again".
TEST(bus, a_handler_may_unsubscribe_itself) {
    std::atomic<int> alive{0};
    bus_type bus;
    int calls = 0;
    bus_type::subscription mine;
    mine = bus.subscribe<tick>([&, c = counted(alive, 0)](tick&) {
        ++calls;
        EXPECT_TRUE(bus.unsubscribe(mine));
        EXPECT_FALSE(bus.unsubscribe(mine));
        EXPECT_TRUE(c.holds());
        EXPECT_EQ(alive.load(), 1);
    });
    bus.publish(tick{1});
    bus.publish(tick{2});
    bus.process_batch();
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(alive.load(), 0);
    EXPECT_EQ(bus.stats().unhandled, 1u);
}

// "subscribing, `unsubscribe` … from any thread, handlers included".
TEST(bus, a_handler_may_unsubscribe_another_and_subscribe_new_ones) {
    std::atomic<int> alive{0};
    bus_type bus;
    int other_calls = 0;
    int new_calls = 0;
    bus_type::subscription other;
    bool first = true;
    bus.subscribe<tick>([&](tick&) {
        if (std::exchange(first, false)) {
            EXPECT_TRUE(bus.unsubscribe(other));
            bus.subscribe<tick>([&](tick&) { ++new_calls; });
            bus.subscribe<text>([&](text&) { ++new_calls; });
        }
    });
    other = bus.subscribe<tick>([&, c = counted(alive, 0)](tick&) { ++other_calls; });
    bus.publish(tick{1});
    bus.process_batch();
    EXPECT_EQ(other_calls, 0);
    EXPECT_EQ(alive.load(), 0);
    const int before = new_calls; // Of the message at hand the new one may or may not know.
    bus.publish(tick{2});
    bus.publish(text{});
    bus.process_batch();
    EXPECT_EQ(new_calls - before, 2);
}

// "Called within a handler, it takes effect with the next message": also if the handler does
// nothing else.
TEST(bus, a_handler_that_only_subscribes_is_heeded) {
    bus_type bus;
    int texts = 0;
    bus.subscribe<tick>([&](tick&) { bus.subscribe<text>([&](text&) { ++texts; }); });
    bus.publish(tick{1});
    bus.publish(text{});
    EXPECT_EQ(bus.process_batch(), 2u);
    EXPECT_EQ(texts, 1);
}

// "it destroys the handler before the next message": all that one handler has ended.
TEST(bus, a_handler_may_unsubscribe_several) {
    std::atomic<int> alive{0};
    bus_type bus;
    std::vector<bus_type::subscription> others(3);
    bus.subscribe<tick>([&](tick&) {
        for (auto& other : others) {
            bus.unsubscribe(other);
        }
    });
    for (auto& other : others) {
        other = bus.subscribe<tick>([c = counted(alive, 0)](tick&) {});
    }
    bus.subscribe<text>([&](text&) { EXPECT_EQ(alive.load(), 0); });
    bus.publish(tick{1});
    bus.publish(text{});
    EXPECT_EQ(bus.process_batch(), 2u);
}

// The same of what the destructor of a handler does between two messages, for any type.
TEST(bus, what_a_handler_s_destructor_subscribes_gets_the_next_message) {
    bus_type bus;
    int ticks = 0;
    const auto subscribe = [&](void*) { bus.subscribe<tick>([&](tick&) { ++ticks; }); };
    bus_type::subscription once;
    once = bus.subscribe<text>([&, end = std::unique_ptr<void, decltype(subscribe)>(
                                       &ticks, subscribe)](text&) { bus.unsubscribe(once); });
    bus.publish(text{});
    bus.publish(tick{1});
    EXPECT_EQ(bus.process_batch(), 2u);
    EXPECT_EQ(ticks, 1);
}

// "it destroys the handler before the next message": so a place is free again at once.
TEST(bus, a_handler_may_replace_itself_at_every_message) {
    bus_type bus({.subscribers = 2});
    int calls = 0;
    bus_type::subscription mine;
    struct replacing {
        bus_type& bus;
        int& calls;
        bus_type::subscription& mine;
        void operator()(tick&) const {
            ++calls;
            bus.unsubscribe(mine);
            mine = bus.subscribe<tick>(replacing{bus, calls, mine});
        }
    };
    mine = bus.subscribe<tick>(replacing{bus, calls, mine});
    for (int i = 0; i < 100; ++i) {
        bus.publish(tick{i});
    }
    EXPECT_EQ(bus.process_batch(), 100u);
    EXPECT_EQ(calls, 100); // "from the next message on"
}

// "Identifies one subscription; a plain value, which may outlive it."
TEST(bus, an_old_subscription_does_not_end_a_new_one) {
    bus_type bus({.subscribers = 1});
    const auto old = bus.subscribe<tick>([](tick&) {});
    EXPECT_TRUE(bus.unsubscribe(old));
    int calls = 0;
    const auto now = bus.subscribe<tick>([&](tick&) { ++calls; });
    EXPECT_FALSE(bus.unsubscribe(old));
    EXPECT_FALSE(bus.unsubscribe({}));
    bus.publish(tick{1});
    bus.process_batch();
    EXPECT_EQ(calls, 1);
    EXPECT_TRUE(bus.unsubscribe(now));
}

// The destructor of a handler is user code, too, and may use the bus.
TEST(bus, a_handler_s_destructor_may_use_the_bus) {
    struct last_words {
        bus_type* bus;
        bus_type::subscription also;
        explicit last_words(bus_type& b, bus_type::subscription s) noexcept : bus(&b), also(s) {}
        last_words(last_words&& other) noexcept
            : bus(std::exchange(other.bus, nullptr))
            , also(other.also) {}
        ~last_words() {
            if (bus != nullptr) {
                EXPECT_TRUE(bus->unsubscribe(also));
                EXPECT_TRUE(bus->publish(text{"gone"}));
                bus->subscribe<text>([](text&) {});
            }
        }
    };
    std::atomic<int> alive{0};
    bus_type bus;
    const auto also = bus.subscribe<text>([c = counted(alive, 0)](text&) {});
    bus_type::subscription mine;
    mine = bus.subscribe<tick>([&bus, &mine, w = last_words(bus, also)](tick&) {
        static_cast<void>(w);
        bus.unsubscribe(mine);
    });
    bus.publish(tick{1});
    EXPECT_EQ(drain(bus), 2); // The last words, too.
    EXPECT_EQ(alive.load(), 0);
    EXPECT_EQ(bus.stats().unhandled, 0u);

    const auto outside = bus.subscribe<text>([c = counted(alive, 1)](text&) {});
    const auto other =
        bus.subscribe<tick>([w = last_words(bus, outside)](tick&) { static_cast<void>(w); });
    EXPECT_TRUE(bus.unsubscribe(other)); // From outside a batch, by this thread.
    EXPECT_EQ(alive.load(), 0);
}

// … also when it ends with the bus: what a handler holds may end its own subscription.
TEST(bus, a_handler_s_destructor_may_use_the_bus_that_ends) {
    struct guard {
        bus_type* bus = nullptr;
        bus_type::subscription mine{};
        bus_type::subscription other{};
        counted c;
        guard(bus_type& b, std::atomic<int>& alive) : bus(&b), c(alive, 0) {}
        ~guard() {
            EXPECT_FALSE(bus->unsubscribe(mine));
            EXPECT_TRUE(bus->unsubscribe(other));
            EXPECT_TRUE(bus->publish(text{"gone"}));
        }
    };
    std::atomic<int> alive{0};
    {
        bus_type bus;
        auto one = std::make_unique<guard>(bus, alive);
        guard& inside = *one;
        inside.mine = bus.subscribe<tick>([own = std::move(one)](tick&) {});
        inside.other = bus.subscribe<text>([c = counted(alive, 1)](text&) {});
        EXPECT_EQ(alive.load(), 2);
    }
    EXPECT_EQ(alive.load(), 0);
}

// "Called within a visitor, it destroys the handler at the end of that `process_with`."
TEST(bus, a_visitor_may_unsubscribe_a_handler) {
    bus_type bus;
    auto alive = std::make_shared<int>(0);
    const auto s = bus.subscribe<tick>([alive](tick&) { ADD_FAILURE(); });
    bus.publish(tick{1});
    bus.publish(tick{2});
    int seen = 0;
    bus.process_with([&]<class T>(T&) {
        EXPECT_EQ(bus.unsubscribe(s), ++seen == 1);
        EXPECT_EQ(alive.use_count(), 2);
    });
    EXPECT_EQ(seen, 2);
    EXPECT_EQ(alive.use_count(), 1);
}

// "Threads: publishing, subscribing, `unsubscribe`, `close` and `stats` from any thread, handlers
// included": no handler runs under a lock.
TEST(bus, a_handler_may_call_what_is_allowed_there) {
    bus_type bus({.capacity = 8, .producers = 1, .subscribers = 4});
    int texts = 0;
    bus.subscribe<text>([&](text&) { ++texts; });
    bus.subscribe<tick>([&](tick&) {
        EXPECT_TRUE(bus.publish(text{"a"}));
        EXPECT_TRUE(bus.publish(text{"b"}, admission_class::high));
        EXPECT_TRUE(bus.try_publish(text{"c"}));
        EXPECT_TRUE(bus.try_publish(text{"d"}, admission_class::high));
        auto lane = bus.make_producer();
        EXPECT_TRUE(lane.publish(text{"e"}));
        EXPECT_TRUE(lane.publish(text{"f"}, admission_class::low));
        EXPECT_TRUE(lane.try_publish(text{"g"}));
        const std::array<text, 2> batch{text{"h"}, text{"i"}};
        EXPECT_EQ(lane.publish_batch(std::span<const text>(batch)), 2u);
        EXPECT_EQ(lane.try_publish_batch(std::span<const text>(batch)), 2u);
        EXPECT_TRUE(bus.unsubscribe(bus.subscribe<text>([](text&) {})));
        EXPECT_GT(bus.stats().published, 1u);
        EXPECT_EQ(bus.capacity(), 8u);
        bus.close();
        EXPECT_TRUE(bus.closed());
    });
    bus.publish(tick{1});
    EXPECT_EQ(drain(bus), 12);
    EXPECT_EQ(texts, 11);
}

/// A handler that still runs when another thread begins to unsubscribe it.
class handler_that_lingers {
public:
    std::atomic<int> alive{0}; ///< Of the values that the handler holds.

    /// In the handler, at its end.
    void linger() {
        entered_ = true;
        await([&] { return unsubscribing_.load(); });
        for (int i = 0; i < 20; ++i) {
            std::this_thread::yield();
        }
        ++after_it_;
    }
    /// In the other thread, which unsubscribes next.
    void await_entry() {
        await([&] { return entered_.load(); });
        unsubscribing_ = true;
    }
    void expect_end() const {
        EXPECT_EQ(after_it_, 1);
        EXPECT_EQ(alive.load(), 0);
    }

private:
    std::atomic<bool> entered_{false};
    std::atomic<bool> unsubscribing_{false};
    int after_it_ = 0; // Not atomic: unsubscribe orders it.
};

// "`unsubscribe` from another thread waits for the end of the consumer's current batch": "On return
// its handler is destroyed: it is not running and will not be called again".
TEST(bus, unsubscribe_waits_until_the_handler_has_ended_and_is_destroyed) {
    const library_test::time_limit limit("unsubscribe to return");
    for (int round = 0; round < rounds(200); ++round) {
        handler_that_lingers handler;
        bus_type bus;
        const auto s =
            bus.subscribe<tick>([&, c = counted(handler.alive, 0)](tick&) { handler.linger(); });
        const auto consumer = consumer_of(bus);
        bus.publish(tick{1});
        handler.await_entry();
        EXPECT_TRUE(bus.unsubscribe(s));
        handler.expect_end();
    }
}

// The same if the handler has ended its subscription itself and still runs.
TEST(bus, unsubscribe_waits_also_for_a_handler_that_ended_itself) {
    for (int round = 0; round < rounds(200); ++round) {
        handler_that_lingers handler;
        bus_type bus;
        bus_type::subscription s;
        s = bus.subscribe<tick>([&, c = counted(handler.alive, 0)](tick&) {
            EXPECT_TRUE(bus.unsubscribe(s));
            handler.linger();
        });
        const auto consumer = consumer_of(bus);
        bus.publish(tick{1});
        handler.await_entry();
        EXPECT_FALSE(bus.unsubscribe(s));
        handler.expect_end();
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
