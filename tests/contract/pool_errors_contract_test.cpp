// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// Where an exception goes, from every entry point of a pool, and what a pool counts; each test
// quotes the sentence that it checks.

#include "support/pool_cases.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <mutex>
#include <set>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <vector>

namespace {

using library_test::door;
using library_test::hold_worker;
using regatta::priority;

/// Keeps the texts of the exceptions that it is given.
class kept_errors {
public:
    auto sink() {
        return [this](const std::exception_ptr& error) {
            try {
                std::rethrow_exception(error);
            } catch (const std::exception& e) {
                const std::lock_guard lock(mutex_);
                texts_.insert(e.what());
            }
        };
    }
    std::multiset<std::string> texts() {
        const std::lock_guard lock(mutex_);
        return texts_;
    }

private:
    std::mutex mutex_;
    std::multiset<std::string> texts_;
};

class pool_errors : public library_test::pool_test {};
INSTANTIATE_TEST_SUITE_P(, pool_errors, library_test::every_pool(), library_test::pool_name);

class pool_figures : public library_test::pool_test {};
INSTANTIATE_TEST_SUITE_P(, pool_figures, library_test::every_pool(), library_test::pool_name);

} // namespace

// "Its exception goes to `pool_options::on_error`.", from each way to fire and forget.
TEST_P(pool_errors, of_execute_go_to_the_sink) {
    kept_errors errors;
    auto [pool] = make_pool({.threads = 2, .on_error = errors.sink()});
    const auto throws = [](const char* what) { return [what] { throw std::runtime_error(what); }; };
    pool.execute(throws("execute"));
    pool.execute(priority::high, throws("with a priority"));
    pool.execute(std::stop_source().get_token(), throws("with a token"));
    pool.execute([](std::stop_token) { throw std::runtime_error("taking a token"); });
    pool.execute([](int) { throw std::runtime_error("with an argument"); }, 1);
    pool.execute([bytes = std::array<char, 200>{}] {
        static_cast<void>(bytes);
        throw std::runtime_error("beside the cell");
    });
    pool.execute([bytes = std::array<char, 500>{}] {
        static_cast<void>(bytes);
        throw std::runtime_error("on the heap");
    });
    EXPECT_TRUE(pool.try_execute(throws("try")));
    pool.execute_batch(std::vector<std::function<void()>>{throws("batch"), throws("batch")});
    pool.execute(regatta::task(throws("task")));
    pool.wait();
    EXPECT_EQ(errors.texts(),
              (std::multiset<std::string>{"execute", "with a priority", "with a token",
                                          "taking a token", "with an argument", "beside the cell",
                                          "on the heap", "try", "batch", "batch", "task"}));
    EXPECT_EQ(pool.stats().errors, 11u);
    EXPECT_EQ(pool.stats().run, 11u); // "finished, also those that threw"
    EXPECT_EQ(pool.submit([] { return 1; }).get(), 1);
}

// … also what a task throws that a waiting task runs, and one that ends the pool.
TEST_P(pool_errors, of_tasks_that_are_run_while_waiting) {
    kept_errors errors;
    {
        auto [pool] = make_pool({.threads = 1, .on_error = errors.sink()});
        pool.execute([&] {
            pool.execute([] { throw std::runtime_error("inner"); });
            pool.wait();
            throw std::runtime_error("outer");
        });
        pool.wait();
        pool.pause();
        pool.execute([] { throw std::runtime_error("late"); });
    }
    EXPECT_EQ(errors.texts(), (std::multiset<std::string>{"inner", "late", "outer"}));
}

// "the future of its result or exception".
TEST_P(pool_errors, of_submit_go_to_the_future) {
    kept_errors errors;
    auto [pool] = make_pool({.threads = 2, .on_error = errors.sink()});
    auto future = pool.submit([]() -> int { throw std::out_of_range("here"); });
    EXPECT_THROW(future.get(), std::out_of_range);
    EXPECT_THROW(pool.submit(priority::low, [] { throw 5; }).get(), int);
    auto next = pool.submit([]() -> int { throw std::out_of_range("first"); }).then([](int i) {
        return i;
    });
    EXPECT_THROW(next.get(), std::out_of_range);
    { // Nobody looks.
        const auto dropped = pool.submit([] { throw std::runtime_error("unseen"); });
        pool.wait();
    }
    EXPECT_TRUE(errors.texts().empty());
    EXPECT_EQ(pool.stats().errors, 0u);
    EXPECT_EQ(pool.stats().run, 4u);
}

// The default of `error_sink`: "prints the first one to stderr; its owner's statistics count them
// all".
TEST_P(pool_errors, without_a_sink_the_first_is_printed) {
    testing::internal::CaptureStderr();
    {
        auto [pool] = make_pool({.threads = 1});
        pool.execute([] { throw std::runtime_error("the first"); });
        pool.execute([] { throw std::runtime_error("the second"); });
        pool.execute([] { throw 1; });
        pool.wait();
        EXPECT_EQ(pool.stats().errors, 3u);
    }
    const auto printed = testing::internal::GetCapturedStderr();
    EXPECT_NE(printed.find("the first"), std::string::npos) << printed;
    EXPECT_EQ(printed.find("the second"), std::string::npos) << printed;
}

// "exceptions of the callable itself are ignored".
TEST_P(pool_errors, of_the_sink_are_ignored) {
    auto [pool] = make_pool(
        {.threads = 1, .on_error = [](const std::exception_ptr&) { throw std::logic_error("x"); }});
    pool.execute([] { throw std::runtime_error("a task"); });
    pool.wait();
    EXPECT_EQ(pool.stats().errors, 1u);
    EXPECT_EQ(pool.submit([] { return 2; }).get(), 2);
}

// "Receives the exceptions of … `on_start` and `on_stop`": the worker works all the same.
TEST_P(pool_errors, of_hooks_go_to_the_sink) {
    kept_errors errors;
    std::atomic<int> runs{0};
    {
        auto [pool] = make_pool({.threads = 2,
                                 .on_error = errors.sink(),
                                 .on_start = [](unsigned) { throw std::runtime_error("start"); },
                                 .on_stop = [](unsigned) { throw std::runtime_error("stop"); }});
        for (int i = 0; i < 10; ++i) {
            pool.execute([&] { ++runs; });
        }
        pool.wait();
        EXPECT_EQ(runs.load(), 10);
    }
    EXPECT_EQ(errors.texts(), (std::multiset<std::string>{"start", "start", "stop", "stop"}));
}

// An exception that copying or moving a closure throws reaches the caller; the pool has no trace.
TEST_P(pool_errors, of_a_closure_s_copy_reach_the_caller) {
    struct fragile {
        fragile() = default;
        fragile(const fragile&) { throw std::runtime_error("copy"); }
        void operator()() const {}
    };
    auto [pool] = make_pool({.threads = 1});
    const fragile f;
    EXPECT_THROW(pool.execute(f), std::runtime_error);
    EXPECT_THROW(pool.try_execute(f), std::runtime_error);
    EXPECT_THROW(static_cast<void>(pool.submit(f)), std::runtime_error);
    const std::vector<fragile> batch(3);
    EXPECT_THROW(pool.execute_batch(batch), std::runtime_error);
    EXPECT_THROW(static_cast<void>(pool.submit_batch(batch)), std::runtime_error);
    pool.wait();
    EXPECT_EQ(pool.stats().submitted, 0u);
}

// "While it is idle they are exact, and submitted = run + cancelled."
TEST_P(pool_figures, are_exact_when_idle) {
    auto [pool] = make_pool({.threads = 2});
    auto before = pool.stats();
    EXPECT_EQ(before.submitted + before.run + before.cancelled + before.refused + before.errors,
              0u);
    EXPECT_EQ(before.workers.size(), 2u);
    door d;
    hold_worker(pool, d);
    hold_worker(pool, d, 1);
    for (int i = 0; i < 10; ++i) {
        pool.execute(static_cast<priority>(i % 3), [] {});
    }
    auto cancelled = pool.submit([] {});
    EXPECT_TRUE(cancelled.cancel());
    std::stop_source source;
    pool.execute(source.get_token(), [] {});
    source.request_stop();
    EXPECT_EQ(pool.stats().submitted, 14u);
    EXPECT_EQ(pool.stats().queued, 12u);
    EXPECT_EQ(pool.stats().run, 0u);
    d.open();
    pool.wait();
    const auto stats = pool.stats();
    EXPECT_EQ(stats.submitted, 14u);
    EXPECT_EQ(stats.run, 12u);
    EXPECT_EQ(stats.cancelled, 2u);
    EXPECT_EQ(stats.queued, 0u);
    EXPECT_EQ(stats.workers[0].run + stats.workers[1].run, 12u);
    EXPECT_EQ(stats.workers[0].stolen + stats.workers[1].stolen, stats.stolen);
    pool.close();
    EXPECT_EQ(pool.stats().submitted, 14u);
}

// A task that a waiting worker ran is counted as run, also if its place in the queue is dropped.
TEST_P(pool_figures, count_what_a_wait_ran_as_run) {
    auto [pool] = make_pool({.threads = 1});
    door d;
    pool.execute([&] {
        pool.submit([] {}).get(); // Runs it here; its place stays in the queue.
        d.pass();
    });
    d.await_inside(1);
    std::thread stopper([&] { pool.stop(regatta::stop_mode::discard); });
    library_test::await([&] { return pool.closed() && pool.queued() == 0; });
    d.open();
    stopper.join();
    EXPECT_EQ(pool.stats().run, 2u);
    EXPECT_EQ(pool.stats().cancelled, 0u);
}

// "How often the worker went to sleep", "Time with a task".
TEST_P(pool_figures, say_what_workers_did) {
    auto [pool] = make_pool({.threads = 1});
    library_test::await([&] { return pool.stats().parked != 0; });
    const auto idle = pool.stats().workers[0].busy;
    door d;
    const auto begin = std::chrono::steady_clock::now();
    hold_worker(pool, d);
    const auto held = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - held < std::chrono::milliseconds(5)) {
    }
    EXPECT_GE(pool.stats().workers[0].busy - idle, std::chrono::milliseconds(5)); // Still at it.
    d.open();
    pool.wait();
    pool.close();
    const auto whole = std::chrono::steady_clock::now() - begin;
    EXPECT_GE(pool.stats().workers[0].busy - idle, std::chrono::milliseconds(5));
    EXPECT_LE(pool.stats().workers[0].busy - idle, whole);
}
