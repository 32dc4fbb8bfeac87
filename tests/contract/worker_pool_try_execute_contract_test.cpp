// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// What the doc comment of `worker_pool::try_execute` promises; each test quotes the sentence that
// it checks.

#include "messages.hpp"
#include "support/counted.hpp"
#include "support/door.hpp"
#include "support/threads.hpp"

#include <regatta/base/config.hpp>
#include <regatta/message/worker_pool.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

namespace {

using library_test::counted;
using library_test::door;
using library_test::rounds;
using library_test::row;
using library_test::time_limit;

using pool_type = regatta::worker_pool<row>;

/// A closure whose move may throw, as far as the compiler knows.
struct wary {
    std::atomic<int>* sum;

    explicit wary(std::atomic<int>& s) noexcept : sum(&s) {}
    wary(wary&& other) noexcept(false) : sum(other.sum) {}
    void operator()() const { ++*sum; }
};

/// One that can be called as an rvalue only, and with a stop token.
struct once {
    std::atomic<int>* sum;

    void operator()(std::stop_token stop) && { *sum += stop.stop_possible() ? 100 : 1; }
    void operator()() const = delete;
};

/// Counts how often it was copied and moved.
struct carried {
    std::atomic<int>* runs;
    int* copies;
    int* moves;

    carried(std::atomic<int>& r, int& c, int& m) noexcept : runs(&r), copies(&c), moves(&m) {}
    carried(const carried& o) noexcept : runs(o.runs), copies(o.copies), moves(o.moves) {
        ++*copies;
    }
    carried(carried&& o) noexcept : runs(o.runs), copies(o.copies), moves(o.moves) { ++*moves; }
    void operator()() const { ++*runs; }
};

} // namespace

// "Queues a call of `f(args...)` by a worker": "The same without arguments", of every kind.
TEST(worker_pool_try_execute, takes_callables_of_every_kind) {
    const time_limit limit("tasks of every kind");
    static std::atomic<int> calls{0};
    calls = 0;
    pool_type pool({.threads = 2});
    pool.on<row>([](row&) {}).start();
    const auto constant = [] { ++calls; };
    std::function<void()> copied(constant);
    EXPECT_TRUE(pool.try_execute([p = std::make_unique<int>(1)] { calls += *p; }));
    EXPECT_TRUE(pool.try_execute(+[] { ++calls; }));
    EXPECT_TRUE(pool.try_execute(constant));
    EXPECT_TRUE(pool.try_execute(copied));
    EXPECT_TRUE(pool.try_execute([]() mutable { return ++calls; }));
    EXPECT_TRUE(pool.try_execute([](std::stop_token) { ++calls; }));
    EXPECT_TRUE(pool.try_execute([bytes = std::array<char, 2000>{}] { calls += 1 + bytes[0]; }));
    EXPECT_TRUE(pool.try_execute(wary(calls)));
    EXPECT_TRUE(pool.try_execute(once{&calls}));
    pool.wait();
    EXPECT_EQ(calls.load(), 9);
    copied(); // It was an lvalue.
    EXPECT_EQ(calls.load(), 10);
    const auto stats = pool.stats();
    EXPECT_EQ(stats.submitted, 9u);
    EXPECT_EQ(stats.handled, 9u);
    EXPECT_EQ(stats.tasks, 9u);
    EXPECT_EQ(stats.cancelled, 0u);
    EXPECT_EQ(stats.refused, 0u);
}

// "@returns whether the pool took the task. If not, `f` is unchanged, unless its move may throw."
TEST(worker_pool_try_execute, leaves_what_it_refuses_unchanged) {
    const time_limit limit("a full pool and a closed one");
    std::atomic<int> runs{0};
    std::atomic<int> alive{0};
    pool_type pool({.threads = 1, .capacity = 2});
    pool.on<row>([](row&) {}).start();
    door d;
    pool.execute([&] { d.pass(); });
    d.await_inside(1);
    EXPECT_TRUE(pool.try_execute([&] { ++runs; }));
    EXPECT_TRUE(pool.try_submit(row{}));
    auto owner = [p = std::make_unique<int>(10), &runs] { runs += *p; };
    auto large = [c = counted(alive, 100), bytes = std::array<char, 1000>{}, &runs] {
        runs += c.value() + bytes[0];
    };
    int copies = 0;
    int moves = 0;
    carried moved(runs, copies, moves);
    const auto refuses_all = [&] {
        EXPECT_FALSE(pool.try_execute(std::move(owner)));
        EXPECT_FALSE(pool.try_execute(std::move(large)));
        EXPECT_FALSE(pool.try_execute(std::move(moved)));
        EXPECT_FALSE(pool.try_execute(wary(runs)));
        EXPECT_FALSE(pool.try_execute(moved)); // A copy, which is dropped.
        EXPECT_EQ(alive.load(), 1);
        EXPECT_EQ(moves, 0);
    };
    refuses_all();
    EXPECT_EQ(pool.stats().refused, 5u);
    d.open();
    pool.wait();
    EXPECT_EQ(runs.load(), 1);
    EXPECT_TRUE(pool.try_execute(std::move(moved))); // There is room again.
    pool.close();
    EXPECT_EQ(runs.load(), 2);
    moves = 0;
    refuses_all();
    EXPECT_EQ(pool.stats().refused, 10u);
    EXPECT_EQ(copies, 2);
    owner(); // They are as they were.
    large();
    EXPECT_EQ(runs.load(), 112);
    EXPECT_EQ(pool.stats().submitted, 4u);
    EXPECT_EQ(pool.stats().handled, 4u);
}

// "never waits, and handles nothing meanwhile": also in a handler and in a task, which `execute`
// would let handle others.
TEST(worker_pool_try_execute, handles_nothing_in_a_handler) {
    const time_limit limit("a handler of a full pool");
    std::atomic<int> handled{0};
    std::atomic<int> refused{0};
    pool_type pool({.threads = 1, .capacity = 2});
    const auto fills = [&] {
        while (pool.try_execute([&] { ++handled; })) {
        }
        ++refused;
        EXPECT_FALSE(pool.try_execute([] {}));
        EXPECT_EQ(handled.load() % 2, 0); // None of its two.
    };
    pool.on<row>([&](row&) { fills(); }).start();
    pool.submit(row{});
    pool.wait();
    pool.execute(fills);
    pool.wait();
    EXPECT_EQ(refused.load(), 2);
    EXPECT_EQ(handled.load(), 4);
    EXPECT_EQ(pool.stats().refused, 4u);
}

// Before `start` tasks wait in the ring; "A pool that was never started destroys its messages
// unhandled".
TEST(worker_pool_try_execute, takes_tasks_before_the_start) {
    const time_limit limit("a pool that is started late");
    for (const bool starts : {false, true}) {
        std::atomic<int> alive{0};
        std::atomic<int> runs{0};
        pool_type pool({.threads = 1, .capacity = 2});
        pool.on<row>([](row&) {});
        const auto task = [&] { return [c = counted(alive, 1), &runs] { runs += c.value(); }; };
        EXPECT_TRUE(pool.try_execute(task()));
        EXPECT_TRUE(pool.try_execute(task()));
        EXPECT_FALSE(pool.try_execute(task()));
        EXPECT_EQ(alive.load(), 2);
        if (starts) {
            pool.start();
        }
        pool.close();
        EXPECT_EQ(runs.load(), starts ? 2 : 0);
        EXPECT_EQ(alive.load(), 0);
    }
}

// No task is lost and none runs twice where several threads try at once, while the pool is closed.
TEST(worker_pool_try_execute, is_exact_while_threads_try_and_it_closes) {
    const time_limit limit("threads that try while the pool is closed");
    for (int round = 0; round < rounds(50); ++round) {
        std::atomic<int> taken{0};
        std::atomic<int> runs{0};
        std::atomic<int> alive{0};
        std::atomic<bool> closed{false};
        pool_type pool({.threads = 2, .capacity = 4});
        pool.on<row>([](row&) {}).start();
        std::vector<std::thread> threads;
        for (int t = 0; t < 3; ++t) {
            threads.emplace_back([&] {
                while (!closed) {
                    if (pool.try_execute([c = counted(alive, 1), &runs] { runs += c.value(); })) {
                        ++taken;
                    } else {
                        std::this_thread::yield();
                    }
                }
            });
        }
        library_test::await([&] { return taken.load() >= 100; });
        pool.close();
        closed = true;
        for (auto& thread : threads) {
            thread.join();
        }
        EXPECT_EQ(runs.load(), taken.load());
        EXPECT_EQ(alive.load(), 0);
        EXPECT_EQ(pool.stats().handled, static_cast<unsigned>(taken.load()));
    }
}

#if REGATTA_EXCEPTIONS

// "An exception goes to `worker_pool_options::on_error`."
TEST(worker_pool_try_execute, gives_exceptions_to_the_sink) {
    std::atomic<int> told{0};
    pool_type pool({.threads = 1, .on_error = [&](std::exception_ptr) { ++told; }});
    pool.on<row>([](row&) {}).start();
    EXPECT_TRUE(pool.try_execute([] { throw 1; }));
    pool.wait();
    EXPECT_EQ(told.load(), 1);
    EXPECT_EQ(pool.stats().errors, 1u);
}

#endif
