// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// What Hipe documents of its ponds, and what compat/hipe.hpp adds; each test quotes the sentence of
// docs/reference/hipe.md that it checks. hipe_overflow_contract_test.cpp has the full ponds.

#include "hipe_gate.hpp"
#include "support/threads.hpp"

#include <regatta/compat/hipe.hpp>
#include <regatta/cpu/available_cpus.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using hipe::BalancedThreadPond;
using hipe::DynamicThreadPond;
using hipe::HipeTask;
using hipe::SteadyThreadPond;
using hipe_test::gate;

template<class Pond>
class hipe_pond : public testing::Test {};
using all_ponds = testing::Types<SteadyThreadPond, BalancedThreadPond, DynamicThreadPond>;
TYPED_TEST_SUITE(hipe_pond, all_ponds);

template<class Pond>
class hipe_fixed_pond : public testing::Test {};
using fixed_ponds = testing::Types<SteadyThreadPond, BalancedThreadPond>;
TYPED_TEST_SUITE(hipe_fixed_pond, fixed_ponds);

void plain_function() {}

// "0 threads: as many as the CPUs that the program may use."
TYPED_TEST(hipe_pond, zero_threads_means_all_cpus) {
    TypeParam pond;
    EXPECT_EQ(static_cast<unsigned>(pond.getThreadNumb()), regatta::available_cpus());
    TypeParam three(3);
    EXPECT_EQ(three.getThreadNumb(), 3);
}

// "A negative number is std::invalid_argument."
TYPED_TEST(hipe_pond, refuses_negative_numbers) {
    EXPECT_THROW(TypeParam(-1), std::invalid_argument);
}
TYPED_TEST(hipe_fixed_pond, refuses_negative_numbers) {
    EXPECT_THROW(TypeParam(1, -1), std::invalid_argument);
}

// "A task is anything that can be called without arguments."
TYPED_TEST(hipe_pond, runs_all_kinds_of_tasks) {
    TypeParam pond(2);
    std::atomic<int> calls{0};
    const auto counts = [&] { ++calls; };
    struct functor {
        std::atomic<int>& n;
        void operator()() const { ++n; }
    };
    std::function<void()> function = counts;
    HipeTask task(counts);

    pond.submit(plain_function);
    pond.submit(&plain_function);
    pond.submit(counts);
    pond.submit(functor{calls});
    pond.submit(std::bind([](std::atomic<int>& n) { ++n; }, std::ref(calls)));
    pond.submit(function);
    pond.submit(std::move(task));
    pond.submit([&calls, owned = std::make_unique<int>(1)] { calls += *owned; });
    pond.submit([&calls] { return ++calls; });
    pond.waitForTasks();
    EXPECT_EQ(calls, 7);
}

// "std::ref: the callable itself is called; it must outlive the task."
TYPED_TEST(hipe_pond, calls_through_references) {
    TypeParam pond(1);
    auto counter = [n = 0]() mutable { return ++n; };
    pond.submit(std::ref(counter));
    HipeTask task(std::ref(counter));
    pond.submit(std::move(task));
    EXPECT_EQ(pond.submitForReturn(std::ref(counter)).get(), 3);
    pond.waitForTasks();
}

// "submitForReturn gives a std::future of the result."
TYPED_TEST(hipe_pond, gives_results) {
    TypeParam pond(2);
    auto number = pond.submitForReturn([] { return 7; });
    static_assert(std::is_same_v<decltype(number), std::future<int>>);
    EXPECT_EQ(number.get(), 7);

    auto nothing = pond.submitForReturn(plain_function);
    static_assert(std::is_same_v<decltype(nothing), std::future<void>>);
    nothing.get();

    EXPECT_EQ(*pond.submitForReturn([] { return std::make_unique<int>(8); }).get(), 8);
    int place = 9;
    int& same = pond.submitForReturn([&]() -> int& { return place; }).get();
    EXPECT_EQ(&same, &place);
}

// "What the task throws comes out of the future."
TYPED_TEST(hipe_pond, futures_carry_exceptions) {
    TypeParam pond(1);
    auto future = pond.submitForReturn([]() -> int { throw std::runtime_error("no"); });
    EXPECT_THROW(future.get(), std::runtime_error);
}

// "Arguments are kept by value; std::ref refers to one."
TYPED_TEST(hipe_pond, binds_arguments) {
    TypeParam pond(1);
    int changed = 0;
    const auto set = [](int& to, std::unique_ptr<int> from) { return to = *from; };
    auto future = pond.submitForReturn(set, std::ref(changed), std::make_unique<int>(5));
    EXPECT_EQ(future.get(), 5);
    EXPECT_EQ(changed, 5);
}

// "submitInBatch moves the first n elements out of anything that has []."
TYPED_TEST(hipe_pond, takes_batches_of_anything) {
    TypeParam pond(2);
    std::atomic<int> calls{0};
    const auto counts = [&] { ++calls; };

    std::vector<HipeTask> tasks(3);
    for (HipeTask& task : tasks) {
        task.reset(counts);
    }
    pond.submitInBatch(tasks, tasks.size());
    for (const HipeTask& task : tasks) {
        EXPECT_FALSE(task.is_set());
    }

    std::deque<std::function<void()>> functions(5, counts);
    pond.submitInBatch(functions, 4);
    EXPECT_TRUE(functions[4]);

    std::array<void (*)(), 2> pointers{plain_function, plain_function};
    pond.submitInBatch(pointers, 2);

    HipeTask plain_array[2] = {counts, counts};
    pond.submitInBatch(plain_array, 2);

    pond.submitInBatch(std::vector<std::function<void()>>(2, counts), 2);
    pond.submitInBatch(functions, 0);

    pond.waitForTasks();
    EXPECT_EQ(calls, 3 + 4 + 2 + 2);
}

// "More than the container has: std::invalid_argument."
TYPED_TEST(hipe_pond, refuses_batches_that_are_too_long) {
    TypeParam pond(1);
    std::vector<std::function<void()>> functions(2, plain_function);
    EXPECT_THROW(pond.submitInBatch(functions, 3), std::invalid_argument);
    pond.waitForTasks();
    EXPECT_TRUE(functions[0]);
}

// "waitForTasks in a task of the same pond runs the others meanwhile."
TYPED_TEST(hipe_pond, waits_inside_itself) {
    TypeParam pond(1);
    std::atomic<int> calls{0};
    int seen = -1;
    pond.submit([&] {
        for (int i = 0; i < 10; ++i) {
            pond.submit([&] { ++calls; });
        }
        pond.waitForTasks();
        seen = calls;
    });
    pond.waitForTasks();
    EXPECT_EQ(seen, 10);
}

// "Every member may be called by any thread at any time, tasks included."
TYPED_TEST(hipe_pond, serves_many_threads) {
    TypeParam pond(2);
    std::atomic<int> calls{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&] {
            for (int i = 0; i < 200; ++i) {
                pond.submit([&] {
                    ++calls;
                    pond.submit([&] { ++calls; });
                });
                std::vector<HipeTask> batch;
                batch.emplace_back([&] { ++calls; });
                pond.submitInBatch(batch, 1);
                pond.submitForReturn([&] { ++calls; }).get();
            }
            pond.waitForTasks();
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(calls, 4 * 200 * 4);
}

// "getTasksRemain counts the tasks that wait and those that run."
TYPED_TEST(hipe_pond, counts_what_remains) {
    gate door;
    TypeParam pond(1);
    EXPECT_EQ(pond.getTasksRemain(), 0);
    pond.submit(door.keeper());
    door.await_inside(1);
    pond.submit(plain_function);
    pond.submit(plain_function);
    EXPECT_EQ(pond.getTasksRemain(), 3);
    door.open();
    pond.waitForTasks();
    EXPECT_EQ(pond.getTasksRemain(), 0);
}

// … and a future may outlive the pond, whose room its task had.
TEST(hipe, a_future_of_a_destroyed_task_outlives_its_pond) {
    gate door;
    std::future<int> future;
    {
        hipe::SteadyThreadPond pond(1, 10);
        pond.submit(door.keeper());
        door.await_inside(1);
        future = pond.submitForReturn([] { return 1; });
        EXPECT_EQ(pond.getTasksRemain(), 2);
        std::thread closes([&] { pond.close(); });
        future.wait();                       // It has been destroyed …
        EXPECT_EQ(pond.getTasksRemain(), 1); // … and its place is free.
        door.open();
        closes.join();
    }
    EXPECT_THROW(future.get(), std::future_error);
}

// "close lets the tasks that run finish and destroys those that wait; their futures are broken
// promises."
TYPED_TEST(hipe_pond, close_destroys_what_waits) {
    gate door;
    std::atomic<int> calls{0};
    TypeParam pond(1);
    pond.submit([&] {
        door.pass();
        ++calls;
    });
    door.await_inside(1);
    for (int i = 0; i < 10; ++i) {
        pond.submit([&] { ++calls; });
    }
    auto future = pond.submitForReturn([&] { ++calls; });
    std::thread closes([&] { pond.close(); });
    future.wait(); // it has been destroyed, while the first task still runs
    door.open();
    closes.join();
    EXPECT_THROW(future.get(), std::future_error);
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(pond.getTasksRemain(), 0);
}

// "close again does nothing; a closed pond throws regatta::task_rejected, a std::runtime_error."
TYPED_TEST(hipe_pond, stays_closed) {
    TypeParam pond(2);
    pond.close();
    pond.close();
    EXPECT_THROW(pond.submit(plain_function), regatta::task_rejected);
    EXPECT_THROW(pond.submitForReturn(plain_function), std::runtime_error);
    pond.waitForTasks();
}

// "The destructor closes."
TYPED_TEST(hipe_pond, may_be_destroyed_at_any_time) {
    auto alive = std::make_shared<int>();
    { TypeParam idle(2); }
    {
        TypeParam busy(1);
        for (int i = 0; i < 100; ++i) {
            busy.submit([alive] {});
        }
    }
    EXPECT_EQ(alive.use_count(), 1);
}

// "An empty task throws std::bad_function_call when its turn comes."
TYPED_TEST(hipe_pond, survives_empty_tasks) {
    TypeParam pond(1);
    EXPECT_THROW(pond.submitForReturn(HipeTask()).get(), std::bad_function_call);
    testing::internal::CaptureStderr();
    pond.submit(HipeTask());
    pond.waitForTasks();
    EXPECT_NE(testing::internal::GetCapturedStderr(), "");
    EXPECT_EQ(pond.submitForReturn([] { return 1; }).get(), 1);
}

// "More than the number of the other threads: std::invalid_argument."
TYPED_TEST(hipe_fixed_pond, checks_stealing) {
    TypeParam pond(3);
    pond.enableStealTasks();
    pond.enableStealTasks(2);
    EXPECT_THROW(pond.enableStealTasks(3), std::invalid_argument);
    EXPECT_THROW(pond.enableStealTasks(-1), std::invalid_argument);
    pond.disableStealTasks();
    std::atomic<int> calls{0};
    for (int i = 0; i < 100; ++i) {
        pond.submit([&] { ++calls; });
    }
    pond.waitForTasks();
    EXPECT_EQ(calls, 100);
    TypeParam alone(1);
    alone.enableStealTasks();
}

// "`enableStealTasks(max)` on a steady pond: a thread steals from the next `max` threads."
TEST(hipe_steady_pond, limits_stealing) {
    SteadyThreadPond pond(4);
    pond.enableStealTasks(1);
    int more_thieves = 0;
    for (int round = 0; round < 50; ++round) {
        std::mutex mutex;
        std::set<std::thread::id> thieves;
        pond.submit([&] { // Busy until one other thread has run its tasks.
            std::atomic<int> runs{0};
            for (int i = 0; i < 10; ++i) {
                pond.submit([&] {
                    {
                        const std::lock_guard lock(mutex);
                        thieves.insert(std::this_thread::get_id());
                    }
                    ++runs;
                });
            }
            library_test::await([&] { return runs.load() == 10; });
        });
        pond.waitForTasks();
        more_thieves += thieves.size() != 1 ? 1 : 0;
    }
    // Each other thread may have been about to look, by the limit before.
    EXPECT_LE(more_thieves, 3);
}

// "`disableStealTasks()`": a thread then runs the tasks itself that it was given.
TEST(hipe_steady_pond, does_not_steal_when_told_so) {
    SteadyThreadPond pond(2);
    pond.enableStealTasks();
    pond.disableStealTasks();
    // A thread that was looking with stealing allowed may still take one task of the first round.
    for (int round = -1; round < 20; ++round) {
        std::atomic<int> stolen{0};
        pond.submit([&] {
            const auto self = std::this_thread::get_id();
            for (int i = 0; i < 10; ++i) {
                pond.submit([&, self] { stolen += std::this_thread::get_id() != self ? 1 : 0; });
            }
            for (int i = 0; i < 1000 && stolen == 0; ++i) {
                std::this_thread::yield(); // Idle threads have time to look.
            }
        });
        pond.waitForTasks();
        ASSERT_TRUE(stolen == 0 || round < 0) << "round " << round;
    }
}

} // namespace
