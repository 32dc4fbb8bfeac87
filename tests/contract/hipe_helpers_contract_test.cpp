// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// hipe::util of compat/hipe.hpp; each test quotes the sentence of docs/reference/hipe.md that it
// checks.

#include "support/threads.hpp"

#include <regatta/compat/hipe.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

namespace util = hipe::util;

int seven() {
    return 7;
}

// "is_runnable<F, Args...>, is_return<F, R>, is_reference_wrapper<U>: at compile time."
static_assert(util::is_runnable<decltype(seven)>::value);
static_assert(util::is_runnable<int (&)(int), int>::value);
static_assert(!util::is_runnable<int (*)(int)>::value && !util::is_runnable<int>::value);
static_assert(util::is_return<decltype(&seven), int>::value);
static_assert(!util::is_return<decltype(&seven), void>::value);
static_assert(!util::is_return<int, int>::value);
static_assert(util::is_reference_wrapper<std::reference_wrapper<int>>::value);
static_assert(util::is_reference_wrapper<const std::reference_wrapper<int>&>::value);
static_assert(!util::is_reference_wrapper<int&>::value);

// "A task is move-only and holds anything that can be called, a std::ref too."
static_assert(!std::is_copy_constructible_v<hipe::HipeTask>);
static_assert(std::is_nothrow_move_constructible_v<hipe::HipeTask>);
static_assert(!std::is_constructible_v<hipe::HipeTask, int>);

TEST(hipe_task, holds_a_callable) {
    int calls = 0;
    util::SafeTask task;
    EXPECT_FALSE(task.is_set());
    EXPECT_THROW(task(), std::bad_function_call);
    task.reset([&calls, owned = std::make_unique<int>(2)] { calls += *owned; });
    EXPECT_TRUE(task.is_set());
    task();
    util::SafeTask other(std::move(task));
    EXPECT_FALSE(task.is_set());
    other();
    EXPECT_EQ(calls, 4);

    auto counter = [n = 0]() mutable { return ++n; };
    util::SafeTask copies(counter);
    copies();
    util::SafeTask refers(std::ref(counter));
    refers();
    EXPECT_EQ(counter(), 2);
}

// "QuickTask refers to an lvalue instead of copying it."
TEST(hipe_quick_task, refers_to_lvalues) {
    auto counter = [n = 0]() mutable { return ++n; };
    util::QuickTask task(counter);
    task();
    task.reset(counter);
    task();
    EXPECT_EQ(counter(), 3);
    int calls = 0;
    task.reset([&calls, owned = std::make_unique<int>(5)] { calls += *owned; });
    util::QuickTask moved(std::move(task));
    moved();
    EXPECT_EQ(calls, 5);
    EXPECT_TRUE(moved.is_set());
}

// "Futures: push_back, [i], size, wait; get gives the results in order and throws what the first
// failed task has thrown."
TEST(hipe_futures, are_waited_for_together) {
    hipe::HipeFutures<int> futures;
    std::vector<std::promise<int>> promises(3);
    for (auto& promise : promises) {
        futures.push_back(promise.get_future());
    }
    promises[2].set_value(30);
    promises[0].set_value(10);
    promises[1].set_value(20);
    futures.wait();
    EXPECT_EQ(futures.size(), 3U);
    EXPECT_TRUE(futures[1].valid());
    std::vector<int>& results = futures.get();
    EXPECT_EQ(results, (std::vector<int>{10, 20, 30}));

    hipe::HipeFutures<bool> fails;
    std::promise<bool> promise;
    fails.push_back(promise.get_future());
    promise.set_exception(std::make_exception_ptr(std::runtime_error("no")));
    EXPECT_THROW(fails.get(), std::runtime_error);
}

// The same: it waits for all before it throws.
TEST(hipe_futures, wait_for_those_behind_one_that_throws) {
    hipe::HipeFutures<int> futures;
    std::promise<int> fails;
    std::promise<int> later;
    futures.push_back(fails.get_future());
    futures.push_back(later.get_future());
    fails.set_exception(std::make_exception_ptr(std::runtime_error("no")));
    std::atomic<bool> ended{false};
    std::thread thread([&] {
        std::this_thread::yield();
        ended = true;
        later.set_value(1);
    });
    EXPECT_THROW(futures.get(), std::runtime_error);
    EXPECT_TRUE(ended.load());
    thread.join();
}

// "print and SyncStream::print write one whole line and flush."
TEST(hipe_output, writes_lines) {
    testing::internal::CaptureStdout();
    util::print("a", 1, 'b', 2.5, std::string("c"));
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "a1b2.5c\n");

    std::ostringstream text;
    util::SyncStream stream(text);
    stream.print("x = ", 3);
    stream.print("y");
    EXPECT_EQ(text.str(), "x = 3\ny\n");
}

TEST(hipe_output, keeps_lines_whole) {
    std::ostringstream text;
    util::SyncStream one(text);
    util::SyncStream other(text); // on the same stream
    const int each = library_test::rounds(2000);
    std::vector<std::thread> threads;
    for (util::SyncStream* stream : {&one, &other, &one}) {
        threads.emplace_back([stream, each] {
            for (int i = 0; i < each; ++i) {
                stream->print("abc", 123, "def");
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    std::istringstream lines(text.str());
    int whole = 0;
    for (std::string line; std::getline(lines, line);) {
        whole += line == "abc123def" ? 1 : 0;
    }
    EXPECT_EQ(whole, 3 * each);
}

// "title, strong and boundary make ornaments."
TEST(hipe_output, has_ornaments) {
    EXPECT_EQ(util::title("abc"), "===========\n*   abc   *\n===========");
    EXPECT_EQ(util::title("abc", 1), "=====\n*abc*\n=====");
    EXPECT_EQ(util::strong("abc"), "<[abc]>");
    EXPECT_EQ(util::strong("abc", 4), "<[  abc  ]>");
    EXPECT_EQ(util::boundary('-'), "----------");
    EXPECT_EQ(util::boundary('=', 3), "===");
    EXPECT_EQ(util::boundary('=', -1), "");
}

// "spinlock is regatta::adaptive_mutex, spinlock_guard locks it for a scope."
TEST(hipe_spinlock, excludes) {
    util::spinlock lock;
    int sum = 0;
    const int each = library_test::rounds(20000);
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t) {
        threads.emplace_back([&] {
            for (int i = 0; i < each; ++i) {
                util::spinlock_guard guard(lock);
                ++sum;
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(sum, 3 * each);
    EXPECT_TRUE(lock.try_lock());
    EXPECT_FALSE(lock.try_lock());
    lock.unlock();
}

// "timewait<precision>(f, args...): how long a call takes, in seconds unless told otherwise."
TEST(hipe_time, is_measured) {
    int called = 0;
    const auto sleeps = [&](int ms) {
        util::sleep_for_milli(ms);
        ++called;
    };
    EXPECT_GE(util::timewait(sleeps, 2), 0.002);
    EXPECT_GE(util::timewait<std::milli>(sleeps, 2), 2.0);
    EXPECT_GE(util::timewait<std::micro>(sleeps, 2), 2000.0);
    EXPECT_GE(util::timewait<std::nano>(sleeps, 2), 2e6);
    EXPECT_EQ(called, 4);
}

TEST(hipe_time, passes_while_asleep) {
    const auto at_least = [](std::chrono::nanoseconds time, auto sleep, int number) {
        const auto start = std::chrono::steady_clock::now();
        sleep(number);
        EXPECT_GE(std::chrono::steady_clock::now() - start, time);
    };
    at_least(std::chrono::seconds(1), util::sleep_for_seconds, 1);
    at_least(std::chrono::milliseconds(3), util::sleep_for_milli, 3);
    at_least(std::chrono::microseconds(300), util::sleep_for_micro, 300);
    at_least(std::chrono::nanoseconds(3000), util::sleep_for_nano, 3000);
    util::sleep_for_seconds(0);
}

// "repeat, invoke and recyclePlus."
TEST(hipe_calls, are_sugar) {
    int calls = 0;
    util::repeat([&] { ++calls; });
    util::repeat([&] { ++calls; }, 4);
    util::repeat([&] { ++calls; }, 0);
    EXPECT_EQ(calls, 5);

    util::invoke([&](int n, int m) { calls = n + m; }, 2, 1);
    util::invoke(seven);
    EXPECT_EQ(calls, 3);

    std::vector<int> seen;
    int cursor = 1;
    for (int i = 0; i < 4; ++i) {
        seen.push_back(cursor);
        util::recyclePlus(cursor, 1, 3);
    }
    EXPECT_EQ(seen, (std::vector<int>{1, 2, 1, 2}));
}

// "Block<T>: room for a number of elements, to which add appends; submitInBatch takes it."
TEST(hipe_block, holds_the_tasks_of_a_batch) {
    hipe::SteadyThreadPond pond(1);
    std::atomic<int> ran{0};
    util::Block<hipe::HipeTask> block(10);
    EXPECT_EQ(block.capacity(), 10u);
    for (int batch = 0; batch < 3; ++batch) {
        while (!block.is_full()) {
            block.add([&] { ++ran; });
        }
        EXPECT_FALSE(block.is_spare_for(1));
        pond.submitInBatch(block, block.element_numb());
        block.clean();
        EXPECT_TRUE(block.is_spare_for(10));
    }
    pond.waitForTasks();
    EXPECT_EQ(ran, 30);
    EXPECT_THROW(pond.submitInBatch(block, 1), std::invalid_argument);
}

// "An element without room is std::logic_error. clean keeps the memory, release frees it."
TEST(hipe_block, refuses_an_element_without_room) {
    util::Block<std::string> block(2);
    block.add("one");
    EXPECT_EQ(block[0], "one");
    block.fill("more");
    EXPECT_EQ(block[1], "more");
    EXPECT_THROW(block.add("third"), std::logic_error);
    block.reduce();
    EXPECT_EQ(block.element_numb(), 1u);
    block.reset(1);
    EXPECT_EQ(block[0], "");
    EXPECT_THROW(block.reduce(), std::logic_error);
    util::Block<std::string> moved(std::move(block));
    EXPECT_EQ(moved.capacity(), 1u);
    EXPECT_EQ(block.capacity(), 0u); // NOLINT: this is the point
    util::Block<std::string> full(1);
    full.add("one");
    const util::Block<std::string> taken(std::move(full));
    EXPECT_EQ(taken.element_numb(), 1u);
    EXPECT_EQ(full.element_numb(), 0u); // NOLINT: this is the point
    EXPECT_TRUE(full.is_full());
    moved.release();
    EXPECT_EQ(moved.capacity(), 0u);
    EXPECT_THROW(moved.add("x"), std::logic_error);
}

#if REGATTA_LINUX // The others do not fork.
// "error writes one line to standard output and ends the program by abort."
TEST(hipe_error_death, writes_and_aborts) {
    EXPECT_DEATH(
        {
            std::cout.rdbuf(std::cerr.rdbuf());
            util::error("no ", 42);
        },
        "\\[Hipe Error\\] no 42");
}
#endif

} // namespace
