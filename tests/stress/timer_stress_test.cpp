// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "seeded.hpp"
#include "support/counted.hpp"
#include "support/manual_executor.hpp"
#include "support/threads.hpp"

#include <regatta/time/timer_scheduler.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <thread>
#include <vector>

namespace {

using namespace std::chrono_literals;
using library_test::await;
using library_test::counted;
using library_test::dice;
using library_test::plain_pool;
using library_test::rounds;
using regatta::missed_ticks;
using regatta::timer_id;
using regatta::timer_scheduler;

/// What one timer saw.
struct record {
    std::atomic<int> run{0};
    std::atomic<bool> inside{false};
    std::atomic<bool> over{false}; ///< A wait for its end has returned: no run may follow.
};

} // namespace

using timer_stress = library_test::stress;

// Threads schedule and cancel timers of all kinds, their own and each other's, also from callbacks;
// one-shot timers run once or were cancelled, none overlaps itself, none runs after a wait for its
// end, and the figures add up.
TEST_F(timer_stress, accounts_for_every_timer) {
    for (const unsigned workers : {0u, 3u}) {
        constexpr int threads = 3;
        const int each = rounds(4000);
        std::vector<record> records(static_cast<std::size_t>(threads * each));
        std::vector<std::atomic<timer_id>> ids(records.size());
        std::atomic<int> alive{0};
        std::atomic<std::uint64_t> cancelled{0};
        std::atomic<int> wrong{0};
        std::optional<plain_pool> pool;
        std::optional<timer_scheduler> timers;
        if (workers != 0) {
            pool.emplace(workers);
            timers.emplace(*pool);
        } else {
            timers.emplace();
        }
        std::vector<std::thread> users;
        for (int t = 0; t < threads; ++t) {
            users.emplace_back([&, t] {
                dice d(static_cast<unsigned>(t));
                for (int i = 0; i < each; ++i) {
                    const auto mine = static_cast<std::size_t>(t * each + i);
                    const bool self_ending = d.roll(2) == 0;
                    auto body = [&, mine, self_ending, c = counted(alive, 1)](timer_id id) {
                        record& r = records[mine];
                        wrong += r.inside.exchange(true) || r.over.load() || !c.holds() ? 1 : 0;
                        const int run = ++r.run;
                        if (self_ending && run == 3 && timers->cancel(id)) {
                            ++cancelled;
                        }
                        r.inside = false;
                    };
                    const auto delay = std::chrono::microseconds(d.roll(300));
                    switch (d.roll(4)) {
                    case 0:
                        ids[mine] = timers->every(
                            std::chrono::microseconds(1 + d.roll(50)), std::move(body), delay,
                            d.roll(2) == 0 ? missed_ticks::skip : missed_ticks::catch_up);
                        break;
                    case 1:
                        ids[mine] =
                            timers->at(timer_scheduler::clock::now() - delay, std::move(body));
                        break;
                    default:
                        ids[mine] = timers->after(delay, std::move(body));
                    }
                    const auto other = static_cast<std::size_t>(d.roll(threads * each));
                    const timer_id whose = ids[d.roll(2) == 0 ? mine : other].load();
                    if (d.roll(3) == 0) {
                        cancelled += timers->cancel(whose) ? 1u : 0u;
                    } else if (d.roll(4) == 0) {
                        const auto id = ids[mine].load();
                        cancelled += timers->cancel_and_wait(id) ? 1u : 0u;
                        records[mine].over = true;
                        wrong += records[mine].inside.load() ? 1 : 0;
                    }
                }
            });
        }
        for (auto& u : users) {
            u.join();
        }
        for (auto& id : ids) { // what is left: periodic ones, and those that are to run yet
            cancelled += timers->cancel_and_wait(id.load()) ? 1u : 0u;
        }
        EXPECT_EQ(timers->pending(), 0u);
        timers->close();
        EXPECT_EQ(alive.load(), 0);
        EXPECT_EQ(wrong.load(), 0);
        const auto stats = timers->stats();
        EXPECT_EQ(stats.scheduled, records.size());
        EXPECT_EQ(stats.cancelled, cancelled.load());
        std::uint64_t run = 0;
        for (const record& r : records) {
            run += static_cast<std::uint64_t>(r.run.load());
        }
        EXPECT_EQ(stats.run, run);
        EXPECT_EQ(stats.errors + stats.refused, 0u);
    }
}

// "10⁵ timers": each runs once, or was cancelled, and none before its time.
TEST_F(timer_stress, holds_a_hundred_thousand_timers) {
    const int count = rounds(100000);
    timer_scheduler timers;
    dice d(0);
    std::atomic<int> run{0};
    std::atomic<int> early{0};
    std::vector<timer_id> ids;
    const auto begin = timer_scheduler::clock::now();
    for (int i = 0; i < count; ++i) {
        const auto due = begin + std::chrono::milliseconds(d.roll(200));
        ids.push_back(timers.at(due, [&, due] {
            early += timer_scheduler::clock::now() < due ? 1 : 0;
            ++run;
        }));
    }
    int cancelled = 0;
    for (int i = 0; i < count; i += 2) {
        cancelled += timers.cancel(ids[static_cast<std::size_t>(i)]) ? 1 : 0;
    }
    await([&] { return run.load() == count - cancelled; });
    EXPECT_EQ(timers.pending(), 0u);
    EXPECT_EQ(early.load(), 0);
}

// Schedulers that end at any moment of a busy life, their executor before or after them.
TEST_F(timer_stress, ends_at_any_moment) {
    dice d(7);
    for (int i = 0; i < rounds(100); ++i) {
        std::atomic<int> alive{0};
        std::atomic<bool> ended{false};
        std::atomic<int> wrong{0};
        plain_pool pool(2);
        {
            timer_scheduler timers{pool};
            for (int k = d.roll(40); k >= 0; --k) {
                const auto first = std::chrono::microseconds(d.roll(100));
                timers.every(
                    std::chrono::microseconds(1 + d.roll(20)),
                    [&, c = counted(alive, 1)] {
                        wrong += ended.load() ? 1 : 0;
                        if (timers.pending() < 100) {
                            timers.after(1us, [&, inner = counted(alive, 1)] {
                                wrong += ended.load() ? 1 : 0;
                            });
                        }
                    },
                    first);
            }
            for (int k = d.roll(100); k > 0; --k) {
                std::this_thread::yield();
            }
            timers.close();
            ended = true;
            EXPECT_EQ(alive.load(), 0);
        }
        EXPECT_EQ(wrong.load(), 0);
    }
}
