// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// What `executor` promises, of every pool that models it; each test quotes the sentence that it
// checks. Nothing but the concept is used, so that code which passes here for one pool passes for
// all.

#include "support/pool_cases.hpp"

#include <regatta/core/executor.hpp>
#include <regatta/message/worker_pool.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using library_test::await;
using library_test::door;
using library_test::hold_worker;
using library_test::rounds;
using library_test::would_deadlock;
using std::chrono::milliseconds;

struct letter {
    std::string text;
};

/// A worker pool that has its handlers and has started.
struct started_worker_pool : regatta::worker_pool<letter, int> {
    explicit started_worker_pool(regatta::worker_pool_options o) : worker_pool(std::move(o)) {
        on<letter>([](letter&) {}).on<int>([](int&) {}).start();
    }
};

static_assert(regatta::executor<started_worker_pool>);

/// The tests run with every executor. All thread pools are a `thread_pool`, so a test is compiled
/// for that and for the worker pool.
constexpr std::string_view worker = "worker";
class pool_executor : public library_test::pool_test {
protected:
    /// Calls the test with what makes a pool of options. `*made` is the pool.
    template<class Test>
    static void with_executor(Test&& test) {
        if (GetParam().name == worker) {
            test([](regatta::worker_pool_options o) {
                return std::make_unique<started_worker_pool>(std::move(o));
            });
        } else {
            test([](regatta::pool_options o) { return GetParam().with_options(std::move(o)); });
        }
    }
};
INSTANTIATE_TEST_SUITE_P(, pool_executor, library_test::every_pool(), library_test::pool_name);
INSTANTIATE_TEST_SUITE_P(message, pool_executor,
                         testing::Values(library_test::pool_kind{worker, nullptr, nullptr,
                                                                 nullptr}),
                         library_test::pool_name);

} // namespace

/// Defines a test of every executor: its body is a function of `make`.
#define EXECUTOR_TEST(name)                                                                        \
    template<class Make>                                                                           \
    static void name(Make make);                                                                   \
    TEST_P(pool_executor, name) {                                                                  \
        with_executor([](auto make) { ::name(make); });                                            \
    }                                                                                              \
    template<class Make>                                                                           \
    static void name(Make make)

// "`execute` runs a callable and returns nothing": once, on one of its threads.
EXECUTOR_TEST(runs_every_task_once) {
    const auto made = make({.threads = 3});
    auto& pool = *made;
    std::vector<std::atomic<int>> runs(static_cast<std::size_t>(rounds(5000)));
    std::atomic<int> here{0};
    const auto me = std::this_thread::get_id();
    for (auto& r : runs) {
        pool.execute([&] {
            ++r;
            here += std::this_thread::get_id() == me ? 1 : 0;
        });
    }
    pool.wait();
    for (const auto& r : runs) {
        ASSERT_EQ(r.load(), 1);
    }
    EXPECT_EQ(here.load(), 0);
    EXPECT_EQ(pool.stats().submitted, runs.size());
}

// "`submit` returns a future of its result".
EXECUTOR_TEST(gives_results) {
    const auto made = make({.threads = 2});
    auto& pool = *made;
    static_assert(std::is_same_v<decltype(pool.submit([] { return 1; })), regatta::future<int>>);
    static_assert(std::is_same_v<decltype(pool.submit([] {})), regatta::future<void>>);
    EXPECT_EQ(pool.submit([] { return 42; }).get(), 42);
    EXPECT_EQ(*pool.submit([] { return std::make_unique<int>(7); }).get(), 7);
    std::string text = "here";
    EXPECT_EQ(&pool.submit([&]() -> std::string& { return text; }).get(), &text);
    int runs = 0;
    pool.submit([&] { ++runs; }).get();
    EXPECT_EQ(runs, 1);
    auto next = pool.submit([] { return 1; }).then([](int i) { return i + 1; });
    auto on_it = std::move(next).then(pool, [](int i) { return i + 1; });
    EXPECT_EQ(on_it.get(), 3);
}

// A callable of every kind and size, with arguments by value.
EXECUTOR_TEST(takes_callables_of_every_kind) {
    std::atomic<int> sum{0};
    const auto made = make({.threads = 2});
    auto& pool = *made;
    pool.execute([&, p = std::make_unique<int>(1)] { sum += *p; });
    pool.execute(std::function<void()>([&] { ++sum; }));
    const auto constant = [&] { ++sum; };
    pool.execute(constant);
    pool.execute([&] { return ++sum; }); // A result is dropped, also one that is not to be ignored.
    pool.execute([&] { return pool.submit([&] { ++sum; }); });
    pool.execute([&, bytes = std::array<char, 200>{}] { sum += 1 + bytes[0]; });
    pool.execute([&, bytes = std::array<char, 2000>{}] { sum += 1 + bytes[0]; });
    pool.execute([&](int a, const std::string& b) { sum += a + std::stoi(b); }, 1, "2");
    pool.execute([](std::atomic<int>& to) { ++to; }, std::ref(sum));
    pool.execute(regatta::task([&] { ++sum; }));
    struct once {
        std::atomic<int>& to;
        void operator()() && { ++to; }
    };
    pool.execute(once{sum});
    struct often {
        std::atomic<int>& to;
        void operator()() & { ++to; }
    };
    pool.execute(often{sum});
    EXPECT_EQ(pool.submit(
                      +[](int a, int b) { return a * b; }, 6, 7)
                  .get(),
              42);
    EXPECT_EQ(pool.submit(&std::string::size, std::string("four")).get(), 4u);
    pool.wait();
    EXPECT_EQ(sum.load(), 14);
}

// "`submit_batch` the futures of a range of callables".
EXECUTOR_TEST(gives_the_results_of_a_batch_in_order) {
    const auto made = make({.threads = 2});
    auto& pool = *made;
    std::vector<std::function<std::size_t()>> batch;
    for (std::size_t i = 0; i < 3000; ++i) { // More than some have room for.
        batch.emplace_back([i] { return i * i; });
    }
    auto futures = pool.submit_batch(batch);
    ASSERT_EQ(futures.size(), batch.size());
    const auto squares = futures.get();
    for (std::size_t i = 0; i < squares.size(); ++i) {
        ASSERT_EQ(squares[i], i * i);
    }
    EXPECT_TRUE(batch.front()); // An lvalue was copied.
    std::vector<std::unique_ptr<int>> owned(3);
    std::vector<regatta::task> moved;
    std::atomic<int> runs{0};
    for (auto& p : owned) {
        moved.emplace_back([&runs, p = std::move(p)] { ++runs; });
    }
    pool.submit_batch(std::move(moved)).get();
    EXPECT_EQ(runs.load(), 3);
    EXPECT_TRUE(pool.submit_batch(std::vector<int (*)()>()).get().empty());
}

// "`wait` and `wait_for` wait until the pool is idle": also for what tasks submit meanwhile.
EXECUTOR_TEST(waits_for_all) {
    const library_test::time_limit limit("wait to return");
    std::atomic<int> runs{0};
    const auto made = make({.threads = 2});
    auto& pool = *made;
    pool.wait(); // Nothing to wait for.
    std::function<void(int)> chain = [&](int left) {
        ++runs;
        if (left != 0) {
            pool.execute(chain, left - 1);
        }
    };
    for (int i = 0; i < 20; ++i) {
        runs = 0;
        pool.execute(chain, 200); // Each task submits the next: it is never idle in between.
        pool.wait();
        ASSERT_EQ(runs.load(), 201);
    }
    pool.execute(chain, 200);
    EXPECT_TRUE(pool.wait_for(std::chrono::hours(1)));
    EXPECT_EQ(runs.load(), 402);
}

EXECUTOR_TEST(tells_whether_it_is_idle) {
    const auto made = make({.threads = 1});
    auto& pool = *made;
    EXPECT_TRUE(pool.wait_for(milliseconds(0)));
    door d;
    hold_worker(pool, d);
    EXPECT_FALSE(pool.wait_for(milliseconds(0)));
    EXPECT_FALSE(pool.wait_for(milliseconds(-5)));
    EXPECT_FALSE(pool.wait_for(std::chrono::duration<double>(0.001)));
    d.open();
    EXPECT_TRUE(pool.wait_for(std::chrono::hours::max())); // More than the clock can count.
}

// Waiting never deadlocks: a task that waits for its pool runs the others.
EXECUTOR_TEST(a_task_runs_others_while_it_waits) {
    const library_test::time_limit limit("a wait in a task to return");
    for (const unsigned threads : {1u, 2u, 3u}) {
        std::atomic<int> runs{0};
        std::atomic<bool> complete{false};
        const auto made = make({.threads = threads});
        auto& pool = *made;
        pool.execute([&] {
            for (int i = 0; i < 100; ++i) {
                pool.execute([&] { ++runs; });
            }
            pool.wait();
            complete = runs.load() == 100;
        });
        pool.wait();
        EXPECT_TRUE(complete.load());
    }
}

EXECUTOR_TEST(waits_nest_on_one_thread) {
    for (const unsigned threads : {1u, 2u}) {
        const auto made = make({.threads = threads});
        auto& pool = *made;
        std::atomic<int> deepest{0};
        std::function<void(int)> nest = [&](int level) {
            if (level == 20) {
                return;
            }
            pool.execute([&, level] { nest(level + 1); });
            pool.wait();
            ++deepest;
        };
        pool.execute(nest, 0);
        pool.wait();
        EXPECT_EQ(deepest.load(), 20);
    }
}

EXECUTOR_TEST(many_tasks_wait_at_once) {
    const library_test::time_limit limit("the waits of all tasks to return");
    std::atomic<int> runs{0};
    std::atomic<int> back{0};
    const auto made = make({.threads = 3});
    auto& pool = *made;
    for (int i = 0; i < 30; ++i) {
        pool.execute([&] {
            for (int k = 0; k < 5; ++k) {
                pool.execute([&] { ++runs; });
            }
            pool.wait();
            ++back;
        });
    }
    pool.wait();
    EXPECT_EQ(runs.load(), 150);
    EXPECT_EQ(back.load(), 30);
}

EXECUTOR_TEST(a_task_waits_for_a_limited_time) {
    const auto made = make({.threads = 2});
    auto& pool = *made;
    door d;
    hold_worker(pool, d);
    EXPECT_FALSE(pool.submit([&] { return pool.wait_for(milliseconds(2)); }).get());
    EXPECT_FALSE(pool.submit([&] { return pool.wait_for(milliseconds(0)); }).get());
    d.open();
    pool.wait();
    EXPECT_TRUE(pool.submit([&] { return pool.wait_for(std::chrono::hours(1)); }).get());
    EXPECT_TRUE(pool.submit([&] { return pool.wait_for(std::chrono::hours::max()); }).get());
}

// A task that waits for one that has not begun runs it: any depth on a single thread.
EXECUTOR_TEST(futures_are_waited_for_on_one_thread) {
    const auto made = make({.threads = 1});
    auto& pool = *made;
    std::function<int(int)> tree = [&](int depth) -> int {
        if (depth == 0) {
            return 1;
        }
        auto left = pool.submit(tree, depth - 1);
        auto right = pool.submit(tree, depth - 1);
        return left.get() + right.get();
    };
    EXPECT_EQ(pool.submit(tree, 6).get(), 64);
    std::function<int(int)> count = [&](int depth) -> int {
        return depth == 0 ? 0 : 1 + pool.submit(count, depth - 1).get();
    };
    EXPECT_EQ(pool.submit(count, 100).get(), 100);
    pool.wait();
    EXPECT_EQ(pool.stats().submitted, 127u + 101u);
}

// Where helping cannot end, it throws `resource_deadlock_would_occur`.
EXECUTOR_TEST(waits_that_cannot_end_are_refused) {
    const auto made = make({.threads = 2});
    auto& pool = *made;
    regatta::future<bool> mine;
    std::atomic<bool> set{false};
    mine = pool.submit([&] {
        await([&] { return set.load(); });
        return would_deadlock([&] { mine.wait(); });
    });
    set = true;
    pool.wait();
    EXPECT_TRUE(mine.get());
    std::array<regatta::future<bool>, 2> futures;
    std::atomic<int> begun{0};
    set = false;
    for (std::size_t i = 0; i < 2; ++i) {
        futures[i] = pool.submit([&, i] {
            ++begun;
            await([&] { return begun.load() == 2 && set.load(); });
            return would_deadlock([&] { futures[1 - i].wait(); });
        });
    }
    set = true;
    pool.wait();
    const bool first = futures[0].get();
    EXPECT_NE(first, futures[1].get()); // One is told; then the other's wait ends.
    EXPECT_TRUE(pool.submit([&] { return would_deadlock([&] { pool.close(); }); }).get());
}

EXECUTOR_TEST(a_task_that_waits_for_one_that_waits_for_all_is_told) {
    const auto made = make({.threads = 2});
    auto& pool = *made;
    std::atomic<int> begun{0};
    std::atomic<bool> set{false};
    regatta::future<bool> waits_for_all;
    const auto ready = [&] {
        ++begun;
        await([&] { return begun.load() == 2 && set.load(); });
    };
    waits_for_all = pool.submit([&] {
        ready();
        return would_deadlock([&] { pool.wait(); });
    });
    auto waits_for_it = pool.submit([&] {
        ready();
        return would_deadlock([&] { waits_for_all.wait(); });
    });
    set = true;
    const bool second = waits_for_it.get();
    EXPECT_NE(waits_for_all.get(), second);
}

// What a task throws goes to the future, or to the pool's sink.
EXECUTOR_TEST(exceptions_have_one_channel) {
    std::atomic<int> told{0};
    const auto made = make({.threads = 2, .on_error = [&](std::exception_ptr error) {
                                try {
                                    std::rethrow_exception(std::move(error));
                                } catch (const std::runtime_error& e) {
                                    told += std::stoi(e.what());
                                }
                            }});
    auto& pool = *made;
    pool.execute([] { throw std::runtime_error("1"); });
    pool.execute([](int) { throw std::runtime_error("10"); }, 5);
    pool.wait();
    EXPECT_EQ(told.load(), 11);
    EXPECT_EQ(pool.stats().errors, 2u);
    auto thrown = pool.submit([]() -> int { throw std::out_of_range("here"); });
    EXPECT_THROW(thrown.get(), std::out_of_range);
    auto batch = pool.submit_batch(
        std::vector<std::function<int()>>(2, []() -> int { throw std::out_of_range("there"); }));
    EXPECT_THROW(batch.get(), std::out_of_range);
    pool.wait();
    EXPECT_EQ(pool.stats().errors, 2u);
}

// A task whose future was cancelled before its turn does not run; what it held is destroyed.
EXECUTOR_TEST(what_was_cancelled_is_not_run) {
    std::atomic<int> runs{0};
    const auto held = std::make_shared<int>(0);
    const auto made = make({.threads = 1});
    auto& pool = *made;
    door d;
    hold_worker(pool, d);
    auto future = pool.submit([&runs, held] { ++runs; });
    EXPECT_EQ(held.use_count(), 2);
    EXPECT_TRUE(future.cancel());
    EXPECT_EQ(held.use_count(), 1);
    d.open();
    EXPECT_THROW(future.get(), regatta::task_cancelled);
    pool.wait();
    EXPECT_EQ(runs.load(), 0);
    EXPECT_EQ(pool.stats().submitted, 2u);
    EXPECT_EQ(pool.stats().cancelled, 1u);
}

// "`close` refuses further tasks and runs the accepted ones".
EXECUTOR_TEST(close_runs_what_was_accepted_and_refuses_the_rest) {
    const library_test::time_limit limit("close to return");
    std::atomic<int> runs{0};
    const auto made = make({.threads = 2});
    auto& pool = *made;
    for (int i = 0; i < 500; ++i) {
        pool.execute([&] { ++runs; });
    }
    auto last = pool.submit([&] { return runs.load(); });
    pool.close();
    EXPECT_EQ(runs.load(), 500);
    EXPECT_TRUE(last.ready());
    EXPECT_THROW(pool.execute([&] { ++runs; }), regatta::task_rejected);
    EXPECT_THROW(static_cast<void>(pool.submit([&] { ++runs; })), regatta::task_rejected);
    EXPECT_THROW(static_cast<void>(
                     pool.submit_batch(std::vector<std::function<void()>>(2, [&] { ++runs; }))),
                 regatta::task_rejected);
    pool.wait();
    EXPECT_TRUE(pool.wait_for(milliseconds(0)));
    pool.close();
    EXPECT_EQ(runs.load(), 500);
    EXPECT_EQ(pool.stats().submitted, 501u);
}

// Two pools of one type are independent; a task of one waits for the other, and for what continues
// there.
EXECUTOR_TEST(two_of_one_type_are_independent) {
    const auto made_one = make({.threads = 1});
    auto& one = *made_one;
    const auto made_other = make({.threads = 1});
    auto& other = *made_other;
    std::atomic<int> runs{0};
    auto all = one.submit([&] {
        for (int i = 0; i < 10; ++i) {
            other.execute([&] { ++runs; });
        }
        other.wait();
        auto there = other.submit([] { return 5; }).then(one, [](int i) { return i; });
        return runs.load() + there.get();
    });
    EXPECT_EQ(all.get(), 15);
}

// Threads that use one pool at once, and wait for it.
EXECUTOR_TEST(is_used_by_many_threads_at_once) {
    std::atomic<int> runs{0};
    const auto made = make({.threads = 2});
    auto& pool = *made;
    std::vector<std::thread> users;
    const int each = rounds(500);
    for (int t = 0; t < 3; ++t) {
        users.emplace_back([&] {
            for (int i = 0; i < each; ++i) {
                pool.execute([&] { ++runs; });
                auto result = pool.submit([&] { return ++runs; });
                if (i % 16 == 0) {
                    EXPECT_GT(result.get(), 0);
                } else if (i % 50 == 1) {
                    static_cast<void>(pool.wait_for(milliseconds(1)));
                }
            }
        });
    }
    for (auto& u : users) {
        u.join();
    }
    pool.wait();
    EXPECT_EQ(runs.load(), 6 * each);
}
