// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// What happens when a pond of compat/hipe.hpp is full; each test quotes the sentence of
// docs/reference/hipe.md that it checks.

#include "hipe_gate.hpp"

#include <regatta/compat/hipe.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

using hipe::BalancedThreadPond;
using hipe::DynamicThreadPond;
using hipe::HipeTask;
using hipe_test::gate;

// Room and refusals are counted by the pond, whatever its pool: tests of these, named
// hipe_full_pond, take one.
template<class Pond>
class hipe_overflow : public testing::Test {};
using fixed_ponds = testing::Types<hipe::SteadyThreadPond, hipe::BalancedThreadPond>;
TYPED_TEST_SUITE(hipe_overflow, fixed_ponds);

/// Submits until the pond complains. @returns how many tasks it took.
template<class Pond, class F>
int fill(Pond& pond, const F& task) {
    int accepted = 0;
    try {
        for (;; ++accepted) {
            pond.submit(task);
        }
    } catch (const std::runtime_error&) {
    }
    return accepted;
}

std::vector<HipeTask> batch_of(std::size_t size, const std::function<void()>& task) {
    std::vector<HipeTask> batch;
    for (std::size_t i = 0; i < size; ++i) {
        batch.emplace_back(task);
    }
    return batch;
}

// "Capacity 0, HipeUnlimited: no limit."
TYPED_TEST(hipe_overflow, none_without_a_limit) {
    gate door;
    TypeParam pond(1, hipe::HipeUnlimited);
    pond.submit(door.keeper());
    std::atomic<int> calls{0};
    for (int i = 0; i < 20000; ++i) {
        pond.submit([&] { ++calls; });
    }
    door.open();
    pond.waitForTasks();
    EXPECT_EQ(calls, 20000);
}

// "The capacity is that of the whole pond, whatever the number of its threads, and counts the tasks
// that wait and those that run."
TEST(hipe_full_pond, capacity_is_that_of_the_pond) {
    for (const int threads : {1, 2, 3}) {
        gate door;
        BalancedThreadPond pond(threads, 10);
        EXPECT_EQ(fill(pond, door.keeper()), 10);
        EXPECT_EQ(pond.getTasksRemain(), 10);
        door.open();
        pond.waitForTasks();
        EXPECT_EQ(pond.getTasksRemain(), 0);
    }
}

// "Full, and no callback is set: std::runtime_error."
TEST(hipe_full_pond, throws_without_a_callback) {
    gate door;
    BalancedThreadPond pond(1, 2);
    pond.submit(door.keeper());
    pond.submit(door.keeper());
    EXPECT_THROW(pond.submit([] {}), std::runtime_error);
    EXPECT_THROW(pond.submitForReturn([] {}), std::runtime_error);
    std::vector<HipeTask> batch = batch_of(3, [] {});
    EXPECT_THROW(pond.submitInBatch(batch, 3), std::runtime_error);
    door.open();
    pond.waitForTasks();
    pond.submit([] {}); // there is room again
}

// "setRefuseCallBack on an unlimited pond: std::logic_error."
TEST(hipe_full_pond, no_callback_without_a_limit) {
    BalancedThreadPond pond(1);
    EXPECT_THROW(pond.setRefuseCallBack([] {}), std::logic_error);
}

// "The callback runs on the submitting thread, within the call that found no room; its arguments
// are kept by value, std::ref refers to one."
TEST(hipe_full_pond, calls_back) {
    gate door;
    BalancedThreadPond pond(1, 1);
    pond.submit(door.keeper());
    std::thread::id where;
    int sum = 0;
    const auto called = [&](int& to, int number) {
        to += number;
        where = std::this_thread::get_id();
    };
    pond.setRefuseCallBack(called, std::ref(sum), 5);
    pond.submit([] {});
    EXPECT_EQ(sum, 5);
    EXPECT_EQ(where, std::this_thread::get_id());
    pond.submit([] {});
    EXPECT_EQ(sum, 10);
    pond.setRefuseCallBack([&] { sum = -1; }); // in the other's place
    pond.submit([] {});
    EXPECT_EQ(sum, -1);
    door.open();
}

// "What the callback throws comes out of that call."
TEST(hipe_full_pond, passes_on_what_the_callback_throws) {
    gate door;
    BalancedThreadPond pond(1, 1);
    pond.submit(door.keeper());
    pond.setRefuseCallBack([] { throw std::out_of_range("no"); });
    EXPECT_THROW(pond.submit([] {}), std::out_of_range);
    EXPECT_EQ(pond.pullOverFlowTasks().size(), 1U);
    EXPECT_THROW(pond.submit([] {}), std::out_of_range);
    door.open();
}

// "pullOverFlowTasks gives the tasks that were refused last; they are kept until the next overflow,
// whose tasks take their place."
TEST(hipe_full_pond, keeps_refused_tasks_until_the_next) {
    gate door;
    std::string ran;
    BalancedThreadPond pond(1, 1);
    std::vector<HipeTask>& refused = pond.pullOverFlowTasks();
    EXPECT_TRUE(refused.empty());
    pond.submit(door.keeper());

    EXPECT_THROW(pond.submit([&] { ran += 'a'; }), std::runtime_error);
    ASSERT_EQ(refused.size(), 1U);
    EXPECT_EQ(&pond.pullOverFlowTasks(), &refused);
    refused[0]();
    EXPECT_EQ(ran, "a");

    std::vector<HipeTask> batch = batch_of(2, [&] { ran += 'b'; });
    EXPECT_THROW(pond.submitInBatch(batch, 2), std::runtime_error);
    ASSERT_EQ(refused.size(), 2U);
    refused[0]();
    refused[1]();
    EXPECT_EQ(ran, "abb");

    pond.setRefuseCallBack([] {}); // leaves them
    pond.submit([&] { ran += 'c'; });
    ASSERT_EQ(refused.size(), 1U);
    refused[0]();
    EXPECT_EQ(ran, "abbc");
    door.open();
}

// "A batch that does not fit as a whole: as many as fit are accepted, in their order, and the rest
// is refused together."
TEST(hipe_full_pond, splits_batches) {
    gate door;
    std::atomic<int> calls{0};
    BalancedThreadPond pond(10, 100);
    std::vector<std::size_t> refused;
    pond.setRefuseCallBack([&] { refused.push_back(pond.pullOverFlowTasks().size()); });
    std::vector<HipeTask> batch = batch_of(101, [&] {
        door.pass();
        ++calls;
    });
    pond.submitInBatch(batch, 101);
    EXPECT_EQ(refused, std::vector<std::size_t>{1});
    door.open();
    pond.waitForTasks();
    EXPECT_EQ(calls, 100);
}

// "A refused task still carries its result: whoever runs it completes the future."
TEST(hipe_full_pond, refused_tasks_keep_their_futures) {
    gate door;
    BalancedThreadPond pond(1, 1);
    DynamicThreadPond cache(1);
    pond.setRefuseCallBack([&] {
        auto tasks = std::move(pond.pullOverFlowTasks());
        cache.submitInBatch(tasks, tasks.size());
    });
    pond.submit(door.keeper());
    auto future = pond.submitForReturn([] { return 3; });
    EXPECT_EQ(future.get(), 3);
    door.open();
}

// "Its place is free before a future is ready: who has the result can submit again."
TYPED_TEST(hipe_overflow, results_make_room_first) {
    TypeParam pond(1, 1);
    for (int i = 0; i < 2000; ++i) {
        EXPECT_EQ(pond.submitForReturn([i] { return i; }).get(), i);
    }
}

// "A task that throws gives up its place, too."
TYPED_TEST(hipe_overflow, failed_tasks_make_room) {
    TypeParam pond(1, 1);
    for (int i = 0; i < 100; ++i) {
        auto future = pond.submitForReturn([] { throw 1; });
        EXPECT_THROW(future.get(), int);
    }
}

// "A closed pond throws regatta::task_rejected", also while it is full.
TEST(hipe_full_pond, rejects_once_it_is_closed) {
    gate door;
    BalancedThreadPond pond(1, 1);
    pond.submit(door.keeper());
    door.await_inside(1);
    int refused = 0;
    pond.setRefuseCallBack([&] { ++refused; });
    std::thread closes([&] { pond.close(); });
    const auto rejects = [](auto&& call) {
        try {
            call();
        } catch (const regatta::task_rejected&) {
            return true;
        }
        return false;
    };
    library_test::await([&] { return rejects([&] { pond.submit([] {}); }); });
    const int before = refused;
    EXPECT_TRUE(rejects([&] { static_cast<void>(pond.submitForReturn([] {})); }));
    std::vector<HipeTask> batch = batch_of(2, [] {});
    EXPECT_TRUE(rejects([&] { pond.submitInBatch(batch, 2); }));
    EXPECT_EQ(refused, before);
    door.open();
    closes.join();
}

// "The callback may use the pond."
TYPED_TEST(hipe_overflow, callback_may_wait_and_submit_again) {
    TypeParam pond(2, 4);
    std::atomic<int> calls{0};
    pond.setRefuseCallBack([&] {
        auto tasks = std::move(pond.pullOverFlowTasks());
        pond.waitForTasks();
        pond.submitInBatch(tasks, tasks.size());
    });
    std::vector<HipeTask> batch = batch_of(1000, [&] { ++calls; });
    for (std::size_t i = 0; i < batch.size(); ++i) {
        pond.submit(std::move(batch[i]));
    }
    pond.waitForTasks();
    EXPECT_EQ(calls, 1000);
}

// "In the callback: the tasks of its own call", also in a call within a call.
TEST(hipe_full_pond, a_callback_within_a_callback_sees_its_own_tasks) {
    gate door;
    BalancedThreadPond pond(1, 1);
    pond.submit(door.keeper());
    std::vector<std::size_t> seen;
    pond.setRefuseCallBack([&] {
        seen.push_back(pond.pullOverFlowTasks().size());
        if (seen.size() == 1) {
            std::vector<HipeTask> batch = batch_of(2, [] {});
            pond.submitInBatch(batch, 2);
            seen.push_back(pond.pullOverFlowTasks().size());
        }
    });
    std::vector<HipeTask> batch = batch_of(3, [] {});
    pond.submitInBatch(batch, 3);
    EXPECT_EQ(seen, (std::vector<std::size_t>{3, 2, 3}));
    door.open();
}

// "Several threads that overflow a pond at once each see, in their callback, their own tasks."
TEST(hipe_full_pond, threads_see_their_own_tasks) {
    gate door;
    BalancedThreadPond pond(1, 1);
    pond.submit(door.keeper());
    std::atomic<int> inside{0};
    std::atomic<int> wrong{0};
    thread_local std::size_t mine = 0;
    pond.setRefuseCallBack([&] {
        ++inside;
        library_test::await([&] { return inside == 4; }); // all are in their callbacks
        wrong += pond.pullOverFlowTasks().size() == mine ? 0 : 1;
    });
    std::vector<std::thread> threads;
    for (std::size_t t = 1; t <= 4; ++t) {
        threads.emplace_back([&, t] {
            mine = t;
            std::vector<HipeTask> batch = batch_of(t, [] {});
            pond.submitInBatch(batch, t);
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(wrong, 0);
    door.open();
}

// "No task is lost": it runs, or its submitter sees it refused.
TYPED_TEST(hipe_overflow, accounts_for_every_task) {
    TypeParam pond(2, 16);
    DynamicThreadPond cache(1);
    pond.setRefuseCallBack([&] {
        auto tasks = std::move(pond.pullOverFlowTasks());
        cache.submitInBatch(tasks, tasks.size());
    });
    std::atomic<int> calls{0};
    const int each = library_test::rounds(3000);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&] {
            for (int i = 0; i < each; ++i) {
                pond.submit([&] { ++calls; });
                std::vector<HipeTask> batch = batch_of(3, [&] { ++calls; });
                pond.submitInBatch(batch, 3);
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    pond.waitForTasks();
    cache.waitForTasks();
    EXPECT_EQ(calls, 4 * each * 4);
    EXPECT_EQ(pond.getTasksRemain(), 0);
}

// "Destroyed tasks make room": a full pond can be closed.
TYPED_TEST(hipe_overflow, full_ponds_close) {
    gate door;
    auto alive = std::make_shared<int>();
    {
        TypeParam pond(1, 5);
        pond.submit(door.keeper());
        door.await_inside(1);
        fill(pond, [alive] {});
        std::thread closes([&] { pond.close(); });
        library_test::await([&] { return pond.getTasksRemain() == 1; });
        door.open();
        closes.join();
        EXPECT_EQ(pond.getTasksRemain(), 0);
    }
    EXPECT_EQ(alive.use_count(), 1);
}

} // namespace
