// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "seeded.hpp"
#include "support/threads.hpp"

#include <regatta/sync/event_count.hpp>
#include <regatta/sync/mpmc_ring.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <string>
#include <thread>
#include <vector>

namespace {

using library_test::dice;
using library_test::rounds;
using clock_type = std::chrono::steady_clock;

} // namespace

using primitives_stress = library_test::stress;

// Tickets are given out one by one and taken by threads that sleep in every way the gate has. A
// lost wake-up leaves a thread asleep with a ticket to take, and the test does not end.
TEST_F(primitives_stress, a_event_count_loses_no_wake_up) {
    constexpr unsigned takers = 4;
    constexpr unsigned givers = 2;
    const int each = rounds(20000);
    regatta::event_count gate;
    std::atomic<int> tickets{0};
    std::atomic<int> taken{0};
    const int all = each * static_cast<int>(givers);
    const auto try_take = [&] {
        int now = tickets.load();
        while (now > 0) {
            if (tickets.compare_exchange_weak(now, now - 1)) {
                return true;
            }
        }
        return false;
    };
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < takers; ++t) {
        threads.emplace_back([&, t] {
            dice d(t);
            while (taken.load() < all) {
                if (try_take()) {
                    if (++taken == all) {
                        gate.notify_all();
                    }
                    continue;
                }
                const auto ticket = gate.prepare_wait();
                if (tickets.load() > 0 || taken.load() >= all) {
                    gate.cancel_wait();
                } else if (d.roll(4) != 0) {
                    gate.commit_wait(ticket);
                } else {
                    const auto ahead = std::chrono::microseconds(d.roll(50) - 5);
                    static_cast<void>(gate.commit_wait_until(ticket, clock_type::now() + ahead));
                }
            }
        });
    }
    for (unsigned g = 0; g < givers; ++g) {
        threads.emplace_back([&, g] {
            dice d(100 + g);
            for (int i = 0; i < each; ++i) {
                ++tickets;
                if (d.roll(10) == 0) {
                    gate.notify_all();
                } else {
                    gate.notify_one();
                }
                for (int pause = d.roll(20) == 0 ? d.roll(10) : 0; pause > 0; --pause) {
                    std::this_thread::yield();
                }
            }
        });
    }
    for (auto& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(tickets.load(), 0);
    EXPECT_EQ(taken.load(), all);
    EXPECT_FALSE(gate.has_sleepers());
    const auto ticket = gate.prepare_wait(); // No notification is left over.
    EXPECT_FALSE(gate.commit_wait_until(ticket, clock_type::now()));
}

// The condition is a plain store here, which the processor may keep to itself for a while; both
// sides meet at the narrowest point.
TEST_F(primitives_stress, a_event_count_sees_a_condition_that_is_still_on_its_way) {
    const int all = rounds(100000);
    regatta::event_count gate;
    std::atomic<int> given{0};
    std::atomic<int> seen{0};
    const auto linger = [](dice& d) {
        for (int i = d.roll(100); i > 0; --i) {
            regatta::std_atomics::relax();
        }
    };
    std::thread taker([&] {
        dice d(0);
        for (int i = 1; i <= all; ++i) {
            linger(d);
            while (given.load(std::memory_order_acquire) < i) {
                const auto ticket = gate.prepare_wait();
                if (given.load(std::memory_order_acquire) >= i) {
                    gate.cancel_wait();
                } else {
                    gate.commit_wait(ticket);
                }
            }
            seen.store(i, std::memory_order_release);
        }
    });
    dice d(1);
    for (int i = 1; i <= all; ++i) {
        linger(d);
        given.store(i, std::memory_order_release);
        static_cast<void>(gate.notify_one());
        library_test::await([&] { return seen.load(std::memory_order_acquire) == i; });
    }
    taker.join();
    EXPECT_FALSE(gate.has_sleepers());
}

TEST_F(primitives_stress, an_mpmc_ring_passes_everything_once_until_it_is_closed) {
    for (const std::size_t capacity : {2u, 8u, 256u}) {
        constexpr int producers = 3;
        constexpr int consumers = 3;
        const int each = rounds(20000);
        regatta::mpmc_ring<std::string> ring(capacity);
        std::vector<std::atomic<int>> taken(static_cast<std::size_t>(producers * each));
        std::atomic<int> accepted{0};
        std::atomic<int> finished{0};
        std::vector<std::thread> threads;
        for (int p = 0; p < producers; ++p) {
            threads.emplace_back([&, p] {
                dice d(static_cast<unsigned>(p));
                const int stop_at = p == 0 ? each / 2 + d.roll(each / 2) : each;
                for (int i = 0; i < stop_at && !ring.closed();) {
                    if (ring.try_emplace(std::to_string(p * each + i))) {
                        ++i;
                        ++accepted;
                    } else {
                        std::this_thread::yield();
                    }
                }
                if (p == 0) {
                    ring.close(); // In the middle of the others' work.
                }
                ++finished;
            });
        }
        for (int c = 0; c < consumers; ++c) {
            threads.emplace_back([&] {
                // Each consumer by itself sees each producer's elements in order.
                std::vector<int> last(producers, -1);
                for (;;) {
                    const bool all_in = finished.load() == producers;
                    if (const auto text = ring.try_take()) {
                        const int number = std::stoi(*text);
                        ++taken[static_cast<std::size_t>(number)];
                        int& before = last[static_cast<std::size_t>(number / each)];
                        EXPECT_GT(number, before);
                        before = number;
                    } else if (all_in) {
                        return;
                    } else {
                        std::this_thread::yield();
                    }
                }
            });
        }
        for (auto& thread : threads) {
            thread.join();
        }
        int sum = 0;
        for (const auto& times : taken) {
            ASSERT_LE(times.load(), 1);
            sum += times.load();
        }
        EXPECT_EQ(sum, accepted.load());
        EXPECT_EQ(ring.size(), 0u);
        EXPECT_FALSE(ring.try_emplace(std::string("late")));
    }
}
