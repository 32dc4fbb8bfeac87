// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// What the doc comment of async_bus promises of errors and of its end; each test quotes the
// sentence that it checks. bus_waiting_contract_test.cpp has what else ends.

#include "bus_cases.hpp"
#include "support/counted.hpp"

#include <regatta/base/config.hpp>
#include <regatta/bus/async_bus.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <limits>
#include <span>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <system_error>
#include <vector>

namespace {

using library_test::bus_type;
using library_test::counted;
using library_test::drain;
using library_test::text;
using library_test::tick;
using regatta::admission_class;

} // namespace

// "Destroys unprocessed messages."
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

#if REGATTA_EXCEPTIONS

// "misuse throws `std::logic_error`": also after polls that found nothing, which look no further,
// and in the last batch of `run`.
TEST(bus, polls_that_found_nothing_miss_neither_a_message_nor_misuse) {
    bus_type bus({.producers = 1});
    auto lane = bus.make_producer();
    int caught = 0;
    bus.subscribe<tick>([&](const tick&) {
        EXPECT_THROW(bus.process_batch(), std::logic_error);
        ++caught;
    });
    for (int round = 1; round <= 4; ++round) {
        EXPECT_EQ(bus.process_batch(), 0u);
        EXPECT_EQ(bus.process_batch(), 0u);
        round % 2 == 0 ? bus.publish(tick{}) : lane.publish(tick{});
        if (round == 4) {
            bus.close();
            bus.run({});
        } else {
            EXPECT_EQ(bus.process_batch(), 1u);
        }
        EXPECT_EQ(caught, round);
    }
}

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
    bus.publish(counted(alive, 7));
    EXPECT_THROW(bus.run({}, [](counted&) { throw std::logic_error("visitor"); }),
                 std::logic_error);
    bus.publish(counted(alive, 6));
    EXPECT_EQ(bus.process_batch(), 1u);
    EXPECT_EQ(got.back(), 6);
}

// "Of several handlers of a message the first, once all have been called"
TEST(bus, an_exception_of_a_handler_takes_the_message_from_no_other) {
    regatta::async_bus<int> bus;
    int calls = 0;
    bus.subscribe<int>([&](int) { ++calls; });
    bus.subscribe<int>([](int n) { throw n; });
    bus.subscribe<int>([&](int) { ++calls; });
    bus.subscribe<int>([](int n) { throw std::to_string(n); });
    bus.subscribe<int>([&](int) { ++calls; });
    for (int n = 0; n < 2; ++n) {
        bus.publish(n);
    }
    for (int n = 0; n < 2; ++n) {
        EXPECT_THROW(bus.process_batch(), int);
        EXPECT_EQ(calls, 3 * (n + 1));
        EXPECT_EQ(bus.stats().processed, static_cast<std::size_t>(n + 1));
    }
    EXPECT_EQ(bus.stats().unhandled, 0u);
}

// "A publish inside a handler that would block, and so wait for itself, throws `std::system_error`
// (`resource_deadlock_would_occur`)."
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
        expect_deadlock([&] { return bus.publish(text{}, admission_class::high); });
        expect_deadlock([&] { return lane.publish(text{}); });
        expect_deadlock([&] { return lane.publish_batch(std::span<const text>(batch)) != 0; });
        EXPECT_FALSE(bus.try_publish(text{}));
    });
    bus.publish(tick{1});
    bus.process_batch(1);
    EXPECT_EQ(told, 4);
    EXPECT_EQ(bus.stats().refused, 4u + batch.size());
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
    EXPECT_EQ(bus.stats().refused, 6u + 2 * batch.size());
}

// "process_batch, process_with and run from one thread at a time": "Throws `std::logic_error`".
TEST(bus, a_handler_must_not_process_its_own_bus) {
    bus_type bus;
    bus.subscribe<tick>([&](tick&) {
        EXPECT_THROW(bus.process_batch(), std::logic_error);
        EXPECT_THROW(bus.process_with([](auto&) {}), std::logic_error);
        EXPECT_THROW(bus.run(std::stop_token()), std::logic_error);
        EXPECT_THROW(bus.run(std::stop_token(), [](auto&) {}), std::logic_error);
        EXPECT_THROW(bus.wait_for(std::chrono::hours(1)), std::logic_error);
    });
    bus.publish(tick{1});
    EXPECT_EQ(bus.process_batch(), 1u);
}

// "Failure: misuse throws `std::logic_error` or `std::invalid_argument`."
TEST(bus, misuse_is_refused_with_a_reason) {
    EXPECT_THROW(bus_type({.admission = {.low = 90, .medium = 80}}), std::invalid_argument);
    EXPECT_THROW(bus_type({.capacity = std::numeric_limits<std::size_t>::max()}),
                 std::invalid_argument);
    bus_type bus({.capacity = 8, .producers = 1, .subscribers = 1, .admission = {.low = 0}});
    EXPECT_THROW(bus.publish(tick{}, admission_class::low), std::invalid_argument);
    EXPECT_FALSE(bus.try_publish(tick{}, admission_class::low));
    {
        auto lane = bus.make_producer();
        EXPECT_THROW(lane.publish(tick{}, admission_class::low), std::invalid_argument);
        EXPECT_THROW(static_cast<void>(bus.make_producer()), std::logic_error);
    }
    EXPECT_NO_THROW(static_cast<void>(bus.make_producer()));
    // "if that level is 0 and the policy is to block"
    bus_type discards(
        {.producers = 1, .admission = {.low = 0}, .on_full = regatta::when_full::discard});
    auto own = discards.make_producer();
    EXPECT_FALSE(discards.publish(tick{}, admission_class::low));
    EXPECT_FALSE(own.publish(tick{}, admission_class::low));
    EXPECT_EQ(discards.stats().refused, 2u);
    const auto s = bus.subscribe<tick>([](tick&) {});
    EXPECT_THROW(bus.subscribe<tick>([](tick&) {}), std::logic_error);
    EXPECT_NO_THROW(bus.subscribe<text>([](text&) {}));
    bus.unsubscribe(s);
    EXPECT_NO_THROW(bus.subscribe<tick>([](tick&) {}));
}

#endif
