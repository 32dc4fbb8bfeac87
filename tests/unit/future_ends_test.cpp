// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// What becomes of errors, cancellations and limits of time where a future is not simply waited for;
// each test quotes the sentence that it checks.

#include "support/eventually.hpp"
#include "support/queue_executor.hpp"

#include <regatta/core/future.hpp>
#include <regatta/core/future_group.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <utility>

namespace {

using library_test::await;
using library_test::queue_executor;
using regatta::future;
using regatta::future_group;
using regatta::task_cancelled;

/// The text of what the call throws.
template<class F>
std::string error_text(F&& f) {
    try {
        f();
    } catch (const std::exception& error) {
        return error.what();
    }
    return "nothing";
}

} // namespace

// "the new future holds the exception": also if an executor runs the continuation.
TEST(future_then, passes_the_error_on_through_an_executor) {
    queue_executor other(1); // Outlives the threads that hand over to it.
    queue_executor executor(1);
    auto failed = executor.submit([]() -> int { throw std::runtime_error("of the task"); });
    bool called = false;
    auto next = std::move(failed).then(other, [&](int) { called = true; });
    EXPECT_EQ(error_text([&] { next.get(); }), "of the task");
    EXPECT_FALSE(called);
}

// `cancel`: "true: it has not started and never will".
TEST(future, is_not_cancelled_while_the_task_runs) {
    queue_executor executor(1);
    std::atomic<bool> running{false};
    std::atomic<bool> end{false};
    auto f = executor.submit([&] {
        running = true;
        await([&] { return end.load(); });
        return 5;
    });
    await([&] { return running.load(); });
    EXPECT_FALSE(f.cancel());
    end = true;
    EXPECT_EQ(f.get(), 5);
    auto done = executor.submit([] {});
    done.wait();
    EXPECT_FALSE(done.cancel());
}

// `get`: "throws the exception of the first of them in order".
TEST(future_group, of_nothing_throws_the_first_error) {
    queue_executor executor(1);
    future_group<void> group;
    group.push(executor.submit([] {}));
    group.push(executor.submit([] { throw std::runtime_error("first"); }));
    group.push(executor.submit([] {}));
    group.push(executor.submit([] { throw std::runtime_error("last"); }));
    EXPECT_EQ(error_text([&] { group.get(); }), "first");
    EXPECT_TRUE(group.empty());
}

// `wait_for`, `wait_until`: "@returns whether every future is ready", wherever the late one stands.
TEST(future_group, tells_of_a_limited_wait_whether_all_are_ready) {
    for (std::size_t late = 0; late < 3; ++late) {
        queue_executor soon;
        queue_executor later;
        future_group<int> group;
        for (std::size_t i = 0; i < 3; ++i) {
            group.push((i == late ? later : soon).submit([] { return 7; }));
        }
        while (soon.run_one()) {
        }
        EXPECT_FALSE(group.wait_for(std::chrono::microseconds(1))) << late;
        EXPECT_FALSE(group.wait_until(std::chrono::steady_clock::now())) << late;
        EXPECT_FALSE(group.ready()) << late;
        EXPECT_TRUE(later.run_one());
        EXPECT_TRUE(group.wait_for(std::chrono::hours(1))) << late;
    }
}

// "not at all if `stop` has been stopped when its turn comes": also if a worker that waits for the
// task runs it.
TEST(future, of_a_stopped_task_is_cancelled_by_the_worker_that_waits_for_it) {
    queue_executor executor;
    std::stop_source stop;
    bool ran = false;
    bool cancelled = false;
    executor.execute([&] {
        auto inner = executor.submit([&] { ran = true; }, stop.get_token());
        stop.request_stop();
        try {
            inner.get();
        } catch (const task_cancelled&) {
            cancelled = true;
        }
    });
    executor.run_all_as_worker();
    EXPECT_TRUE(cancelled);
    EXPECT_FALSE(ran);
}
