// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// The threads of hipe::DynamicThreadPond; each test quotes the sentence of docs/reference/hipe.md
// that it checks.

#include "hipe_gate.hpp"

#include <regatta/compat/hipe.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>

namespace {

using hipe::DynamicThreadPond;
using hipe_test::gate;

void plain_function() {}

// "addThreads, delThreads, adjustThreads: the expected number changes at once, the running number
// follows; waitForThreads waits until they are the same."
TEST(hipe_dynamic_pond, threads_come_and_go) {
    DynamicThreadPond pond(2);
    pond.addThreads(2);
    EXPECT_EQ(pond.getExpectThreadNumb(), 4);
    pond.addThreads();
    pond.waitForThreads();
    EXPECT_EQ(pond.getRunningThreadNumb(), 5);
    pond.delThreads();
    pond.delThreads(2);
    EXPECT_EQ(pond.getExpectThreadNumb(), 2);
    pond.waitForThreads();
    pond.joinDeadThreads();
    EXPECT_EQ(pond.getRunningThreadNumb(), 2);
    pond.adjustThreads(6);
    pond.waitForThreads();
    EXPECT_EQ(pond.getRunningThreadNumb(), 6);
}

// "A thread that is to go finishes its task."
TEST(hipe_dynamic_pond, deleted_threads_finish_their_tasks) {
    gate door;
    DynamicThreadPond pond(1);
    std::atomic<bool> finished{false};
    pond.submit([&] {
        door.pass();
        finished = true;
    });
    door.await_inside(1);
    pond.adjustThreads(0);
    EXPECT_EQ(pond.getExpectThreadNumb(), 0);
    EXPECT_EQ(pond.getRunningThreadNumb(), 1);
    door.open();
    pond.waitForThreads();
    EXPECT_EQ(pond.getRunningThreadNumb(), 0);
    EXPECT_TRUE(finished);
}

// "A pond may be without threads: its tasks wait for one."
TEST(hipe_dynamic_pond, tasks_wait_for_threads) {
    DynamicThreadPond pond(3);
    pond.delThreads(pond.getExpectThreadNumb());
    pond.waitForThreads();
    std::atomic<int> calls{0};
    for (int i = 0; i < 3; ++i) {
        pond.submit([&] { ++calls; });
    }
    EXPECT_EQ(pond.getTasksRemain(), 3);
    EXPECT_EQ(calls, 0);
    pond.addThreads(1);
    pond.waitForTasks();
    EXPECT_EQ(calls, 3);
}

// "To delete more than there are, or a negative number: std::invalid_argument."
TEST(hipe_dynamic_pond, refuses_impossible_numbers) {
    DynamicThreadPond pond(2);
    EXPECT_THROW(pond.delThreads(3), std::invalid_argument);
    EXPECT_THROW(pond.addThreads(-1), std::invalid_argument);
    EXPECT_THROW(pond.delThreads(-1), std::invalid_argument);
    EXPECT_THROW(pond.adjustThreads(-1), std::invalid_argument);
    EXPECT_EQ(pond.getExpectThreadNumb(), 2);
}

// "getTasksLoaded counts the tasks that threads have taken since the last resetTasksLoaded, which
// gives the count until then."
TEST(hipe_dynamic_pond, counts_what_its_threads_take) {
    DynamicThreadPond pond(2);
    const auto run = [&](int tasks) {
        for (int i = 0; i < tasks; ++i) {
            pond.submit(plain_function);
        }
        pond.waitForTasks();
    };
    run(5);
    EXPECT_EQ(pond.getTasksLoaded(), 5);
    run(2);
    EXPECT_EQ(pond.resetTasksLoaded(), 7);
    EXPECT_EQ(pond.getTasksLoaded(), 0);
    run(3);
    EXPECT_EQ(pond.getTasksLoaded(), 3);
    gate door;
    pond.submit(door.keeper());
    door.await_inside(1);
    EXPECT_EQ(pond.getTasksLoaded(), 4); // it has begun, not ended
    door.open();
}

// "No task is lost between two resets."
TEST(hipe_dynamic_pond, resets_lose_nothing) {
    DynamicThreadPond pond(2);
    std::atomic<bool> over{false};
    int sum = 0;
    std::thread resets([&] {
        while (!over) {
            sum += pond.resetTasksLoaded();
        }
    });
    for (int i = 0; i < 5000; ++i) {
        pond.submit(plain_function);
    }
    pond.waitForTasks();
    over = true;
    resets.join();
    EXPECT_EQ(sum + pond.resetTasksLoaded(), 5000);
}

} // namespace
