// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "support/eventually.hpp"
#include "support/observed_thread.hpp"

#include <regatta/base/config.hpp>
#include <regatta/sync/event_count.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <thread>
#include <vector>

namespace {

using regatta::event_count;
using clock_type = std::chrono::steady_clock;

} // namespace

TEST(event_count, finds_nobody_when_nobody_sleeps) {
    event_count gate;
    EXPECT_FALSE(gate.has_sleepers());
    EXPECT_FALSE(gate.notify_one());
    gate.notify_all();
    static_cast<void>(gate.prepare_wait());
    EXPECT_TRUE(gate.has_sleepers());
    gate.cancel_wait();
    EXPECT_FALSE(gate.has_sleepers());
    EXPECT_FALSE(gate.notify_one());
}

TEST(event_count, a_notification_after_prepare_ends_the_wait) {
    const library_test::time_limit limit("a wait that was notified before");
    event_count gate;
    const auto first = gate.prepare_wait();
    EXPECT_TRUE(gate.notify_one());
    EXPECT_FALSE(gate.notify_one()); // It was the only one.
    gate.commit_wait(first);
    const auto second = gate.prepare_wait();
    gate.notify_all();
    gate.commit_wait(second);
    EXPECT_FALSE(gate.has_sleepers());
}

TEST(event_count, a_notification_is_not_used_up_by_who_comes_later) {
    event_count gate;
    const auto early = gate.prepare_wait();
    gate.notify_all();
    const auto late = gate.prepare_wait(); // It did not come for this one.
    EXPECT_FALSE(gate.commit_wait_until(late, clock_type::now()));
    EXPECT_TRUE(gate.commit_wait_until(early, clock_type::now()));
    EXPECT_FALSE(gate.has_sleepers());
}

TEST(event_count, a_cancelled_wait_leaves_no_notification_behind) {
    event_count gate;
    static_cast<void>(gate.prepare_wait());
    EXPECT_TRUE(gate.notify_one());
    gate.cancel_wait();
    const auto next = gate.prepare_wait();
    EXPECT_FALSE(gate.commit_wait_until(next, clock_type::now()));
}

TEST(event_count, a_wait_ends_at_its_deadline) {
    event_count gate;
    for (const auto deadline :
         {clock_type::now() + std::chrono::milliseconds(2), clock_type::now(),
          clock_type::now() - std::chrono::hours(1), clock_type::time_point{},
          clock_type::time_point{} - std::chrono::hours(1), clock_type::time_point::min()}) {
        const auto ticket = gate.prepare_wait();
        EXPECT_FALSE(gate.commit_wait_until(ticket, deadline));
        EXPECT_GE(clock_type::now(), deadline);
        EXPECT_FALSE(gate.has_sleepers());
    }
}

TEST(event_count, a_notification_counts_even_if_the_deadline_is_over) {
    event_count gate;
    const auto ticket = gate.prepare_wait();
    EXPECT_TRUE(gate.notify_one());
    EXPECT_TRUE(gate.commit_wait_until(ticket, clock_type::now() - std::chrono::seconds(1)));
}

TEST(event_count, a_wait_with_a_far_deadline_ends_by_a_notification) {
    const library_test::time_limit limit("a sleeper that is notified");
    event_count gate;
    std::atomic<bool> ready{false};
    std::atomic<bool> woken{false};
    std::thread waiter([&] {
        while (!ready.load()) {
            const auto ticket = gate.prepare_wait();
            if (ready.load()) {
                gate.cancel_wait();
            } else {
                EXPECT_TRUE(gate.commit_wait_until(ticket, clock_type::time_point::max()));
            }
        }
        woken = true;
    });
    library_test::await([&] { return gate.has_sleepers(); });
    ready = true;
    gate.notify_one();
    waiter.join();
    EXPECT_TRUE(woken.load());
}

TEST(event_count, notify_all_wakes_every_sleeper) {
    const library_test::time_limit limit("every sleeper to be woken");
    constexpr int threads = 8;
    event_count gate;
    std::atomic<bool> open{false};
    std::atomic<int> asleep{0};
    std::vector<std::thread> all;
    for (int t = 0; t < threads; ++t) {
        all.emplace_back([&] {
            ++asleep;
            gate.wait([&] { return open.load(); });
        });
    }
    library_test::await([&] { return asleep.load() == threads; });
    open = true;
    gate.notify_all();
    for (auto& thread : all) {
        thread.join();
    }
    EXPECT_FALSE(gate.has_sleepers());
}

TEST(event_count, each_notify_one_brings_what_came_before_it) {
    constexpr int rounds = 500;
    event_count there;
    event_count back;
    std::atomic<int> sent{0};
    std::atomic<int> answered{0};
    int plain = 0; // Ordered by the numbers alone.
    std::thread peer([&] {
        for (int i = 1; i <= rounds; ++i) {
            there.wait([&] { return sent.load(std::memory_order_acquire) >= i; });
            EXPECT_EQ(plain, i);
            answered.store(i, std::memory_order_release);
            back.notify_one();
        }
    });
    for (int i = 1; i <= rounds; ++i) {
        plain = i;
        sent.store(i, std::memory_order_release);
        there.notify_one();
        back.wait([&] { return answered.load(std::memory_order_acquire) >= i; });
    }
    peer.join();
}

// "The same without a system call."
TEST(event_count, a_sleep_may_be_announced) {
    event_count gate;
    const auto first = gate.announce_wait();
    EXPECT_TRUE(gate.has_sleepers());
    EXPECT_TRUE(gate.notify_one());
    EXPECT_TRUE(gate.waking());
    gate.commit_wait(first);
    EXPECT_FALSE(gate.waking());
    const auto second = gate.announce_wait();
    EXPECT_FALSE(gate.commit_wait_until(second, clock_type::now()));
    EXPECT_FALSE(gate.has_sleepers());
}

#if REGATTA_LINUX
// "Of those that sleep at a place the one at the lowest", whoever has slept longest, and whichever
// word it sleeps on.
TEST(event_count, wakes_the_sleeper_at_the_lowest_place) {
    constexpr unsigned places[] = {3, 5, 7, 40}; // The last is on the second word.
    for (int round = 0; round < 20; ++round) {
        regatta::basic_event_count<regatta::std_atomics, 2> gate;
        std::atomic<int> woken{0};
        std::vector<int> order(4);
        library_test::observed_thread seen[4];
        std::vector<std::thread> sleepers;
        for (const unsigned n : {3u, 2u, 1u, 0u}) {
            sleepers.emplace_back([&, n] {
                const auto ticket = gate.prepare_wait();
                seen[n].announce();
                gate.commit_wait(ticket, places[n]);
                order[n] = ++woken;
            });
            seen[n].await_sleep();
        }
        for (int n = 1; n <= 4; ++n) {
            EXPECT_TRUE(gate.notify_one());
            library_test::await([&] { return woken.load() >= n; });
        }
        for (auto& s : sleepers) {
            s.join();
        }
        EXPECT_EQ(order, (std::vector{1, 2, 3, 4}));
    }
}

// "Wakes every thread", "Wakes the threads that sleep at that place": on whichever word.
TEST(event_count, wakes_sleepers_at_all_places) {
    const library_test::time_limit limit("sleepers at all places to be woken");
    constexpr unsigned places[] = {3, 40, 3, event_count::anywhere};
    regatta::basic_event_count<regatta::std_atomics, 2> gate;
    EXPECT_FALSE(gate.notify_at(40));
    for (const bool all : {false, true}) {
        std::atomic<bool> over[4] = {};
        std::atomic<int> awake{0};
        library_test::observed_thread seen[4];
        std::vector<std::thread> sleepers;
        for (std::size_t n = 0; n < 4; ++n) {
            sleepers.emplace_back([&, n] {
                for (bool first = true; !over[n].load(); first = false) {
                    const auto ticket = gate.prepare_wait();
                    if (first) {
                        seen[n].announce();
                    }
                    over[n] ? gate.cancel_wait() : gate.commit_wait(ticket, places[n]);
                }
                ++awake;
            });
            seen[n].await_sleep();
        }
        if (!all) {
            over[1] = true;
            EXPECT_TRUE(gate.notify_at(40));
            library_test::await([&] { return awake == 1; });
            over[0] = over[2] = true;
            EXPECT_TRUE(gate.notify_at(3));
            library_test::await([&] { return awake == 3; });
        }
        for (auto& one : over) {
            one = true;
        }
        gate.notify_all();
        for (auto& s : sleepers) {
            if (s.joinable()) {
                s.join();
            }
        }
        EXPECT_FALSE(gate.has_sleepers());
    }
}
#endif

// "Wakes one thread that … is not being woken already."
TEST(event_count, a_notification_finds_each_sleeper_once) {
    for (const bool all : {false, true}) {
        event_count gate;
        const auto first = gate.prepare_wait();
        const auto second = gate.prepare_wait();
        if (all) {
            gate.notify_all();
        } else {
            EXPECT_TRUE(gate.notify_one());
            EXPECT_TRUE(gate.has_sleepers());
            EXPECT_TRUE(gate.notify_one());
        }
        EXPECT_FALSE(gate.has_sleepers());
        EXPECT_FALSE(gate.notify_one());
        EXPECT_TRUE(gate.waking());
        gate.commit_wait(first);
        EXPECT_TRUE(gate.waking());
        gate.commit_wait(second);
        EXPECT_FALSE(gate.waking());
        static_cast<void>(gate.prepare_wait());
        EXPECT_FALSE(gate.waking()); // It only sleeps.
        gate.cancel_wait();
    }
}

TEST(event_count, wait_returns_at_once_when_the_condition_holds) {
    event_count gate;
    int looks = 0;
    gate.wait([&] { return ++looks == 1; });
    EXPECT_EQ(looks, 1);
    gate.wait([&] { return ++looks == 5; }); // Awake, by looking again.
    EXPECT_EQ(looks, 5);
    EXPECT_FALSE(gate.has_sleepers());
}

TEST(event_count, a_condition_that_comes_to_hold_leaves_no_sleeper_behind) {
    for (int at = 1; at < 40; ++at) { // While it is awake, and when it has announced its sleep.
        event_count gate;
        int looks = 0;
        gate.wait([&] {
            static_cast<void>(gate.notify_one()); // Whoever announced it is woken at once.
            return ++looks == at;
        });
        EXPECT_EQ(looks, at);
        const auto ticket = gate.prepare_wait();
        EXPECT_FALSE(
            gate.commit_wait_until(ticket, clock_type::now())); // No notification is left over.
        EXPECT_FALSE(gate.has_sleepers());
    }
}

// "@returns whether the condition held": also one that holds at the deadline, and nobody says so.
TEST(event_count, looks_once_more_at_the_deadline) {
    event_count gate;
    const auto deadline = clock_type::now() + std::chrono::milliseconds(20);
    EXPECT_TRUE(gate.wait_until([&] { return clock_type::now() >= deadline; }, deadline));
    EXPECT_FALSE(gate.wait_until([] { return false; }, clock_type::now()));
    EXPECT_FALSE(gate.has_sleepers());
}

// "Until `deadline` at the latest": also where a notification ends each sleep before.
TEST(event_count, a_wait_that_is_notified_all_the_time_ends_at_its_deadline) {
    const library_test::time_limit limit("a wait that is notified all the time");
    event_count gate;
    const auto deadline = clock_type::now() + std::chrono::milliseconds(5);
    EXPECT_FALSE(gate.wait_until(
        [&] {
            gate.notify_all(); // Whoever announced its sleep is woken at once.
            return false;
        },
        deadline));
    EXPECT_GE(clock_type::now(), deadline);
    EXPECT_FALSE(gate.has_sleepers());
}

TEST(event_count, waits_for_functions_and_for_callables_without_an_address) {
    static std::atomic<int> looks{0};
    struct looked {
        bool operator()() const { return ++looks > 2; }
        void operator&() const = delete;
    };
    event_count gate;
    gate.wait(looked{});
    bool (*const pointer)() = [] { return ++looks > 4; };
    gate.wait(*pointer); // A function.
    EXPECT_TRUE(gate.wait_until(*pointer, clock_type::now()));
    EXPECT_EQ(looks.load(), 6);
}

#if REGATTA_EXCEPTIONS
TEST(event_count, a_condition_that_throws_leaves_no_sleeper_behind) {
    for (int at = 1; at < 40; ++at) { // While it is awake, and when it has announced its sleep.
        event_count gate;
        int looks = 0;
        const auto condition = [&] {
            if (++looks == at) {
                throw std::runtime_error("as asked");
            }
            static_cast<void>(gate.notify_one()); // Whoever announced it is woken at once.
            return false;
        };
        EXPECT_THROW(gate.wait(condition), std::runtime_error);
        EXPECT_FALSE(gate.has_sleepers());
        const auto ticket = gate.prepare_wait();
        EXPECT_FALSE(
            gate.commit_wait_until(ticket, clock_type::now())); // No notification is left over.
    }
}
#endif
