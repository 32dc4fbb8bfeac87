// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// What async_bus and its producers promise of `try_publish_for` and `try_publish_until`; each test
// quotes the sentence that it checks.

#include "bus_cases.hpp"
#include "support/observed_thread.hpp"
#include "support/threads.hpp"

#include <regatta/bus/async_bus.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>
#include <utility>

namespace {

using library_test::bus_type;
using library_test::drain;
using library_test::observed_thread;
using library_test::tick;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

struct owner {
    std::unique_ptr<int> held;
};

/// Publishes in a lane or on the bus itself until there is no room.
template<class Bus, class Lane, class Make>
void fill(Bus& bus, Lane& lane, bool in_lane, Make make) {
    while (in_lane ? lane.try_publish(make()) : bus.try_publish(make())) {
    }
}

} // namespace

// "waits for room … whatever `when_full` says": it returns when the consumer has made some.
TEST(bus, a_publish_with_a_deadline_waits_for_room) {
    const library_test::time_limit limit("a publisher for which room is made");
    for (const auto full : {regatta::when_full::block, regatta::when_full::discard}) {
        for (const bool in_lane : {false, true}) {
            bus_type bus({.capacity = 4, .producers = 1, .on_full = full});
            auto lane = bus.make_producer();
            fill(bus, lane, in_lane, [] { return tick{0}; });
            const std::uint64_t refused = bus.stats().refused;
            observed_thread seen;
            std::thread publisher([&] {
                const tick last{1};
                seen.announce();
                EXPECT_TRUE(in_lane ? lane.try_publish_for(last, hours::max())
                                    : bus.try_publish_for(last, hours(1)));
            });
            seen.await_sleep();
            int all = drain(bus);
            publisher.join();
            all += drain(bus);
            EXPECT_EQ(all, 5);
            EXPECT_EQ(bus.stats().refused, refused);
        }
    }
}

// "at most until `deadline`", "a refused message is unchanged"; it counts as refused once.
TEST(bus, a_publish_with_a_deadline_gives_up) {
    for (const bool in_lane : {false, true}) {
        regatta::async_bus<owner> bus({.capacity = 4, .producers = 1});
        auto lane = bus.make_producer();
        fill(bus, lane, in_lane, [] { return owner(); });
        const std::uint64_t refused = bus.stats().refused;
        owner mine{std::make_unique<int>(7)};
        const auto begin = steady_clock::now();
        EXPECT_FALSE(in_lane ? lane.try_publish_for(std::move(mine), milliseconds(25))
                             : bus.try_publish_for(std::move(mine), milliseconds(25)));
        EXPECT_GE(steady_clock::now() - begin, milliseconds(25));
        EXPECT_FALSE(in_lane ? lane.try_publish_until(std::move(mine), begin)
                             : bus.try_publish_until(std::move(mine), begin));
        EXPECT_FALSE(in_lane ? lane.try_publish_for(std::move(mine), hours::min())
                             : bus.try_publish_for(std::move(mine), hours::min()));
        EXPECT_EQ(bus.stats().refused, refused + 3);
        ASSERT_NE(mine.held, nullptr);
        EXPECT_EQ(bus.process_batch(), 4u);
        EXPECT_TRUE(in_lane ? lane.try_publish_until(std::move(mine), begin)
                            : bus.try_publish_until(std::move(mine), begin));
        EXPECT_EQ(mine.held, nullptr); // NOLINT(bugprone-use-after-move): it was accepted
    }
}

// "`publish` … A handler may wait for a publisher that waits for the room that messages before this
// one have left": so may it for one with a deadline, in whatever part of a segment the lane is.
TEST(bus, a_publish_with_a_deadline_finds_room_that_nobody_has_told_of) {
    const library_test::time_limit limit("room of messages before the one that is handled");
    for (const bool in_lane : {false, true}) {
        bus_type bus({.capacity = 4, .producers = 1});
        auto lane = bus.make_producer();
        fill(bus, lane, in_lane, [] { return tick{0}; });
        int handled = 0;
        bool accepted = false;
        bus.subscribe<tick>([&](const tick&) {
            if (++handled == 2) { // The first has left its place.
                std::thread([&] {
                    accepted = in_lane ? lane.try_publish_for(tick{1}, milliseconds(1))
                                       : bus.try_publish_for(tick{1}, milliseconds(1));
                }).join();
            }
        });
        const int all = drain(bus);
        EXPECT_TRUE(accepted);
        EXPECT_EQ(all, 5);
    }
}

// "A handler of this bus does not wait: nobody else makes room."
TEST(bus, a_handler_does_not_wait_for_a_deadline) {
    const library_test::time_limit limit("handlers that publish into full lanes");
    for (const bool in_lane : {false, true}) {
        bus_type bus({.capacity = 2, .producers = 1});
        auto lane = bus.make_producer();
        fill(bus, lane, in_lane, [] { return tick{0}; });
        int refusals = 0;
        bus.subscribe<tick>([&](const tick&) {
            if (refusals == 0) {
                while (in_lane ? lane.try_publish_for(tick{1}, hours(1))
                               : bus.try_publish_for(tick{1}, hours(1))) {
                }
                ++refusals;
            }
        });
        EXPECT_GE(drain(bus), 2);
        EXPECT_EQ(refusals, 1);
    }
}

// "publishers that wait for room give up" when the bus is closed.
TEST(bus, close_ends_the_wait_for_a_deadline) {
    const library_test::time_limit limit("a publisher that gives up");
    for (const bool in_lane : {false, true}) {
        bus_type bus({.capacity = 2, .producers = 1});
        auto lane = bus.make_producer();
        fill(bus, lane, in_lane, [] { return tick{0}; });
        observed_thread seen;
        std::thread publisher([&] {
            seen.announce();
            EXPECT_FALSE(in_lane ? lane.try_publish_for(tick{1}, hours(1))
                                 : bus.try_publish_for(tick{1}, hours(1)));
        });
        seen.await_sleep();
        const std::uint64_t refused = bus.stats().refused;
        bus.close();
        publisher.join();
        EXPECT_FALSE(bus.try_publish_for(tick{1}, hours(1)));
        EXPECT_FALSE(lane.try_publish_for(tick{1}, hours(1)));
        EXPECT_EQ(bus.stats().refused, refused + 3);
    }
}

namespace {

/// Publishes when it is destroyed, into what may be full.
class insistent_words {
public:
    insistent_words() = default;
    explicit insistent_words(regatta::async_bus<insistent_words>& bus) : bus_(&bus) {}
    insistent_words(insistent_words&& other) noexcept : bus_(std::exchange(other.bus_, nullptr)) {}
    ~insistent_words() {
        if (bus_ != nullptr) {
            while (bus_->try_publish_for(insistent_words(), hours(1))) {
            }
        }
    }

private:
    regatta::async_bus<insistent_words>* bus_ = nullptr;
};

} // namespace

// "The destructors of both may still use the bus": nobody makes room any more.
TEST(bus, a_destructor_of_the_bus_does_not_wait_for_a_deadline) {
    const library_test::time_limit limit("the end of a bus");
    regatta::async_bus<insistent_words> bus({.capacity = 2, .producers = 1});
    EXPECT_TRUE(bus.publish(insistent_words(bus)));
    EXPECT_TRUE(bus.publish(insistent_words(bus)));
}
