// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// What the doc comment of async_bus promises; each test quotes the sentence that it checks.
// bus_waiting_contract_test.cpp has what waits, wakes and ends.

#include "../unit/counted.hpp"

#include <regatta/base/config.hpp>
#include <regatta/bus/async_bus.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace {

using library_test::counted;
using regatta::priority;
using regatta::when_full;

struct tick {
    int value;
};
struct text {
    std::string line;
};
using bus_type = regatta::async_bus<tick, text>;
using owned = std::unique_ptr<int>;

int drain(bus_type& bus) {
    int all = 0;
    while (const auto now = bus.process_batch()) {
        all += static_cast<int>(now);
    }
    return all;
}

} // namespace

// "Has `handler` called with every message of type `T` from now on" …
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

// "from within a handler it is destroyed at the end of the consumer's batch" and "its handler is
// not called any more".
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

// "Names one subscription; a plain value, which may outlive it."
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

// "Threads: publishing, subscribing, `unsubscribe`, `close` and `stats` from any thread, handlers
// included": no handler runs under a lock.
TEST(bus, a_handler_may_call_what_is_allowed_there) {
    bus_type bus({.capacity = 8, .producers = 1, .subscribers = 4});
    int texts = 0;
    bus.subscribe<text>([&](text&) { ++texts; });
    bus.subscribe<tick>([&](tick&) {
        EXPECT_TRUE(bus.publish(text{"a"}));
        EXPECT_TRUE(bus.publish(text{"b"}, priority::high));
        EXPECT_TRUE(bus.try_publish(text{"c"}));
        EXPECT_TRUE(bus.try_publish(text{"d"}, priority::high));
        auto lane = bus.make_producer();
        EXPECT_TRUE(lane.publish(text{"e"}));
        EXPECT_TRUE(lane.publish(text{"f"}, priority::low));
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

// "Messages are values": also such as cannot be copied; a visitor "may move from it".
TEST(bus, takes_messages_that_cannot_be_copied) {
    regatta::async_bus<owned, tick> bus;
    auto lane = bus.make_producer();
    EXPECT_TRUE(bus.publish(std::make_unique<int>(1)));
    EXPECT_TRUE(bus.try_publish(std::make_unique<int>(2), priority::low));
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

// "Destroys what was not processed."
TEST(bus, is_destroyed_with_messages_in_every_lane_and_with_handlers) {
    std::atomic<int> alive{0};
    {
        regatta::async_bus<counted> idle;
        regatta::async_bus<counted> bus({.capacity = 8, .producers = 2});
        auto one = bus.make_producer();
        auto two = bus.make_producer();
        bus.subscribe<counted>([c = counted(alive, 0)](counted&) {});
        for (int i = 0; i < 5; ++i) {
            bus.publish(counted(alive, i));
            one.publish(counted(alive, i));
        }
        bus.process_batch(3);
        for (int i = 0; i < 3; ++i) {
            bus.publish(counted(alive, i));
            two.publish(counted(alive, i));
        }
        EXPECT_EQ(alive.load(), 1 + 10 - 3 + 6);
    }
    EXPECT_EQ(alive.load(), 0);
}

// "if fewer messages wait in the lane than the priority's admission level": exactly there.
TEST(bus, admits_each_priority_up_to_its_level) {
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
        EXPECT_EQ(up_to(priority::low), 76);     // 60 % of 128 is 76.8
        EXPECT_EQ(up_to(priority::medium), 102); // 80 % is 102.4
        EXPECT_EQ(up_to(priority::low), 102);
        EXPECT_EQ(up_to(priority::high), 126); // 99 % is 126.72
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

// "Gives the message up, counts it and returns false."
TEST(bus, discards_and_counts_where_told_to) {
    regatta::async_bus<tick> bus({.capacity = 4, .producers = 1, .on_full = when_full::discard});
    auto lane = bus.make_producer();
    const std::vector<tick> batch(6, tick{0});
    EXPECT_EQ(lane.publish_batch(std::span<const tick>(batch)), 4u);
    EXPECT_EQ(bus.stats().refused, 2u);
    EXPECT_EQ(lane.try_publish_batch(std::span<const tick>(batch)), 0u);
    EXPECT_EQ(bus.stats().refused, 8u);
    EXPECT_FALSE(lane.publish(tick{1}));
    for (int i = 0; i < 4; ++i) {
        EXPECT_TRUE(bus.publish(tick{i}));
    }
    EXPECT_FALSE(bus.publish(tick{4}));
    EXPECT_FALSE(bus.publish(tick{4}, priority::low));
    EXPECT_EQ(bus.stats().refused, 11u);
    EXPECT_EQ(bus.stats().published, 8u);
    EXPECT_EQ(lane.publish_batch(std::span<const tick>()), 0u);
    EXPECT_EQ(bus.stats().refused, 11u);
}

// "The same … Gives the lane back; what was published in it still arrives."
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

#if REGATTA_EXCEPTIONS

// "An exception of a handler leaves `process_batch`, `process_with` or `run`; its message counts as
// processed and the bus stays usable."
TEST(bus, an_exception_of_a_handler_leaves_and_the_bus_goes_on) {
    std::atomic<int> alive{0};
    regatta::async_bus<counted> bus({.producers = 1});
    auto lane = bus.make_producer();
    std::vector<int> got;
    bus.subscribe<counted>([&](counted& c) {
        if (c.value() % 2 == 1) {
            throw std::runtime_error(std::to_string(c.value()));
        }
        got.push_back(c.value());
    });
    for (int i = 0; i < 4; ++i) {
        bus.publish(counted(alive, i));
        lane.publish(counted(alive, 10 + i));
    }
    int thrown = 0;
    for (;;) {
        try {
            if (bus.process_batch() == 0) {
                break;
            }
        } catch (const std::runtime_error&) {
            ++thrown;
            EXPECT_EQ(bus.stats().processed, got.size() + static_cast<std::size_t>(thrown));
        }
    }
    EXPECT_EQ(thrown, 4);
    EXPECT_EQ(got.size(), 4u);
    EXPECT_EQ(alive.load(), 0);
    bus.publish(counted(alive, 5));
    EXPECT_THROW(bus.run(std::stop_token()), std::runtime_error);
    bus.publish(counted(alive, 7));
    EXPECT_THROW(bus.process_with([](counted&) { throw std::logic_error("visitor"); }),
                 std::logic_error);
    bus.publish(counted(alive, 6));
    EXPECT_EQ(bus.process_batch(), 1u);
    EXPECT_EQ(got.back(), 6);
}

// "A publish that would block inside a handler would wait for itself: it throws
// `std::system_error` (`resource_deadlock_would_occur`)."
TEST(bus, a_handler_that_publishes_into_a_full_lane_is_told) {
    bus_type bus({.capacity = 2, .producers = 1});
    auto lane = bus.make_producer();
    int told = 0;
    const auto expect_deadlock = [&](auto&& publish) {
        try {
            while (publish()) {
            }
            ADD_FAILURE() << "returned";
        } catch (const std::system_error& error) {
            EXPECT_EQ(error.code(), std::errc::resource_deadlock_would_occur);
            ++told;
        }
    };
    const std::vector<text> batch(5);
    const auto once = bus.subscribe<tick>([&](tick&) {
        expect_deadlock([&] { return bus.publish(text{}); });
        expect_deadlock([&] { return bus.publish(text{}, priority::high); });
        expect_deadlock([&] { return lane.publish(text{}); });
        expect_deadlock([&] { return lane.publish_batch(std::span<const text>(batch)) != 0; });
        EXPECT_FALSE(bus.try_publish(text{}));
    });
    bus.publish(tick{1});
    bus.process_batch(1);
    EXPECT_EQ(told, 4);
    bus.unsubscribe(once);
    drain(bus);
    // Full or not, a closed bus refuses: there is nothing to wait for.
    bus.subscribe<tick>([&](tick&) {
        bus.close();
        EXPECT_FALSE(bus.publish(text{}));
        EXPECT_FALSE(lane.publish(text{}));
        EXPECT_EQ(lane.publish_batch(std::span<const text>(batch)), 0u);
    });
    bus.publish(tick{2});
    EXPECT_EQ(bus.process_batch(), 1u);
}

// "process_batch, process_with and run from one thread at a time": "Throws `std::logic_error`".
TEST(bus, a_handler_must_not_process_its_own_bus) {
    bus_type bus;
    bus.subscribe<tick>([&](tick&) {
        EXPECT_THROW(bus.process_batch(), std::logic_error);
        EXPECT_THROW(bus.process_with([](auto&) {}), std::logic_error);
        EXPECT_THROW(bus.run(std::stop_token()), std::logic_error);
    });
    bus.publish(tick{1});
    EXPECT_EQ(bus.process_batch(), 1u);
}

// "Failure: misuse throws `std::logic_error` or `std::invalid_argument`."
TEST(bus, misuse_is_refused_with_a_reason) {
    EXPECT_THROW(bus_type({.admission = {.low = 90, .medium = 80}}), std::invalid_argument);
    bus_type bus({.capacity = 8, .producers = 1, .subscribers = 1, .admission = {.low = 0}});
    EXPECT_THROW(bus.publish(tick{}, priority::low), std::invalid_argument);
    EXPECT_FALSE(bus.try_publish(tick{}, priority::low));
    {
        auto lane = bus.make_producer();
        EXPECT_THROW(lane.publish(tick{}, priority::low), std::invalid_argument);
        EXPECT_THROW(static_cast<void>(bus.make_producer()), std::logic_error);
    }
    EXPECT_NO_THROW(static_cast<void>(bus.make_producer()));
    const auto s = bus.subscribe<tick>([](tick&) {});
    EXPECT_THROW(bus.subscribe<tick>([](tick&) {}), std::logic_error);
    EXPECT_NO_THROW(bus.subscribe<text>([](text&) {}));
    bus.unsubscribe(s);
    EXPECT_NO_THROW(bus.subscribe<tick>([](tick&) {}));
}

#endif

// "a message that was not [accepted] stays as it is with the caller"
TEST(bus, a_refused_message_stays_with_the_caller) {
    regatta::async_bus<owned> bus({.capacity = 2, .producers = 1});
    auto lane = bus.make_producer();
    for (int i = 0; i < 2; ++i) {
        EXPECT_TRUE(bus.try_publish(std::make_unique<int>(i)));
        EXPECT_TRUE(lane.try_publish(std::make_unique<int>(i)));
    }
    auto kept = std::make_unique<int>(7);
    EXPECT_FALSE(bus.try_publish(std::move(kept)));
    EXPECT_FALSE(bus.try_publish(std::move(kept), priority::high));
    EXPECT_FALSE(lane.try_publish(std::move(kept)));
    EXPECT_FALSE(lane.try_publish(std::move(kept), priority::high));
    ASSERT_NE(kept, nullptr); // NOLINT: this is the point
    EXPECT_EQ(*kept, 7);
    bus.process_batch();
    EXPECT_TRUE(bus.try_publish(std::move(kept)));
    EXPECT_EQ(kept, nullptr);
}

// "destroyed before the next message is handled": so a place is free again at once.
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
