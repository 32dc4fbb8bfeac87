// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "../contract/threads.hpp"
#include "seeded.hpp"

#include <regatta/sync/mpmc_ring.hpp>
#include <regatta/sync/wake_gate.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <optional>
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
TEST_F(primitives_stress, a_wake_gate_loses_no_wake_up) {
    constexpr unsigned takers = 4;
    constexpr unsigned givers = 2;
    const int each = rounds(20000);
    regatta::wake_gate gate;
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
                gate.prepare_wait();
                if (tickets.load() > 0 || taken.load() >= all) {
                    gate.cancel_wait();
                } else if (d.roll(4) != 0) {
                    gate.commit_wait();
                } else {
                    const auto ahead = std::chrono::microseconds(d.roll(50) - 5);
                    static_cast<void>(gate.commit_wait_until(clock_type::now() + ahead));
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
    gate.prepare_wait(); // No token is left over.
    EXPECT_FALSE(gate.commit_wait_until(clock_type::now()));
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
