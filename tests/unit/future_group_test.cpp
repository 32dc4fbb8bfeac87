// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "support/queue_executor.hpp"

#include <regatta/core/future_group.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using library_test::queue_executor;
using regatta::future;
using regatta::future_group;
using regatta::task_cancelled;
using namespace std::chrono_literals;

} // namespace

TEST(future_group, gets_all_in_order) {
    queue_executor executor(2);
    future_group<int> group;
    EXPECT_TRUE(group.empty());
    EXPECT_TRUE(group.get().empty());
    for (int i = 0; i < 100; ++i) {
        group.push(executor.submit([i] { return i * i; }));
    }
    EXPECT_EQ(group.size(), 100u);
    const std::vector<int> squares = group.get();
    ASSERT_EQ(squares.size(), 100u);
    for (int i = 0; i < 100; ++i) {
        EXPECT_EQ(squares[static_cast<std::size_t>(i)], i * i);
    }
    EXPECT_TRUE(group.empty());
}

TEST(future_group, takes_results_of_every_kind) {
    queue_executor executor(1);
    future_group<std::unique_ptr<int>> owners;
    future_group<bool> answers;
    future_group<void> deeds;
    owners.push(executor.submit([] { return std::make_unique<int>(3); }));
    answers.push(executor.submit([] { return true; }));
    deeds.push(executor.submit([] {}));
    int there = 0;
    future_group<int&> references;
    references.push(executor.submit([&]() -> int& { return there; }));
    EXPECT_EQ(&references.get()[0].get(), &there);
    EXPECT_EQ(*owners.get()[0], 3);
    EXPECT_EQ(answers.get(), std::vector<bool>{true});
    static_assert(std::is_void_v<decltype(deeds.get())>);
    deeds.get();
}

// "throws the exception of the first of them in order", after all have completed. The only worker
// waits for the tasks, so it runs each when it waits for it.
TEST(future_group, throws_the_first_error_when_all_are_complete) {
    queue_executor executor(1);
    executor
        .submit([&] {
            future_group<int> group;
            bool last = false;
            group.push(executor.submit([] { return 1; }));
            group.push(executor.submit([]() -> int { throw std::string("first"); }));
            group.push(executor.submit([]() -> int { throw 2; }));
            group.push(executor.submit([&] {
                last = true;
                return 1;
            }));
            EXPECT_THROW(group.get(), std::string);
            EXPECT_TRUE(last);
            EXPECT_TRUE(group.empty());
        })
        .get();
}

TEST(future_group, waits_and_tells_what_is_ready) {
    queue_executor executor;
    future_group<int> group;
    EXPECT_TRUE(group.ready());
    EXPECT_TRUE(group.wait_for(0s));
    group.push(executor.submit([] { return 1; }));
    group.push(executor.submit([] { return 2; }));
    executor.run_one();
    EXPECT_FALSE(group.ready());
    EXPECT_TRUE(group[0].ready());
    EXPECT_FALSE(group.wait_for(1ms));
    EXPECT_FALSE(group.wait_until(std::chrono::system_clock::now()));
    executor.run_one();
    group.wait();
    EXPECT_TRUE(group.ready());
    EXPECT_TRUE(group.wait_for(std::chrono::hours::max()));
    int sum = 0;
    for (future<int>& f : group) {
        sum += f.get();
    }
    EXPECT_EQ(sum, 3);
    EXPECT_TRUE(group.ready()) << "what was taken out is left out";
    EXPECT_THROW(group.get(), std::logic_error);
}

// "@returns whether every future is ready", and not whether the last one is.
TEST(future_group, counts_every_future_of_a_wait_that_ends_in_time) {
    queue_executor open;
    queue_executor done;
    future_group<void> group;
    group.push(open.submit([] {}));
    group.push(done.submit([] {}));
    done.run_one();
    EXPECT_FALSE(group.wait_for(1ms));
    EXPECT_FALSE(group.wait_until(std::chrono::steady_clock::now()));
    open.run_one();
    EXPECT_TRUE(group.wait_for(1ms));
}

TEST(future_group, cancels_what_has_not_started) {
    queue_executor executor;
    future_group<void> group;
    for (int i = 0; i < 5; ++i) {
        group.push(executor.submit([] {}));
    }
    executor.run_one();
    EXPECT_EQ(group.cancel(), 4u);
    EXPECT_TRUE(group.ready());
    EXPECT_THROW(group.get(), task_cancelled);
}

TEST(future_group, refuses_an_invalid_future) {
    future_group<int> group;
    EXPECT_THROW(group.push(future<int>()), std::invalid_argument);
}

TEST(future_group, in_a_task_runs_its_tasks) {
    queue_executor executor(1);
    EXPECT_EQ(executor
                  .submit([&] {
                      future_group<int> group;
                      for (int i = 0; i < 10; ++i) {
                          group.push(executor.submit([i] { return i; }));
                      }
                      int sum = 0;
                      for (const int i : group.get()) {
                          sum += i;
                      }
                      return sum;
                  })
                  .get(),
              45);
}

TEST(future_group, is_walked_where_it_is_constant) {
    queue_executor executor(1);
    future_group<int> group;
    group.push(executor.submit([] { return 3; }));
    const future_group<int>& constant = group;
    for (const auto& one : constant) {
        EXPECT_TRUE(one.valid());
    }
    future<int> own = std::move(group[0]);
    future<int>& same = own;
    own = std::move(same);
    EXPECT_EQ(own.get(), 3);
}
