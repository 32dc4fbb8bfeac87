// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// What the doc comment of async_bus promises of messages: which are let in, whom they get to, what
// becomes of the others; each test quotes the sentence that it checks.

#include "bus_cases.hpp"
#include "support/threads.hpp"

#include <regatta/bus/async_bus.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using library_test::await;
using library_test::bus_type;
using library_test::drain;
using library_test::text;
using library_test::tick;
using regatta::admission_class;
using regatta::when_full;

using owned = std::unique_ptr<int>;

/// Counts how often one of its kind was copied or moved.
struct carried {
    int value;
    int* moves;
    carried(int v, int& m) noexcept : value(v), moves(&m) {}
    carried(const carried& other) noexcept : value(other.value), moves(other.moves) { ++*moves; }
    carried& operator=(const carried&) = delete;
    ~carried() = default;
};

} // namespace

// "Calls `handler` with every message of type `T` from now on" …
TEST(bus, each_handler_gets_the_messages_of_its_type) {
    bus_type bus;
    std::vector<std::string> got;
    bus.publish(tick{1});
    bus.process_batch();
    bus.subscribe<tick>([&](const tick& t) { got.push_back(std::to_string(t.value) + "a"); });
    bus.subscribe<tick>([&](tick& t) { got.push_back(std::to_string(t.value) + "b"); });
    bus.subscribe<text>([&](const text& t) { got.push_back(t.line); });
    bus.publish(tick{2});
    bus.publish(text{"line"});
    EXPECT_EQ(bus.process_batch(), 2u);
    EXPECT_EQ(got, (std::vector<std::string>{"2a", "2b", "line"}));
    EXPECT_EQ(bus.stats().unhandled, 1u);
}

// The same of many types, in a lane and in the common one.
TEST(bus, each_handler_gets_the_messages_of_its_type_of_many) {
    using many = regatta::async_bus<char, signed char, unsigned char, short, unsigned short, int,
                                    unsigned, long, double, text>;
    many bus({.capacity = 16, .producers = 1});
    auto lane = bus.make_producer();
    std::string got;
    const auto all = [&]<class... T>(const auto& call, const T&... values) { (call(values), ...); };
    const auto each = [&](const auto& call) {
        all(call, 'a', static_cast<signed char>('b'), static_cast<unsigned char>('c'), short{'d'},
            static_cast<unsigned short>('e'), int{'f'}, static_cast<unsigned>('g'), long{'h'},
            double{'i'}, text{"j"});
    };
    each([&]<class T>(const T& value) {
        bus.subscribe<T>([&got, value](const T& m) {
            if constexpr (std::is_same_v<T, text>) {
                got += m.line;
            } else {
                EXPECT_EQ(m, value);
                got += static_cast<char>(m);
            }
        });
    });
    each([&](const auto& value) { EXPECT_TRUE(lane.publish(value)); });
    each([&](const auto& value) { EXPECT_TRUE(bus.publish(value)); });
    EXPECT_EQ(bus.process_batch(), 20u);
    EXPECT_EQ(got, "abcdefghijabcdefghij");
}

// "No singleton": nothing is shared by two objects of one type.
TEST(bus, two_of_one_type_are_independent) {
    bus_type one;
    bus_type other;
    int calls = 0;
    const auto s = one.subscribe<tick>([&](tick&) { ++calls; });
    other.publish(tick{1});
    EXPECT_EQ(one.process_batch(), 0u);
    EXPECT_EQ(other.process_batch(), 1u);
    EXPECT_EQ(calls, 0);
    EXPECT_EQ(other.stats().unhandled, 1u);
    other.close();
    EXPECT_FALSE(one.closed());
    EXPECT_TRUE(one.publish(tick{2}));
    EXPECT_EQ(drain(one), 1);
    EXPECT_EQ(calls, 1);
    EXPECT_TRUE(one.unsubscribe(s));
}

// A handler of one bus may work with another: no state is shared by thread either.
TEST(bus, a_handler_may_process_another_bus) {
    bus_type outer;
    bus_type inner({.capacity = 2});
    int calls = 0;
    inner.subscribe<tick>([&](tick&) { ++calls; });
    outer.subscribe<tick>([&](tick& t) {
        inner.publish(t);
        inner.publish(t);
        inner.process_batch();
    });
    outer.publish(tick{1});
    outer.process_batch();
    EXPECT_EQ(calls, 2);
}

// "Messages are values": also such as cannot be copied; a visitor "may move from it".
TEST(bus, takes_messages_that_cannot_be_copied) {
    regatta::async_bus<owned, tick> bus;
    auto lane = bus.make_producer();
    EXPECT_TRUE(bus.publish(std::make_unique<int>(1)));
    EXPECT_TRUE(bus.try_publish(std::make_unique<int>(2), admission_class::low));
    EXPECT_TRUE(lane.publish(std::make_unique<int>(3)));
    std::vector<owned> kept;
    struct visitor {
        std::vector<owned>& kept;
        void operator()(owned& o) const { kept.push_back(std::move(o)); }
        void operator()(const tick&) const {}
    };
    EXPECT_EQ(bus.process_with(visitor{kept}), 3u);
    ASSERT_EQ(kept.size(), 3u);
    EXPECT_EQ(*kept[0] + *kept[1] + *kept[2], 6);
    int seen = 0;
    bus.subscribe<owned>([&, own = std::make_unique<int>(10)](owned& o) { seen = *o + *own; });
    EXPECT_TRUE(bus.publish(std::make_unique<int>(4)));
    bus.process_batch();
    EXPECT_EQ(seen, 14);
}

// "No handler is called" by process_with; "up to `max` messages".
TEST(bus, a_visitor_gets_every_type_and_handlers_do_not) {
    bus_type bus;
    bus.subscribe<tick>([](tick&) { ADD_FAILURE(); });
    for (int i = 0; i < 5; ++i) {
        bus.publish(tick{i});
    }
    bus.publish(text{"t"});
    int ticks = 0;
    int texts = 0;
    const auto count = [&]<class T>(T&) { ++(std::is_same_v<T, tick> ? ticks : texts); };
    EXPECT_EQ(bus.process_with(count, 0), 0u);
    EXPECT_EQ(bus.process_with(count, 2), 2u);
    EXPECT_EQ(ticks, 2);
    EXPECT_EQ(bus.process_with(count), 4u);
    EXPECT_EQ(ticks, 5);
    EXPECT_EQ(texts, 1);
    EXPECT_EQ(bus.stats().unhandled, 0u);
}

// "The same, but gives the messages to `visitor` as `process_with` does and calls no handler":
// those that come while it runs, and those that are left when it is stopped or the bus is closed.
TEST(bus, a_run_with_a_visitor_gives_it_every_message) {
    const library_test::time_limit limit("a run with a visitor");
    for (const bool closes : {false, true}) {
        regatta::async_bus<owned, tick> bus({.producers = 1});
        auto lane = bus.make_producer();
        bus.subscribe<owned>([](owned&) { ADD_FAILURE(); });
        bus.subscribe<tick>([](tick&) { ADD_FAILURE(); });
        std::vector<owned> kept;
        std::atomic<int> ticks{0};
        struct visitor {
            std::vector<owned>& kept;
            std::atomic<int>& ticks;
            int operator()(owned& o) { // Called as an lvalue; its result is ignored.
                kept.push_back(std::move(o));
                return 0;
            }
            void operator()(const tick& t) { ticks += t.value; }
        };
        std::stop_source stop;
        std::thread consumer([&] { bus.run(stop.get_token(), visitor{kept, ticks}); });
        await([&] { return bus.stats().parked != 0; });
        EXPECT_TRUE(lane.publish(std::make_unique<int>(1)));
        EXPECT_TRUE(bus.publish(tick{1}));
        await([&] { return ticks.load() == 1 && bus.stats().queued == 0; });
        closes ? bus.close() : static_cast<void>(stop.request_stop());
        consumer.join();
        if (!closes) { // A stopped one still processes what was published before.
            EXPECT_TRUE(lane.publish(std::make_unique<int>(2)));
            EXPECT_TRUE(bus.publish(tick{1}));
            bus.run(stop.get_token(), visitor{kept, ticks});
        }
        EXPECT_EQ(kept.size(), closes ? 1u : 2u);
        EXPECT_EQ(ticks.load(), closes ? 1 : 2);
        EXPECT_EQ(bus.stats().unhandled, 0u);
    }
}

// "`run` returns once the rest is processed": by a visitor, too, also one that must not be copied.
TEST(bus, a_run_with_a_visitor_processes_the_rest_of_a_closed_bus) {
    bus_type bus({.producers = 1});
    auto lane = bus.make_producer();
    bus.publish(tick{1});
    lane.publish(tick{2});
    lane.publish(text{"t"});
    bus.close();
    int ticks = 0;
    bus.run({}, [&, once = std::make_unique<int>(10)]<class T>(T& m) {
        if constexpr (std::is_same_v<T, tick>) {
            ticks += m.value * *once;
        }
    });
    EXPECT_EQ(ticks, 30);
    EXPECT_EQ(bus.stats().processed, 3u);
}

// "The same … Returns the lane; messages published in it still arrive."
TEST(bus, a_lane_is_given_back_with_what_is_in_it) {
    regatta::async_bus<tick> bus({.capacity = 4, .producers = 1});
    std::vector<int> got;
    bus.subscribe<tick>([&](tick& t) { got.push_back(t.value); });
    {
        auto lane = bus.make_producer();
        auto moved = std::move(lane);
        moved.publish(tick{1});
        moved.publish(tick{2});
    }
    auto again = bus.make_producer();
    again.publish(tick{3});
    bus.process_batch();
    EXPECT_EQ(got, (std::vector<int>{1, 2, 3}));
}

// "Returns the lane": so does a producer that another one is assigned to; it then publishes in the
// lane of the other, which may be of another bus.
TEST(bus, a_producer_that_is_assigned_to_returns_its_lane) {
    regatta::async_bus<tick> first({.capacity = 4, .producers = 1});
    regatta::async_bus<tick> second({.capacity = 4, .producers = 2});
    auto lane = first.make_producer();
    auto other = second.make_producer();
    lane = std::move(other);
    first.close();
    EXPECT_TRUE(lane.publish(tick{1}));
    EXPECT_EQ(first.stats().published, 0u);
    EXPECT_EQ(second.stats().published, 1u);
    other = first.make_producer();
    EXPECT_FALSE(other.publish(tick{2}));
    EXPECT_EQ(first.stats().refused, 1u);
    auto& same = lane;
    lane = std::move(same);
    while (lane.try_publish(tick{3})) {
    }
    auto another = second.make_producer(); // Not the lane that is full.
    EXPECT_TRUE(another.try_publish(tick{4}));
    EXPECT_EQ(second.process_batch(), 5u);
}

// "if fewer messages are queued in the lane than its class's level": exactly there.
TEST(bus, admits_each_class_up_to_its_level) {
    regatta::async_bus<tick> bus({.capacity = 128, .producers = 1});
    auto lane = bus.make_producer();
    const auto fill = [&](auto& to) {
        int n = 0;
        const auto up_to = [&](auto... p) {
            while (to.try_publish(tick{n}, p...)) {
                ++n;
            }
            return n;
        };
        EXPECT_EQ(up_to(admission_class::low), 76);     // 60 % of 128 is 76.8
        EXPECT_EQ(up_to(admission_class::medium), 102); // 80 % is 102.4
        EXPECT_EQ(up_to(admission_class::low), 102);
        EXPECT_EQ(up_to(admission_class::high), 126); // 99 % is 126.72
        EXPECT_EQ(up_to(), 128);
    };
    fill(bus);
    EXPECT_EQ(bus.stats().refused, 5u);
    fill(lane);
    EXPECT_EQ(bus.stats().refused, 10u);
    EXPECT_EQ(bus.stats().queued, 256u);
    EXPECT_EQ(bus.process_batch(1000), 256u);
    fill(lane);
    fill(bus);
    EXPECT_EQ(bus.stats().published, 512u);
}

// "Discards the message, counts it as refused and returns false."
TEST(bus, discards_and_counts_where_told_to) {
    regatta::async_bus<tick> bus({.capacity = 4, .producers = 1, .on_full = when_full::discard});
    auto lane = bus.make_producer();
    const std::vector<tick> batch(6, tick{0});
    EXPECT_EQ(lane.publish_batch(std::span<const tick>(batch)), 4u);
    EXPECT_EQ(bus.stats().refused, 2u);
    EXPECT_EQ(bus.process_batch(3), 3u);
    EXPECT_EQ(lane.try_publish_batch(batch), 3u);
    EXPECT_EQ(bus.stats().refused, 5u);
    EXPECT_EQ(lane.try_publish_batch(std::span<const tick>(batch.data(), 3)), 0u);
    EXPECT_EQ(bus.stats().refused, 8u);
    EXPECT_FALSE(lane.publish(tick{1}));
    for (int i = 0; i < 4; ++i) {
        EXPECT_TRUE(bus.publish(tick{i}));
    }
    EXPECT_FALSE(bus.publish(tick{4}));
    EXPECT_FALSE(bus.publish(tick{4}, admission_class::low));
    EXPECT_EQ(bus.stats().refused, 11u);
    EXPECT_EQ(bus.stats().published, 11u);
    EXPECT_EQ(lane.publish_batch(std::span<const tick>()), 0u);
    EXPECT_EQ(bus.stats().refused, 11u);
}

// "a vector, an array, a span of messages of one type".
TEST(bus, takes_a_batch_of_any_contiguous_kind) {
    regatta::async_bus<tick> bus({.capacity = 16, .producers = 1});
    auto lane = bus.make_producer();
    std::vector<tick> changeable{tick{0}, tick{1}};
    const std::array<tick, 2> fixed{tick{2}, tick{3}};
    const tick plain[] = {tick{4}, tick{5}};
    EXPECT_EQ(lane.publish_batch(changeable), 2u);
    EXPECT_EQ(lane.publish_batch(fixed), 2u);
    EXPECT_EQ(lane.try_publish_batch(plain), 2u);
    EXPECT_EQ(lane.publish_batch(std::span(changeable)), 2u);
    std::vector<int> seen;
    bus.process_with([&](const tick& t) { seen.push_back(t.value); });
    EXPECT_EQ(seen, (std::vector<int>{0, 1, 2, 3, 4, 5, 0, 1}));
}

// "one that floods the bus cannot keep the others out": the lanes are served in turn, 64 messages
// each, and the next batch begins where the last one stopped.
TEST(bus, a_flood_in_one_lane_does_not_keep_the_others_out) {
    for (const std::size_t batch : {std::size_t{64}, std::size_t{256}}) {
        bus_type bus({.capacity = 256, .producers = 3});
        std::vector<bus_type::producer> lanes;
        for (int i = 0; i < 3; ++i) {
            lanes.push_back(bus.make_producer());
        }
        const auto flood = [&](std::size_t i) {
            while (lanes[i].try_publish(tick{0})) {
            }
        };
        int before = 0; // Messages of the flood before that of the lane in question.
        bool there = false;
        bus.subscribe<tick>([&](tick& t) {
            there = there || t.value == 1;
            before += there ? 0 : 1;
        });
        for (std::size_t quiet = 0; quiet < 3; ++quiet) {
            before = 0;
            there = false;
            lanes[quiet].publish(tick{1});
            for (int i = 0; i < 8 && !there; ++i) {
                flood((quiet + 1) % 3);
                flood((quiet + 2) % 3);
                bus.process_batch(batch);
            }
            EXPECT_TRUE(there);
            EXPECT_LE(before, 128);
            while (bus.process_batch() != 0) {
            }
        }
    }
}

// "a `T` made of `args` in its place, without a copy or a move"; `publish` takes one.
TEST(bus, makes_messages_in_their_places) {
    regatta::async_bus<carried> bus({.capacity = 4, .producers = 1});
    auto lane = bus.make_producer();
    int moves = 0;
    int sum = 0;
    bus.subscribe<carried>([&](carried& c) { sum += c.value; });
    EXPECT_TRUE(lane.emplace<carried>(1, moves));
    const auto make = [&](std::size_t i) { return carried(static_cast<int>(10 * i), moves); };
    EXPECT_EQ(lane.publish_batch<carried>(3, make), 3u);
    EXPECT_EQ(bus.process_batch(), 4u);
    EXPECT_EQ(moves, 0);
    EXPECT_EQ(sum, 31);
    EXPECT_TRUE(lane.publish(carried(2, moves)));
    EXPECT_EQ(moves, 1);
}

// "If the lane is full, acts as `when_full` says": "`make` is called once for each message that
// finds room."
TEST(bus, makes_only_the_messages_that_find_room) {
    regatta::async_bus<tick> bus({.capacity = 4, .producers = 1, .on_full = when_full::discard});
    auto lane = bus.make_producer();
    std::vector<std::size_t> made;
    const auto make = [&](std::size_t i) {
        made.push_back(i);
        return tick{0};
    };
    EXPECT_EQ(lane.publish_batch<tick>(6, make), 4u);
    EXPECT_EQ(made, (std::vector<std::size_t>{0, 1, 2, 3}));
    EXPECT_EQ(bus.stats().refused, 2u);
    EXPECT_FALSE(lane.emplace<tick>(tick{1}));
    EXPECT_EQ(bus.stats().refused, 3u);
    bus.close();
    EXPECT_EQ(bus.process_batch(), 4u);
    EXPECT_FALSE(lane.emplace<tick>(tick{1}));
    EXPECT_EQ(lane.publish_batch<tick>(1, make), 0u);
    EXPECT_EQ(made.size(), 4u);
}

// "a refused message is unchanged"
TEST(bus, a_refused_message_stays_with_the_caller) {
    regatta::async_bus<owned> bus({.capacity = 2, .producers = 1});
    auto lane = bus.make_producer();
    for (int i = 0; i < 2; ++i) {
        EXPECT_TRUE(bus.try_publish(std::make_unique<int>(i)));
        EXPECT_TRUE(lane.try_publish(std::make_unique<int>(i)));
    }
    auto kept = std::make_unique<int>(7);
    EXPECT_FALSE(bus.try_publish(std::move(kept)));
    EXPECT_FALSE(bus.try_publish(std::move(kept), admission_class::high));
    EXPECT_FALSE(lane.try_publish(std::move(kept)));
    EXPECT_FALSE(lane.try_publish(std::move(kept), admission_class::high));
    ASSERT_NE(kept, nullptr); // NOLINT: this is the point
    EXPECT_EQ(*kept, 7);
    bus.process_batch();
    EXPECT_TRUE(bus.try_publish(std::move(kept)));
    EXPECT_EQ(kept, nullptr);
}
