// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// What the doc comment of worker_pool promises of tasks beside messages; each test quotes the
// sentence that it checks. executor_contract_test.cpp has what all pools promise of tasks.

#include "messages.hpp"
#include "support/counted.hpp"
#include "support/door.hpp"
#include "support/threads.hpp"

#include <regatta/base/config.hpp>
#include <regatta/core/executor.hpp>
#include <regatta/message/worker_pool.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace {

using library_test::await;
using library_test::counted;
using library_test::door;
using library_test::observed_thread;
using library_test::rounds;
using library_test::row;
using std::chrono::milliseconds;

using pool_type = regatta::worker_pool<row>;
static_assert(regatta::executor<pool_type>);
static_assert(regatta::executor<regatta::worker_pool<int, std::unique_ptr<int>>>);

/// What a pool's ring holds of a set of messages is no larger for the tasks, nor harder to move.
template<class... Messages>
constexpr bool unchanged = [] {
    using without = std::variant<Messages...>;
    using with = typename regatta::detail::message_handlers<Messages...>::message;
    return (sizeof(with) == sizeof(without) || sizeof(with) <= 2 * sizeof(void*)) &&
           alignof(with) == alignof(without) &&
           std::is_trivially_copyable_v<with> == std::is_trivially_copyable_v<without>;
}();
static_assert(unchanged<char>);
static_assert(unchanged<row>);
static_assert(unchanged<double, std::array<char, 7>>);
static_assert(unchanged<std::array<int, 13>>); // 52 bytes, aligned to 4: a cell of one line.
static_assert(unchanged<std::array<char, 55>>);
static_assert(unchanged<std::unique_ptr<int>, std::array<void*, 6>>);

} // namespace

// "`submit` takes a message if the type is in the set. Otherwise it takes a task".
TEST(worker_pool_tasks, the_type_decides_what_is_a_message) {
    using callable = std::function<int()>;
    std::atomic<int> messages{0};
    regatta::worker_pool<row, callable> pool({.threads = 2});
    pool.on<row>([&](row& r) { messages += r.index; });
    pool.on<callable>([&](callable& c) { messages += c(); });
    pool.start();
    const row constant{3};
    row variable{4};
    const callable counts = [] { return 10; };
    static_assert(std::is_same_v<decltype(pool.submit(constant)), bool>);
    static_assert(std::is_same_v<decltype(pool.submit(counts)), bool>);
    static_assert(
        std::is_same_v<decltype(pool.submit(std::function<void()>())), regatta::future<void>>);
    EXPECT_TRUE(pool.submit(constant));
    EXPECT_TRUE(pool.submit(variable));
    EXPECT_TRUE(pool.submit(counts));
    EXPECT_TRUE(pool.submit(counts, regatta::admission_class::high));
    EXPECT_EQ(pool.submit([] { return 5; }).get(), 5);
    pool.execute([&] { messages += 100; });
    pool.execute(counts); // A task: nothing else can be executed.
    pool.wait();
    EXPECT_EQ(messages.load(), 127);
    const auto stats = pool.stats();
    EXPECT_EQ(stats.submitted, 7u);
    EXPECT_EQ(stats.handled, 7u);
    EXPECT_EQ(stats.tasks, 3u);
    EXPECT_EQ(stats.cancelled, 0u);
    EXPECT_EQ(stats.queued, 0u);
}

// "A task waits in the ring and counts as a message": in the order of submission, and `drain` waits
// for it.
TEST(worker_pool_tasks, one_worker_takes_both_in_order) {
    int next = 0;
    pool_type pool({.threads = 1, .capacity = 8});
    pool.on<row>([&](row& r) { EXPECT_EQ(r.index, next++); }).start();
    for (int i = 0; i < 1000; i += 2) {
        pool.submit(row{i});
        pool.execute([&next, i] { EXPECT_EQ(i + 1, next++); });
    }
    pool.drain();
    EXPECT_EQ(next, 1000);
}

// A priority is for messages; tasks count where messages are counted.
TEST(worker_pool_tasks, take_room_as_messages_do) {
    pool_type pool({.threads = 1, .capacity = 4, .admission = {.low = 50}});
    pool.execute([] {});
    pool.execute([] {});
    EXPECT_FALSE(pool.try_submit(row{}, regatta::admission_class::low));
    EXPECT_TRUE(pool.try_submit(row{}));
    pool.execute([] {});
    EXPECT_FALSE(pool.try_submit(row{}));
    EXPECT_EQ(pool.stats().queued, 4u);
    observed_thread seen;
    std::atomic<bool> ran{false};
    std::thread submitter([&] { // "`submit` and `execute` while the ring is full"
        seen.announce();
        EXPECT_EQ(pool.submit([&] { return ran.exchange(true) ? 0 : 1; }).get(), 1);
    });
    seen.await_sleep();
    pool.on<row>([](row&) {}).start();
    submitter.join();
    EXPECT_TRUE(ran.load());
}

// "The same": a task that finds the ring full handles others, and so does a message's handler.
TEST(worker_pool_tasks, help_where_the_ring_is_full) {
    for (const unsigned threads : {1u, 3u}) {
        std::atomic<int> calls{0};
        pool_type pool({.threads = threads, .capacity = 2});
        pool.on<row>([&](row& r) {
            ++calls;
            for (int i = 0; r.index == 0 && i < 50; ++i) {
                pool.execute([&] { ++calls; });
            }
        });
        pool.start();
        pool.execute([&] {
            ++calls;
            for (int i = 1; i <= 100; ++i) {
                EXPECT_TRUE(pool.submit(row{i}));
            }
        });
        pool.submit(row{0});
        pool.wait();
        EXPECT_EQ(calls.load(), 152);
    }
}

// "Waits until no message is queued or in a handler, including those submitted during the wait."
TEST(worker_pool_tasks, wait_is_for_messages_too) {
    const library_test::time_limit limit("wait to return");
    std::atomic<int> calls{0};
    pool_type pool({.threads = 2});
    pool.on<row>([&](row& r) {
        ++calls;
        if (r.index != 0) {
            pool.submit(row{r.index - 1});
        }
    });
    pool.start();
    for (int i = 0; i < rounds(100); ++i) {
        calls = 0;
        pool.submit(row{50});
        pool.wait();
        ASSERT_EQ(calls.load(), 51);
    }
}

// "A handler that calls it handles other messages while it waits": a message's handler on one
// worker, and one that waits for a task's future runs the task.
TEST(worker_pool_tasks, a_handler_waits_for_tasks_and_messages) {
    for (const unsigned threads : {1u, 2u}) {
        int inner = 0;
        int result = 0;
        pool_type pool({.threads = threads});
        pool.on<row>([&](row& r) {
            if (r.index == 0) {
                ++inner;
                return;
            }
            auto answer = pool.submit([] { return 42; });
            result = answer.get();
            pool.submit(row{0});
            pool.wait();
            EXPECT_EQ(inner, 1);
            EXPECT_TRUE(pool.wait_for(milliseconds(0)));
        });
        pool.start();
        pool.submit(row{1});
        pool.wait();
        EXPECT_EQ(result, 42);
        EXPECT_EQ(inner, 1);
    }
}

// "So do handlers that wait for room beneath it on the same worker".
TEST(worker_pool_tasks, a_wait_on_top_of_one_for_room_ends) {
    const library_test::time_limit limit("a wait on top of one for room to end");
    std::atomic<int> waits{0};
    pool_type pool({.threads = 1, .capacity = 2});
    pool.on<row>([](row&) {}).start();
    pool.execute([&] {
        for (int i = 0; i < 20; ++i) { // Runs its own tasks as soon as the ring is full.
            pool.execute([&] {
                pool.wait();
                ++waits;
            });
        }
    });
    pool.wait();
    EXPECT_EQ(waits.load(), 20);
}

// "also in a paused pool": what wakes a worker is not lost to those that leave messages alone.
TEST(worker_pool_tasks, a_task_that_waits_handles_others_in_a_paused_pool) {
    for (int i = 0; i < rounds(300); ++i) {
        std::atomic<int> calls{0};
        std::atomic<bool> back{false};
        pool_type pool({.threads = 3});
        pool.on<row>([&](row&) { ++calls; }).start();
        door held;
        pool.execute([&] { held.pass(); }); // So that the wait has something to wait for.
        held.await_inside(1);
        std::atomic<bool> begun{false};
        pool.execute([&] {
            begun = true;
            pool.wait();
            back = true;
        });
        await([&] { return begun.load(); });
        std::thread other([&] { pool.pause(); }); // Returns when no handler runs.
        for (int k = 1; k <= 20; ++k) {
            pool.submit(row{k});
            await([&] { return calls.load() == k; });
        }
        EXPECT_FALSE(back.load());
        held.open();
        other.join();
        EXPECT_TRUE(back.load());
        pool.submit(row{});
        EXPECT_EQ(pool.stats().queued, 1u);
        pool.resume();
        pool.wait();
        EXPECT_EQ(calls.load(), 21);
    }
}

// "A pool that was never started destroys its messages unhandled and cancels the futures of its
// tasks."
TEST(worker_pool_tasks, of_a_pool_that_never_started_are_cancelled) {
    std::atomic<int> alive{0};
    std::atomic<int> runs{0};
    regatta::future<void> outlives;
    {
        regatta::worker_pool<counted> pool({.threads = 2});
        auto future = pool.submit([&runs, c = counted(alive, 1)] { runs += c.value(); });
        pool.execute([&runs, c = counted(alive, 1)] { runs += c.value(); });
        pool.submit(counted(alive, 1));
        EXPECT_EQ(alive.load(), 3);
        EXPECT_FALSE(future.ready());
        pool.close();
        EXPECT_TRUE(future.ready());
        EXPECT_FALSE(future.cancel());
        EXPECT_EQ(alive.load(), 0);
        pool.wait();
        pool.drain();
        EXPECT_TRUE(pool.wait_for(milliseconds(0)));
    }
    {
        regatta::worker_pool<counted> pool;
        outlives = pool.submit([&runs, c = counted(alive, 1)] { runs += c.value(); });
    }
    EXPECT_TRUE(outlives.ready());
    EXPECT_EQ(alive.load(), 0);
    EXPECT_EQ(runs.load(), 0);
}

// A future outlives the pool that ran its task.
TEST(worker_pool_tasks, leave_futures_behind) {
    regatta::future<int> result;
    {
        pool_type pool({.threads = 2});
        pool.on<row>([](row&) {}).start();
        pool.pause();
        result = pool.submit([] { return 8; });
    }
    EXPECT_EQ(result.get(), 8);
}

// "Those of `tasks` whose future was cancelled; they never ran", and what a wait ran ahead of its
// turn did run.
TEST(worker_pool_tasks, are_counted_as_run_or_cancelled) {
    std::atomic<int> runs{0};
    pool_type pool({.threads = 1});
    pool.on<row>([](row&) {}).start();
    door held;
    pool.execute([&] { held.pass(); });
    held.await_inside(1);
    auto cancelled = pool.submit([&] { ++runs; });
    EXPECT_TRUE(cancelled.cancel());
    held.open();
    pool.submit([&] { pool.submit([&] { ++runs; }).get(); }).get();
    pool.wait();
    const auto stats = pool.stats();
    EXPECT_EQ(runs.load(), 1);
    EXPECT_EQ(stats.submitted, 4u);
    EXPECT_EQ(stats.handled, 4u);
    EXPECT_EQ(stats.tasks, 4u);
    EXPECT_EQ(stats.cancelled, 1u);
}

#if REGATTA_EXCEPTIONS

namespace {

template<class Call>
bool would_deadlock(Call&& call) {
    try {
        call();
    } catch (const std::system_error& error) {
        return error.code() == std::errc::resource_deadlock_would_occur;
    }
    return false;
}

} // namespace

// "Throws `std::logic_error` as `drain` does".
TEST(worker_pool_tasks, a_wait_for_a_pool_that_never_started_is_refused) {
    pool_type pool({.threads = 1});
    pool.on<row>([](row&) {});
    pool.wait(); // Nothing to wait for.
    auto future = pool.submit([] { return 1; });
    const auto refused = [](auto&& call) -> std::string {
        try {
            call();
            return "returned";
        } catch (const std::logic_error& e) {
            return e.what();
        }
    };
    const std::string reason = ": messages wait and the pool was never started";
    EXPECT_EQ(refused([&] { pool.wait(); }), "worker_pool::wait" + reason);
    EXPECT_EQ(refused([&] { pool.wait_for(milliseconds(1)); }), "worker_pool::wait_for" + reason);
    EXPECT_EQ(refused([&] { pool.drain(); }), "worker_pool::drain" + reason);
    pool.start();
    pool.wait();
    EXPECT_EQ(future.get(), 1);
}

// "Refuses further messages, also from handlers".
TEST(worker_pool_tasks, of_tasks_are_refused_while_it_closes) {
    std::atomic<int> refused{0};
    pool_type other({.threads = 1});
    other.on<row>([](row&) {}).start();
    auto done = other.submit([] { return 1; });
    done.wait();
    pool_type pool({.threads = 1});
    pool.on<row>([](row&) {}).start();
    pool.execute([&] {
        while (pool.submit(row{})) {
            std::this_thread::yield();
        }
        try {
            pool.execute([] {});
        } catch (const regatta::task_rejected& e) {
            EXPECT_EQ(e.why(), regatta::task_rejected::reason::closed);
            ++refused;
        }
        std::vector<std::function<void()>> batch(3, [] {});
        try {
            static_cast<void>(pool.submit_batch(batch));
        } catch (const regatta::task_rejected& e) {
            EXPECT_EQ(e.accepted(), 0u);
            ++refused;
        }
        // What continues a task of another pool is refused as well, and its future hears of it.
        EXPECT_THROW(std::move(done).then(pool, [](int i) { return i; }).get(),
                     regatta::task_cancelled);
        ++refused;
    });
    pool.close();
    EXPECT_EQ(refused.load(), 3);
    EXPECT_EQ(pool.stats().refused, 6u); // The batch counts as three.
    EXPECT_EQ(pool.stats().errors, 0u);
}

// "`task_rejected::accepted` says how many, from the front, were accepted."
TEST(worker_pool_tasks, of_a_batch_are_counted_that_were_accepted) {
    const library_test::time_limit limit("a batch that waits for room");
    pool_type pool({.threads = 1, .capacity = 2});
    observed_thread seen;
    std::thread submitter([&] {
        seen.announce();
        const std::vector<std::function<void()>> batch(5, [] {});
        try {
            static_cast<void>(pool.submit_batch(batch));
            ADD_FAILURE() << "returned";
        } catch (const regatta::task_rejected& e) {
            EXPECT_EQ(e.accepted(), 2u);
        }
    });
    await([&] { return pool.stats().queued == 2; });
    seen.await_sleep(); // For room.
    pool.close();
    submitter.join();
    EXPECT_EQ(pool.stats().submitted, 2u);
    EXPECT_EQ(pool.stats().refused, 3u);
}

// "A handler that would wait for itself gets `std::system_error`": tasks like messages.
TEST(worker_pool_tasks, that_would_wait_for_themselves_are_told) {
    std::atomic<int> told{0};
    pool_type pool({.threads = 2});
    const auto ask = [&] {
        told += would_deadlock([&] { pool.drain(); }) ? 1 : 0;
        told += would_deadlock([&] { pool.close(); }) ? 1 : 0;
        told += would_deadlock([&] { pool.start(); }) ? 1 : 0;
    };
    pool.on<row>([&](row&) { ask(); }).start();
    pool.submit(row{});
    pool.execute(ask);
    pool.submit(ask).get();
    pool.wait();
    EXPECT_EQ(told.load(), 9);
    EXPECT_EQ(pool.stats().errors, 0u);
}

// "Up to 32 may wait within each other on one worker."
TEST(worker_pool_tasks, one_wait_too_deep_is_refused) {
    std::atomic<int> waits{0};
    std::atomic<int> refused{0};
    pool_type pool({.threads = 1});
    pool.on<row>([&](row& r) {
        if (r.index == 40) {
            return;
        }
        pool.submit(row{r.index + 1});
        (would_deadlock([&] { pool.wait(); }) ? refused : waits)++;
    });
    pool.start();
    pool.submit(row{0});
    pool.wait();
    EXPECT_EQ(waits.load() + refused.load(), 40);
    EXPECT_GE(waits.load(), 32);
    EXPECT_GE(refused.load(), 1);
}

// "An exception of a handler or of a task of `execute` goes to `worker_pool_options::on_error` and
// is counted".
TEST(worker_pool_tasks, exceptions_of_both_go_to_the_sink) {
    std::atomic<int> told{0};
    pool_type pool({.threads = 2, .on_error = [&](std::exception_ptr) { ++told; }});
    pool.on<row>([](row&) { throw 1; }).start();
    for (int i = 0; i < 10; ++i) {
        pool.submit(row{});
        pool.execute([] { throw 2; });
        EXPECT_THROW(pool.submit([] { throw 3; }).get(), int);
    }
    pool.wait();
    EXPECT_EQ(told.load(), 20);
    EXPECT_EQ(pool.stats().errors, 20u);
    EXPECT_EQ(pool.stats().handled, 30u);
}

#endif
