// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "pool_submitter.hpp"
#include "seeded.hpp"
#include "support/pool_cases.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

namespace {

using library_test::dice;
using library_test::ledger;
using library_test::rounds;
using library_test::submitter;
using regatta::future;
using regatta::overflow;
using regatta::overflow_policy;
using regatta::task;
using regatta::thread_pool;

class pool_stress : public library_test::pool_test {
protected:
    void SetUp() override { library_test::print_seed(); }
    /// Changes what can be changed while others submit.
    static void disturb(thread_pool& pool, dice& d) {
        switch (d.roll(8)) {
        case 0:
            pool.pause();
            std::this_thread::yield();
            pool.resume();
            break;
        case 1:
            static_cast<void>(pool.wait_for(std::chrono::microseconds(d.roll(200))));
            break;
        case 2:
            EXPECT_LE(pool.stats().errors, 0u);
            break;
        default:
            if (makes<regatta::steady_pool>()) {
                auto& steady = static_cast<regatta::steady_pool&>(pool);
                d.roll(2) == 0 ? steady.enable_stealing() : steady.disable_stealing();
            } else if (makes<regatta::dynamic_pool>()) {
                auto& dynamic = static_cast<regatta::dynamic_pool&>(pool);
                try {
                    switch (d.roll(3)) {
                    case 0:
                        dynamic.resize(1u + static_cast<unsigned>(d.roll(4)));
                        break;
                    case 1:
                        dynamic.add_threads(1);
                        break;
                    default:
                        dynamic.remove_threads(1);
                    }
                } catch (const std::logic_error&) { // It is closed.
                }
            }
            std::this_thread::yield();
        }
    }
    static overflow_policy policy(int number) {
        switch (number) {
        case 0:
            return overflow::block;
        case 1:
            return overflow::reject;
        case 2:
            return overflow::run_here;
        case 3:
            return overflow::drop_oldest;
        case 4:
            return regatta::hand_over([](task t) { t(); });
        default:
            return regatta::hand_over([](std::span<task>) {}); // Drops them.
        }
    }
    static regatta::pool_options random_options(dice& d) {
        regatta::pool_options o{.threads = 1u + static_cast<unsigned>(d.roll(4))};
        if (!makes<regatta::dynamic_pool>() && d.roll(3) != 0) {
            o.capacity = 1u + static_cast<std::size_t>(d.roll(100));
            o.when_full = policy(d.roll(6));
        }
        if (d.roll(8) == 0) {
            o.spin = std::chrono::microseconds(50);
        }
        return o;
    }
};
INSTANTIATE_TEST_SUITE_P(, pool_stress, library_test::every_pool(), library_test::pool_name);

} // namespace

// Everything at once, until the pool is closed, emptied or destroyed in the middle of it.
TEST_P(pool_stress, every_task_is_accounted_for) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    int round = 0;
    for (; round < rounds(200) && std::chrono::steady_clock::now() < deadline; ++round) {
        dice d(static_cast<unsigned>(round));
        ledger book;
        std::stop_source stop;
        regatta::pool_stats stats;
        const bool discards = d.roll(3) == 0;
        {
            auto [pool] = make_pool(random_options(d));
            std::atomic<bool> done{false};
            std::vector<std::thread> threads;
            for (unsigned t = 0; t < 3; ++t) {
                threads.emplace_back([&, t] {
                    submitter s(pool, book, stop.get_token(),
                                static_cast<unsigned>(round) * 64 + t);
                    for (int i = 0; i < 200 && s.offer(); ++i) {
                    }
                });
            }
            threads.emplace_back([&] {
                dice mine(static_cast<unsigned>(round) * 64 + 63);
                while (!done.load()) {
                    disturb(pool, mine);
                }
                pool.resume();
            });
            if (d.roll(2) == 0) {
                for (std::size_t t = 0; t < 3; ++t) {
                    threads[t].join();
                }
                stop.request_stop();
            } else {
                for (int i = d.roll(100); i > 0; --i) {
                    std::this_thread::yield();
                }
            }
            pool.stop(discards ? regatta::stop_mode::discard : regatta::stop_mode::drain);
            done = true;
            for (auto& thread : threads) {
                if (thread.joinable()) {
                    thread.join();
                }
            }
            stats = pool.stats();
            ASSERT_EQ(stats.queued, 0u);
        }
        ASSERT_EQ(book.ran_twice.load(), 0u);
        ASSERT_EQ(book.ran.load() + book.died.load(), book.offered.load());
        ASSERT_EQ(stats.run + stats.cancelled, stats.submitted);
        ASSERT_EQ(stats.errors, 0u);
    }
    std::printf("%d rounds\n", round);
}

// Whoever waits finds what it submitted done, whoever else submits and waits.
TEST_P(pool_stress, wait_returns_after_all_that_came_before) {
    dice d(1000);
    auto [pool] = make_pool(regatta::pool_options{.threads = 3});
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < 3; ++t) {
        threads.emplace_back([&, t] {
            dice mine(t);
            for (int round = 0; round < rounds(1000); ++round) {
                std::atomic<int> runs{0};
                const int count = mine.roll(20);
                for (int i = 0; i < count; ++i) {
                    pool.execute([&] { ++runs; });
                }
                pool.wait();
                ASSERT_EQ(runs.load(), count);
                auto inside = pool.submit([&] {
                    std::atomic<int> inner{0};
                    for (int i = 0; i < count; ++i) {
                        pool.execute([&] { ++inner; });
                    }
                    pool.wait();
                    EXPECT_EQ(inner.load(), count);
                });
                inside.get();
            }
        });
    }
    for (auto& thread : threads) {
        thread.join();
    }
    pool.wait();
    EXPECT_EQ(pool.stats().submitted, pool.stats().run);
}

// "destruction at every state": idle, paused, full, with tasks that submit, waited for.
TEST_P(pool_stress, is_made_and_destroyed_in_every_state) {
    std::atomic<int> runs{0};
    int accepted = 0;
    for (int round = 0; round < rounds(500); ++round) {
        dice d(static_cast<unsigned>(round));
        regatta::pool_options options{.threads = 1u + static_cast<unsigned>(d.roll(3))};
        if (!makes<regatta::dynamic_pool>() && d.roll(2) == 0) {
            options.capacity = 4;
        }
        std::optional<future<void>> outlives;
        {
            auto [pool] = make_pool(std::move(options));
            for (int i = d.roll(10); i > 0; --i) {
                switch (d.roll(6)) {
                case 0:
                    pool.pause();
                    break;
                case 1:
                    pool.resume();
                    break;
                case 2:
                    if (!pool.paused()) {
                        outlives = pool.submit([&] { ++runs; });
                        ++accepted;
                    }
                    break;
                case 3:
                    if (pool.try_execute([&] {
                            pool.execute([&] { ++runs; });
                            ++runs;
                        })) {
                        accepted += 2;
                    }
                    break;
                default:
                    accepted += pool.try_execute([&] { ++runs; }) ? 1 : 0;
                }
            }
        }
        if (outlives) {
            ASSERT_TRUE(outlives->ready());
            outlives->get();
        }
        ASSERT_EQ(runs.load(), accepted);
    }
}
