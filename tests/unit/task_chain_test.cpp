// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include <regatta/core/detail/task_chain.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <random>
#include <utility>
#include <vector>

namespace {

using regatta::detail::task_chain;

/// What the tasks of a chain write when they run, and hold until they are destroyed.
struct task_log {
    std::shared_ptr<int> held = std::make_shared<int>(0);
    std::vector<int> ran;

    auto task(int number) {
        return [this, number, mine = held] { ran.push_back(number); };
    }
};

void run_front(task_chain& chain) {
    chain.front()();
    chain.pop_front();
}

} // namespace

// The order stays, whatever the lengths between; positions count from the first task that is left.
TEST(task_chain, keeps_the_order) {
    task_log log;
    std::minstd_rand random(7);
    task_chain chain;
    int added = 0;
    int taken = 0;
    for (int round = 0; round < 200; ++round) {
        for (auto more = random() % 100; more != 0; --more) {
            chain.push_back(log.task(added++));
        }
        ASSERT_EQ(chain.size(), static_cast<std::size_t>(added - taken));
        if (!chain.empty()) {
            const auto at = static_cast<int>(random() % chain.size());
            chain[static_cast<std::size_t>(at)]();
            ASSERT_EQ(log.ran.back(), taken + at);
            log.ran.pop_back();
        }
        for (auto less = random() % 100; less != 0 && !chain.empty(); --less) {
            run_front(chain);
            ASSERT_EQ(log.ran.back(), taken++);
        }
    }
    EXPECT_EQ(log.held.use_count(), 1 + added - taken);
}

// A task is destroyed where it leaves, and with the chain.
TEST(task_chain, destroys_each_task_once) {
    task_log log;
    {
        task_chain chain;
        for (int i = 0; i < 100; ++i) {
            chain.push_back(log.task(i));
        }
        for (int i = 0; i < 40; ++i) {
            run_front(chain);
        }
        EXPECT_EQ(log.held.use_count(), 61);
        task_chain other(std::move(chain));
        EXPECT_TRUE(chain.empty()); // NOLINT: says what a move leaves.
        EXPECT_EQ(other.size(), 60u);
        chain.push_back(log.task(100));
        chain.swap(other);
        other.take_spare(chain);
        EXPECT_EQ(chain.size(), 60u);
        EXPECT_EQ(log.held.use_count(), 62);
    }
    EXPECT_EQ(log.held.use_count(), 1);
}
