// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// What the doc comment of thread_pool promises of one task; each test quotes the sentence that it
// checks.

#include "support/counted.hpp"
#include "support/pool_cases.hpp"

#include <regatta/core/executor.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using library_test::counted;
using library_test::door;
using regatta::priority;

/// A closure of a size and an alignment, which adds what it holds to a sum.
template<std::size_t Size, std::size_t Alignment = alignof(void*)>
struct alignas(Alignment) sized {
    std::atomic<int>* sum;
    std::array<unsigned char, Size - sizeof(void*)> bytes{};

    explicit sized(std::atomic<int>& s) noexcept : sum(&s) { bytes.back() = 1; }
    void operator()() const {
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(this) % Alignment, 0u);
        *sum += bytes.back();
    }
};

/// A closure whose move may throw, as far as the compiler knows.
struct wary {
    std::atomic<int>* sum;

    explicit wary(std::atomic<int>& s) noexcept : sum(&s) {}
    wary(wary&& other) noexcept(false) : sum(other.sum) {}
    void operator()() const { ++*sum; }
};

/// The same, called with a stop token; and one that can only be called once.
struct wary_of_stops : wary {
    using wary::wary;
    void operator()(std::stop_token) const { ++*sum; }
    void operator()() const = delete;
};
struct wary_once : wary {
    using wary::wary;
    void operator()(std::stop_token) && { ++*sum; }
    void operator()() const = delete;
};

struct account {
    int balance = 0;
    void add(int amount) { balance += amount; }
};

class pool_execution : public library_test::pool_test {};
INSTANTIATE_TEST_SUITE_P(, pool_execution, library_test::every_pool(), library_test::pool_name);

} // namespace

// "Code written for an `executor` changes its pool by changing one type".
TEST(pool_types, model_an_executor) {
    regatta::race::every_pool::for_each([]<class Pool> {
        static_assert(regatta::executor<Pool>);
        static_assert(!std::is_copy_constructible_v<Pool>);
        static_assert(!std::is_move_constructible_v<Pool>);
    });
}

// "with the arguments given at its submission. The task holds them by value".
TEST_P(pool_execution, holds_arguments_by_value) {
    auto [pool] = make_pool({.threads = 1});
    door d;
    library_test::hold_worker(pool, d);
    std::string text = "before";
    const int number = 7;
    std::string seen;
    int sum = 0;
    pool.execute([&](const std::string& t, int n) { seen = t + std::to_string(n); }, text, number);
    pool.execute([&](std::unique_ptr<int> p, int&& more) { sum = *p + more; },
                 std::make_unique<int>(40), 2);
    text = "after";
    d.open();
    pool.wait();
    EXPECT_EQ(seen, "before7");
    EXPECT_EQ(sum, 42);
}

// "`std::ref` passes a reference."
TEST_P(pool_execution, passes_references_by_ref) {
    auto [pool] = make_pool({.threads = 1});
    int value = 1;
    account mine;
    auto adds = [](int& to, int amount) { to += amount; };
    pool.execute(adds, std::ref(value), 2);
    pool.execute(&account::add, &mine, 5);
    pool.execute(&account::add, std::ref(mine), 6);
    auto keeps = [count = 0]() mutable { return ++count; };
    pool.execute(std::ref(keeps));
    pool.submit(adds, std::ref(value), 4).get();
    pool.wait();
    EXPECT_EQ(value, 7);
    EXPECT_EQ(mine.balance, 11);
    EXPECT_EQ(keeps(), 2);
}

// "A task is any callable, even a move-only one."
TEST_P(pool_execution, takes_callables_of_every_kind) {
    static std::atomic<int> calls{0};
    calls = 0;
    auto [pool] = make_pool({.threads = 2});
    pool.execute([p = std::make_unique<int>(1)] { calls += *p; });
    pool.execute(+[] { ++calls; });
    pool.execute(std::function<void()>([] { ++calls; }));
    const auto constant = [] { ++calls; };
    pool.execute(constant);
    pool.execute([]() mutable { return ++calls; }); // A result is dropped.
    pool.execute(regatta::task([] { ++calls; }));
    EXPECT_TRUE(pool.try_execute([p = std::make_unique<int>(1)] { calls += *p; }));
    EXPECT_TRUE(pool.try_execute(constant));
    EXPECT_TRUE(pool.try_execute(priority::high, [] { ++calls; }));
    pool.wait();
    EXPECT_EQ(calls.load(), 9);
}

// "`execute` drops what `f` returns": without a warning also if that is not to be ignored.
TEST_P(pool_execution, drops_results_that_are_not_to_be_ignored) {
    std::atomic<int> calls{0};
    auto [pool] = make_pool({.threads = 2});
    std::stop_source source;
    const auto submits = [&, &pool = pool] { return pool.submit([&] { ++calls; }); };
    const auto watches = [&, &pool = pool](std::stop_token) {
        return pool.submit([&] { ++calls; });
    };
    pool.execute(submits);
    pool.execute(source.get_token(), submits);
    pool.execute(watches);
    pool.wait();
    EXPECT_EQ(calls.load(), 3);
}

// "A larger closure, or one whose move may throw, lies on the heap": they run like any other.
TEST_P(pool_execution, takes_closures_of_every_size_and_alignment) {
    std::atomic<int> sum{0};
    auto [pool] = make_pool({.threads = 2});
    const auto all_ways = [&](auto closure) {
        const int before = sum.load();
        pool.execute(closure);
        pool.execute(priority::low, closure);
        EXPECT_TRUE(pool.try_execute(closure));
        EXPECT_TRUE(pool.try_execute(std::move(closure)));
        pool.submit(closure).get();
        pool.wait();
        EXPECT_EQ(sum.load() - before, 5) << sizeof closure;
    };
    for (int i = 0; i < 70; ++i) { // Past the end of a segment.
        all_ways(sized<9>(sum));
        all_ways(sized<48>(sum));
        all_ways(sized<49>(sum));
        all_ways(sized<240>(sum));
        all_ways(sized<241>(sum));
        all_ways(sized<2000>(sum));
        all_ways(sized<32, 16>(sum));
        all_ways(sized<128, 64>(sum));
        all_ways(sized<256, 256>(sum));
    }
}

TEST_P(pool_execution, takes_closures_whose_move_may_throw) {
    std::atomic<int> sum{0};
    auto [pool] = make_pool({.threads = 2});
    std::stop_source source;
    pool.execute(wary(sum));
    pool.execute(source.get_token(), wary(sum));
    EXPECT_TRUE(pool.try_execute(wary(sum)));
    EXPECT_TRUE(pool.try_execute(source.get_token(), wary(sum)));
    pool.submit(wary(sum)).get();
    pool.wait();
    EXPECT_EQ(sum.load(), 5);
    const auto with_token = [&]<class Closure>(std::type_identity<Closure>) {
        pool.execute(Closure(sum));
        pool.execute(source.get_token(), Closure(sum));
        EXPECT_TRUE(pool.try_execute(Closure(sum)));
        EXPECT_TRUE(pool.try_execute(source.get_token(), Closure(sum)));
        pool.submit(Closure(sum)).get();
        pool.wait();
    };
    with_token(std::type_identity<wary_of_stops>{});
    EXPECT_EQ(sum.load(), 10);
    with_token(std::type_identity<wary_once>{});
    EXPECT_EQ(sum.load(), 15);
}

// "A task whose stop token is stopped before its turn is not run."
TEST_P(pool_execution, does_not_run_what_was_stopped) {
    std::atomic<int> ran{0};
    std::atomic<int> alive{0};
    auto [pool] = make_pool({.threads = 1});
    door d;
    library_test::hold_worker(pool, d);
    std::stop_source source;
    const auto task = [&] { return [&ran, c = counted(alive, 1)] { ran += c.value(); }; };
    pool.execute(source.get_token(), task());
    pool.execute({priority::high, source.get_token()}, task());
    EXPECT_TRUE(pool.try_execute(source.get_token(), task()));
    EXPECT_TRUE(pool.try_execute(source.get_token(),
                                 [t = task(), more = std::array<char, 400>{}] { t(); }));
    auto future = pool.submit(source.get_token(), task());
    std::vector<decltype(task())> batch;
    batch.push_back(task());
    batch.push_back(task());
    pool.execute_batch(std::move(batch), source.get_token());
    pool.execute(task());
    EXPECT_EQ(alive.load(), 8);
    source.request_stop();
    d.open();
    pool.wait();
    EXPECT_EQ(ran.load(), 1);
    EXPECT_EQ(alive.load(), 0);
    EXPECT_THROW(future.get(), regatta::task_cancelled);
    EXPECT_EQ(pool.stats().cancelled, 7u);
    EXPECT_EQ(pool.stats().run, 2u);
}

// "A task that takes a `std::stop_token` as its first argument receives the token."
TEST_P(pool_execution, gives_the_stop_token_to_who_takes_it) {
    std::atomic<int> stopped{0};
    auto [pool] = make_pool({.threads = 1});
    std::stop_source source;
    const auto waits = [&](std::stop_token stop) {
        library_test::await([&] { return stop.stop_requested(); });
        ++stopped;
    };
    door d;
    library_test::hold_worker(pool, d);
    std::atomic<bool> first{false};
    pool.execute(source.get_token(), [&](std::stop_token stop) {
        first = true;
        waits(std::move(stop));
    });
    auto second = pool.submit(
        std::stop_source().get_token(),
        [](std::stop_token stop, int amount) { return stop.stop_requested() ? 0 : amount; }, 5);
    d.open();
    library_test::await([&] { return first.load(); });
    source.request_stop();
    EXPECT_EQ(second.get(), 5);
    pool.wait();
    EXPECT_EQ(stopped.load(), 1);
    // Without a token it is given one that is never stopped.
    pool.execute([&](std::stop_token stop) { stopped += stop.stop_possible() ? 100 : 1; });
    pool.execute(priority::high,
                 [&](std::stop_token stop) { stopped += stop.stop_possible() ? 100 : 1; });
    EXPECT_TRUE(
        pool.try_execute([&](std::stop_token stop) { stopped += stop.stop_possible() ? 100 : 1; }));
    EXPECT_EQ(pool.submit([](std::stop_token stop) { return stop.stop_possible(); }).get(), false);
    std::vector<std::function<void(std::stop_token)>> batch(3, [&](std::stop_token) { ++stopped; });
    pool.execute_batch(batch);
    pool.execute_batch(batch, std::stop_source().get_token());
    pool.wait();
    EXPECT_EQ(stopped.load(), 10);
}

// "all members may be called from any thread, tasks of the pool included".
TEST_P(pool_execution, tasks_submit_tasks) {
    std::atomic<int> leaves{0};
    auto [pool] = make_pool({.threads = 2});
    std::function<void(int)> grow = [&](int depth) {
        if (depth == 0) {
            ++leaves;
            return;
        }
        pool.execute(grow, depth - 1);
        pool.execute(priority::high, [&grow, depth] { grow(depth - 1); });
        EXPECT_TRUE(pool.try_execute([&grow, depth] { grow(depth - 1); }));
    };
    pool.execute(grow, 6);
    pool.wait();
    EXPECT_EQ(leaves.load(), 729);
    EXPECT_EQ(pool.stats().submitted, 1093u);
}

// What a closure holds is gone when the pool is idle.
TEST_P(pool_execution, destroys_closures_with_their_run) {
    std::atomic<int> alive{0};
    auto [pool] = make_pool({.threads = 2});
    for (int i = 0; i < 200; ++i) {
        pool.execute([c = counted(alive, i)] { static_cast<void>(c.value()); });
        pool.execute([c = counted(alive, i), more = std::array<char, 100>{}] {
            static_cast<void>(c.value() + more[0]);
        });
    }
    pool.wait();
    EXPECT_EQ(alive.load(), 0);
}

// Nothing is shared by two pools of a type, and a task of one may use the other.
TEST_P(pool_execution, two_pools_are_independent) {
    std::atomic<int> inner_runs{0};
    std::atomic<int> outer_runs{0};
    auto [inner] = make_pool({.threads = 1});
    {
        auto [outer] = make_pool({.threads = 1});
        for (int i = 0; i < 20; ++i) {
            outer.execute([&] {
                for (int k = 0; k < 10; ++k) {
                    inner.execute([&] { ++inner_runs; });
                }
                EXPECT_EQ(inner.submit([] { return 3; }).get(), 3);
                inner.wait();
                inner.pause();
                EXPECT_TRUE(inner.paused());
                EXPECT_FALSE(outer.paused());
                inner.resume();
                ++outer_runs;
            });
        }
        outer.wait();
        EXPECT_EQ(outer_runs.load(), 20);
        EXPECT_EQ(inner_runs.load(), 200);
        door d;
        library_test::hold_worker(inner, d);
        outer.submit([] {}).get(); // The other one goes on.
        d.open();
        outer.close();
    }
    EXPECT_FALSE(inner.closed());
    EXPECT_EQ(inner.submit([] { return 1; }).get(), 1);
    inner.wait(); // A future is ready before its task is counted.
    EXPECT_EQ(inner.stats().run, 222u);
}

// A task may close another pool of the type.
TEST_P(pool_execution, a_task_makes_and_closes_a_pool_of_its_own) {
    auto [pool] = make_pool({.threads = 2});
    std::atomic<int> runs{0};
    for (int i = 0; i < 8; ++i) {
        pool.execute([&] {
            auto [own] = make_pool({.threads = 1});
            own.execute([&] { ++runs; });
            own.close();
            EXPECT_THROW(own.execute([] {}), regatta::task_rejected);
        });
    }
    pool.wait();
    EXPECT_EQ(runs.load(), 8);
}

// "A long task holds up no task, while others are idle": nor those that its worker took together
// with it from another one.
TEST_P(pool_execution, a_task_that_blocks_holds_up_none_that_was_stolen_with_it) {
    constexpr int tasks = 3000;
    for (int round = 0; round < 10; ++round) {
        auto [pool] = make_pool({.threads = 2});
        std::atomic<int> done{0};
        std::atomic<int> elsewhere{0};
        pool.execute([&] {
            const auto self = std::this_thread::get_id();
            for (int i = 0; i < tasks; ++i) {
                pool.execute([&, self] {
                    // So late that the other worker takes several at once.
                    if (std::this_thread::get_id() != self && ++elsewhere == 20 + round) {
                        library_test::await([&] { return done == tasks - 1; });
                    }
                    ++done;
                });
            }
        });
        pool.wait();
        EXPECT_EQ(done, tasks);
    }
}
