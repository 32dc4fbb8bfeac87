// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// Strands on every pool, used from outside, in tasks, in each other and in continuations, while the
// pool may be stopped.

#include "seeded.hpp"
#include "support/pool_cases.hpp"
#include "support/threads.hpp"

#include <regatta/core/strand.hpp>
#include <regatta/core/task_errors.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <thread>
#include <vector>

namespace {

using library_test::dice;
using library_test::rounds;

constexpr unsigned producers = 3;
constexpr std::size_t strands = 4;

/// A strand, and what only its tasks touch.
struct strand_book {
    explicit strand_book(regatta::thread_pool& pool) : serial(pool) {}

    /// What each task does. @param producer who submitted it directly; `producers`: nobody.
    void enter(unsigned producer, int number) {
        EXPECT_EQ(inside.fetch_add(1, std::memory_order_relaxed), 0);
        EXPECT_TRUE(serial.running_in_this_thread());
        if (producer != producers) {
            EXPECT_LT(last[producer], number);
            last[producer] = number;
        }
        ++count;
        inside.fetch_sub(1, std::memory_order_relaxed);
    }

    const regatta::strand<regatta::thread_pool> serial;
    std::array<int, producers> last{-1, -1, -1};
    long count = 0;
    std::atomic<int> inside{0};
};

class strand_stress : public library_test::pool_test {
    void SetUp() override { library_test::print_seed(); }
};
INSTANTIATE_TEST_SUITE_P(, strand_stress, library_test::every_pool(), library_test::pool_name);

} // namespace

TEST_P(strand_stress, tasks_run_once_alone_and_in_order) {
    const library_test::time_limit limit("strands under load");
    for (int round = 0; round < rounds(40); ++round) {
        const bool stopped = round % 4 == 3;
        auto [pool] = make_pool({.threads = 1 + static_cast<unsigned>(round) % 3});
        std::vector<std::unique_ptr<strand_book>> all;
        for (std::size_t i = 0; i < strands; ++i) {
            all.push_back(std::make_unique<strand_book>(pool));
        }
        std::atomic<long> accepted{0};
        const auto produce = [&, &pool = pool](unsigned who) {
            dice random(who + 10 * static_cast<unsigned>(round));
            std::vector<regatta::future<void>> futures;
            try {
                for (int i = 0; i < 200; ++i) {
                    strand_book& in = *all[static_cast<std::size_t>(random.roll(strands))];
                    strand_book& next = *all[static_cast<std::size_t>(random.roll(strands))];
                    switch (random.roll(5)) {
                    case 0:
                        in.serial.execute([&in, who, i] { in.enter(who, i); });
                        ++accepted;
                        break;
                    case 1:
                        futures.push_back(in.serial.submit([&in, who, i] { in.enter(who, i); }));
                        ++accepted;
                        break;
                    case 2: // A task waits for a strand.
                        futures.push_back(pool.submit([&] {
                            in.serial.submit([&] { in.enter(producers, 0); }).get();
                            ++accepted;
                        }));
                        break;
                    case 3: // A task of a strand submits to another one, or to its own.
                        in.serial.execute([&] {
                            in.enter(producers, 0);
                            next.serial.execute([&next] { next.enter(producers, 0); });
                            ++accepted;
                        });
                        ++accepted;
                        break;
                    default:
                        futures.push_back(
                            pool.submit([] {}).then(in.serial, [&in] { in.enter(producers, 0); }));
                        ++accepted;
                    }
                }
            } catch (const regatta::task_rejected&) {
                EXPECT_TRUE(stopped);
            }
            for (auto& one : futures) {
                try {
                    one.get();
                } catch (const regatta::task_cancelled&) {
                    EXPECT_TRUE(stopped);
                } catch (const regatta::task_rejected&) {
                    EXPECT_TRUE(stopped);
                }
            }
        };
        {
            std::vector<std::jthread> threads;
            for (unsigned who = 0; who < producers; ++who) {
                threads.emplace_back(produce, who);
            }
            if (stopped) {
                pool.stop(regatta::stop_mode::discard);
            }
        }
        pool.wait();
        pool.close();
        long sum = 0;
        for (const auto& one : all) {
            sum += one->count;
        }
        if (stopped) {
            EXPECT_LE(sum, accepted.load());
        } else {
            EXPECT_EQ(sum, accepted.load());
        }
    }
}
