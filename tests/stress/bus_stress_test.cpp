// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "seeded.hpp"
#include "support/counted.hpp"
#include "support/threads.hpp"

#include <regatta/bus/async_bus.hpp>

#include <atomic>
#include <cstddef>
#include <span>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace {

using library_test::counted;
using library_test::dice;
using library_test::rounds;
using regatta::admission_class;

struct stamped {
    int producer;
    int number;
};
struct letter {
    int producer;
    int number;
    std::string text;
};
using bus_type = regatta::async_bus<stamped, letter>;

constexpr std::size_t producers = 4;

/// Publishes the numbers 0 … count - 1, through a lane or not, in every way there is.
void publish_all(bus_type& bus, int me, int count) {
    dice d(static_cast<unsigned>(me));
    const auto pick = [&d] { return static_cast<admission_class>(d.roll(3)); };
    const auto one = [&](auto& to, int i) {
        if (d.roll(2) == 0) {
            return to.publish(letter{me, i, std::to_string(i)}, pick());
        }
        switch (d.roll(4)) {
        case 0:
            return to.publish(stamped{me, i});
        case 1:
            return to.publish(stamped{me, i}, pick());
        case 2:
            return to.try_publish(stamped{me, i});
        default:
            return to.try_publish(stamped{me, i}, pick());
        }
    };
    if (me % 2 == 0) {
        for (int i = 0; i < count;) {
            i += one(bus, i) ? 1 : 0;
        }
        return;
    }
    auto lane = bus.make_producer();
    for (int i = 0; i < count;) {
        if (d.roll(3) != 0) {
            i += one(lane, i) ? 1 : 0;
            continue;
        }
        std::vector<stamped> batch;
        for (int j = i; j < count && static_cast<int>(batch.size()) < d.roll(40); ++j) {
            batch.push_back({me, j});
        }
        const std::span<const stamped> all(batch);
        i += static_cast<int>(d.roll(2) == 0 ? lane.publish_batch(all)
                                             : lane.try_publish_batch(all));
    }
}

} // namespace

using bus_stress = library_test::stress;

TEST_F(bus_stress, loses_nothing_and_keeps_order_while_handlers_come_and_go) {
    const int each = rounds(40000);
    bus_type bus({.capacity = 32, .producers = producers, .subscribers = 8});
    std::vector<int> next(producers, 0);
    std::atomic<int> alive{0};
    std::atomic<bool> done{false};
    const auto check = [&](int producer, int number) {
        int& expected = next[static_cast<std::size_t>(producer)];
        ASSERT_EQ(number, expected);
        ++expected;
    };
    bus.subscribe<stamped>([&](stamped& s) { check(s.producer, s.number); });
    bus.subscribe<letter>([&](const letter& l) {
        check(l.producer, l.number);
        ASSERT_EQ(l.text, std::to_string(l.number));
    });
    std::thread consumer([&] { bus.run(std::stop_token()); });
    std::vector<std::thread> others;
    for (unsigned t = 0; t < 2; ++t) { // They subscribe and unsubscribe, in and out of handlers.
        others.emplace_back([&, t] {
            dice d(100 + t);
            while (!done.load()) {
                std::atomic<int> mine{0};
                const int kind = d.roll(3);
                std::atomic<bool> called{false};
                bus_type::subscription s;
                std::atomic<bool> known{false};
                s = bus.subscribe<stamped>([&, c = counted(mine, 0), a = counted(alive, 0)](auto&) {
                    called = true;
                    if (kind == 0 && known.load()) {
                        bus.unsubscribe(s); // Its own.
                    }
                });
                known = true;
                for (int i = d.roll(20); i > 0; --i) {
                    std::this_thread::yield();
                }
                const bool stood = bus.unsubscribe(s);
                EXPECT_TRUE(stood || kind == 0);
                EXPECT_EQ(mine.load(), 0);
                called = false;
                std::this_thread::yield();
                EXPECT_FALSE(called.load());
            }
        });
    }
    std::vector<std::thread> threads;
    for (std::size_t p = 0; p < producers; ++p) {
        threads.emplace_back(publish_all, std::ref(bus), static_cast<int>(p), each);
    }
    for (auto& thread : threads) {
        thread.join();
    }
    done = true;
    for (auto& thread : others) {
        thread.join();
    }
    bus.close();
    consumer.join();
    EXPECT_EQ(next, std::vector<int>(producers, each));
    EXPECT_EQ(alive.load(), 0);
    const auto stats = bus.stats();
    EXPECT_EQ(stats.published, producers * static_cast<std::size_t>(each));
    EXPECT_EQ(stats.processed, stats.published);
    EXPECT_EQ(stats.queued, 0u);
}

TEST_F(bus_stress, what_is_accepted_before_close_is_processed) {
    for (int round = 0; round < rounds(150); ++round) {
        dice d(static_cast<unsigned>(round));
        regatta::async_bus<stamped> bus({.capacity = 8});
        std::atomic<int> got{0};
        std::atomic<int> accepted{0};
        bus.subscribe<stamped>([&](stamped&) { ++got; });
        std::thread consumer([&] { bus.run(std::stop_token()); });
        std::vector<std::thread> threads;
        for (int p = 0; p < 2; ++p) {
            threads.emplace_back([&] {
                while (bus.publish(stamped{0, 0})) {
                    ++accepted;
                }
            });
        }
        for (int i = d.roll(200); i > 0; --i) {
            std::this_thread::yield();
        }
        bus.close();
        consumer.join();
        for (auto& thread : threads) {
            thread.join();
        }
        ASSERT_EQ(got.load(), accepted.load());
    }
}
