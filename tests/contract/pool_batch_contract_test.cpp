// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// What the doc comment of thread_pool promises of batches; each test quotes the sentence that it
// checks.

#include "support/counted.hpp"
#include "support/pool_cases.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <iterator>
#include <list>
#include <memory>
#include <ranges>
#include <span>
#include <stdexcept>
#include <stop_token>
#include <utility>
#include <vector>

namespace {

using library_test::counted;
using library_test::door;
using regatta::priority;
using regatta::task_rejected;

class pool_batch : public library_test::pool_test {};
INSTANTIATE_TEST_SUITE_P(, pool_batch, library_test::every_pool(), library_test::pool_name);

class pool_bounded_batch : public library_test::pool_test {};
INSTANTIATE_TEST_SUITE_P(, pool_bounded_batch, library_test::bounded_pools(),
                         library_test::pool_name);

/// A callable that can be copied and tells how often it was.
struct copied {
    std::atomic<int>* copies;
    std::atomic<int>* runs;

    copied(std::atomic<int>& c, std::atomic<int>& r) noexcept : copies(&c), runs(&r) {}
    copied(const copied& other) noexcept : copies(other.copies), runs(other.runs) { ++*copies; }
    copied(copied&& other) noexcept
        : copies(other.copies)
        , runs(std::exchange(other.runs, nullptr)) {}
    void operator()() const { *runs += 1; }
};

} // namespace

// "Workers call every callable of a range."
TEST_P(pool_batch, runs_every_task_once) {
    auto [pool] = make_pool({.threads = 2});
    for (const std::size_t size : {0u, 1u, 10u, 63u, 64u, 65u, 1000u}) {
        std::vector<std::atomic<int>> runs(size);
        std::vector<std::function<void()>> batch;
        for (auto& r : runs) {
            batch.emplace_back([&r] { ++r; });
        }
        pool.execute_batch(batch);
        pool.execute_batch(std::move(batch), priority::low);
        pool.wait();
        for (const auto& r : runs) {
            ASSERT_EQ(r.load(), 2);
        }
    }
}

// "An rvalue range that is not a view is moved from": its elements need not be copyable.
TEST_P(pool_batch, moves_out_of_an_rvalue) {
    std::atomic<int> runs{0};
    std::atomic<int> copies{0};
    std::atomic<int> alive{0};
    auto [pool] = make_pool({.threads = 2});
    const auto make = [&](int value) {
        return [&runs, c = counted(alive, value)] { runs += c.value(); };
    };
    std::vector<decltype(make(1))> owned;
    for (int i = 0; i < 100; ++i) {
        owned.push_back(make(1));
    }
    pool.execute_batch(std::move(owned));
    std::list<copied> nodes(5, copied(copies, runs));
    copies = 0;
    pool.execute_batch(std::move(nodes));
    pool.wait();
    EXPECT_EQ(runs.load(), 105);
    EXPECT_EQ(copies.load(), 0);
    EXPECT_EQ(alive.load(), 0);
    std::array<decltype(make(1)), 2> two{make(1), make(1)};
    pool.submit_batch(std::move(two)).get();
    EXPECT_EQ(runs.load(), 107);
}

// … and those of an lvalue are copied, also of a view, which owns nothing.
TEST_P(pool_batch, copies_out_of_an_lvalue_and_a_view) {
    std::atomic<int> runs{0};
    std::atomic<int> copies{0};
    auto [pool] = make_pool({.threads = 2});
    std::vector<copied> batch(3, copied(copies, runs));
    const auto intact = [&] {
        return std::all_of(batch.begin(), batch.end(), [](const copied& c) { return c.runs; });
    };
    pool.execute_batch(batch);
    EXPECT_TRUE(intact());
    pool.execute_batch(std::as_const(batch));
    pool.execute_batch(std::span<copied>(batch));
    EXPECT_TRUE(intact());
    pool.submit_batch(batch).get();
    EXPECT_TRUE(intact());
    pool.submit_batch(std::span<copied>(batch)).get();
    EXPECT_TRUE(intact());
    pool.submit_batch(batch | std::views::drop(1)).get();
    EXPECT_TRUE(intact());
    pool.wait();
    EXPECT_EQ(runs.load(), 17);
}

// A view of what cannot be copied is moved out of: the tasks that another pool has handed over.
TEST_P(pool_batch, takes_handed_over_tasks) {
    std::atomic<int> runs{0};
    auto [pool] = make_pool({.threads = 2});
    std::vector<regatta::task> refused;
    for (int i = 0; i < 100; ++i) {
        refused.emplace_back([&] { ++runs; });
    }
    std::span<regatta::task> view(refused);
    pool.execute_batch(view);
    pool.wait();
    EXPECT_EQ(runs.load(), 100);
    EXPECT_FALSE(refused.front());
}

// "A task is any callable, even a move-only one. A worker calls it once": one that can only be
// called so.
TEST_P(pool_batch, takes_callables_that_are_called_as_rvalues) {
    struct only_once {
        std::atomic<int>& runs;
        void operator()() && { ++runs; }
    };
    std::atomic<int> runs{0};
    auto [made_pool] = make_pool({.threads = 2});
    auto& pool = made_pool;
    struct only_once_with_token {
        std::atomic<int>& runs;
        void operator()(std::stop_token) && { ++runs; }
    };
    std::stop_source source;
    const auto all_ways = [&](auto made) {
        using callable = decltype(made);
        const int before = runs.load();
        pool.execute(callable(made));
        pool.execute(source.get_token(), callable(made));
        pool.submit(callable(made)).get();
        EXPECT_TRUE(pool.try_execute(made));
        EXPECT_TRUE(pool.try_execute(source.get_token(), callable(made)));
        const std::vector<callable> two{made, made};
        pool.execute_batch(two);
        pool.execute_batch(two, source.get_token());
        pool.submit_batch(two).get();
        pool.wait();
        EXPECT_EQ(runs.load() - before, 11);
    };
    all_ways(only_once{runs});
    all_ways(only_once_with_token{runs});
}

// A range that is made while it is read.
TEST_P(pool_batch, takes_ranges_without_a_size) {
    std::atomic<int> sum{0};
    auto [pool] = make_pool({.threads = 2});
    const auto adds = [&](int i) { return [&sum, i] { sum += i; }; };
    pool.execute_batch(std::views::iota(1, 101) | std::views::transform(adds));
    pool.execute_batch(std::views::iota(1, 101) | std::views::transform(adds), priority::high);
    pool.execute_batch(std::views::iota(1, 11) |
                       std::views::filter([](int i) { return i % 2 == 0; }) |
                       std::views::transform(adds));
    pool.submit_batch(std::views::iota(1, 11) | std::views::transform(adds)).get();
    pool.wait();
    EXPECT_EQ(sum.load(), 5050 + 5050 + 30 + 55);
}

// "Workers call every callable of a range": also of one that waits for the pool to make them.
TEST_P(pool_batch, takes_callables_that_are_made_with_the_pool) {
    struct adds {
        std::atomic<int>* sum;
        int i;
        void operator()() const { *sum += i; }
    };
    struct iterator { // Nothing of it throws: a pool could read from it where nothing may.
        using value_type = adds;
        using difference_type = std::ptrdiff_t;
        regatta::thread_pool* pool = nullptr;
        std::atomic<int>* sum = nullptr;
        int at = 0;
        value_type operator*() const noexcept {
            return {sum, pool->submit([i = at] { return i; }).get()};
        }
        iterator& operator++() noexcept {
            ++at;
            return *this;
        }
        iterator operator++(int) noexcept {
            auto old = *this;
            ++at;
            return old;
        }
        bool operator==(const iterator& other) const noexcept { return at == other.at; }
    };
    static_assert(std::forward_iterator<iterator>);
    const library_test::time_limit limit("a batch that is made with the pool");
    std::atomic<int> sum{0};
    auto [pool] = make_pool({.threads = 1});
    const std::ranges::subrange range(iterator{&pool, &sum, 1}, iterator{&pool, &sum, 101});
    pool.execute_batch(range);
    pool.wait();
    EXPECT_EQ(sum.load(), 5050);
}

// "Failure: … before anything is changed": also what a view throws that makes its callables.
TEST_P(pool_batch, takes_nothing_of_a_range_that_throws) {
    std::atomic<int> runs{0};
    auto [pool] = make_pool({.threads = 1});
    const auto made = [&](int i) {
        if (i == 5) {
            throw std::runtime_error("no fifth");
        }
        return [&runs] { ++runs; };
    };
    EXPECT_THROW(pool.execute_batch(std::views::iota(0, 10) | std::views::transform(made)),
                 std::runtime_error);
    pool.wait();
    EXPECT_EQ(runs, 0);
    EXPECT_EQ(pool.stats().submitted, 0u);
}

// The same of callables that cannot be copied.
TEST_P(pool_batch, takes_nothing_of_a_range_whose_iterator_throws) {
    struct iterator { // Throws after the elements have been counted.
        using value_type = void (*)();
        using difference_type = std::ptrdiff_t;
        int at = 0;
        int* steps = nullptr;
        value_type operator*() const noexcept {
            return [] {};
        }
        iterator& operator++() {
            if (++*steps == 15) {
                throw std::runtime_error("no fifteenth step");
            }
            ++at;
            return *this;
        }
        iterator operator++(int) {
            auto old = *this;
            ++*this;
            return old;
        }
        bool operator==(const iterator& other) const noexcept { return at == other.at; }
    };
    static_assert(std::forward_iterator<iterator>);
    int steps = 0;
    auto [pool] = make_pool({.threads = 1});
    const std::ranges::subrange range(iterator{0, &steps}, iterator{10, &steps});
    EXPECT_THROW(pool.execute_batch(range), std::runtime_error);
    pool.wait();
    EXPECT_EQ(pool.stats().run, 0u);
}

TEST_P(pool_batch, takes_nothing_of_a_range_that_throws_and_makes_what_cannot_be_copied) {
    std::atomic<int> runs{0};
    auto [pool] = make_pool({.threads = 1});
    int last = 5;
    const auto made = [&](int i) {
        if (i == last) {
            throw std::runtime_error("no fifth");
        }
        return [&runs, one = std::make_unique<int>(1)] { runs += *one; };
    };
    EXPECT_THROW(pool.execute_batch(std::views::iota(0, 10) | std::views::transform(made)),
                 std::runtime_error);
    pool.wait();
    EXPECT_EQ(runs, 0);
    EXPECT_EQ(pool.stats().submitted, 0u);
    last = 10;
    pool.execute_batch(std::views::iota(0, 10) | std::views::transform(made));
    pool.wait();
    EXPECT_EQ(runs, 10);
}

TEST_P(pool_batch, takes_large_closures_and_such_whose_move_may_throw) {
    struct wary {
        std::atomic<int>* sum;
        explicit wary(std::atomic<int>& s) : sum(&s) {}
        wary(const wary& other) noexcept(false) : sum(other.sum) {}
        void operator()() const { ++*sum; }
    };
    std::atomic<int> sum{0};
    auto [pool] = make_pool({.threads = 2});
    std::vector<wary> batch(10, wary(sum));
    pool.execute_batch(batch);
    pool.execute_batch(batch, std::stop_source().get_token());
    pool.submit_batch(batch).get();
    pool.execute_batch(std::move(batch));
    const auto large = [&sum, bytes = std::array<char, 300>{}] { sum += 1 + bytes[0]; };
    std::vector<std::remove_const_t<decltype(large)>> larges(100, large);
    pool.execute_batch(larges);
    pool.submit_batch(std::move(larges)).get();
    const auto beside = [&sum, bytes = std::array<char, 200>{}] { sum += 1 + bytes[0]; };
    std::vector<std::remove_const_t<decltype(beside)>> besides(100, beside);
    pool.execute_batch(besides);
    pool.execute_batch(std::move(besides));
    pool.wait();
    EXPECT_EQ(sum.load(), 40 + 200 + 200);
}

// "The same for every callable of a range. @returns their futures, in order."
TEST_P(pool_batch, gives_the_results_in_order) {
    auto [pool] = make_pool({.threads = 3});
    std::vector<std::function<int()>> batch;
    for (int i = 0; i < 300; ++i) {
        batch.emplace_back([i] { return i * i; });
    }
    auto futures = pool.submit_batch(batch);
    ASSERT_EQ(futures.size(), 300u);
    EXPECT_EQ(futures[7].get(), 49);
    futures = pool.submit_batch(std::move(batch), priority::high);
    const auto results = futures.get();
    for (std::size_t i = 0; i < 300; ++i) {
        ASSERT_EQ(results[i], static_cast<int>(i * i));
    }
    EXPECT_TRUE(pool.submit_batch(std::vector<std::function<int()>>()).get().empty());
}

// What one of them throws is in its own future.
TEST_P(pool_batch, keeps_each_exception_in_its_place) {
    auto [pool] = make_pool({.threads = 2});
    std::vector<std::function<int()>> batch;
    for (int i = 0; i < 10; ++i) {
        batch.emplace_back([i] { return i == 4 ? throw std::runtime_error("four") : i; });
    }
    auto futures = pool.submit_batch(batch);
    futures.wait();
    EXPECT_EQ(futures[3].get(), 3);
    EXPECT_THROW(futures[4].get(), std::runtime_error);
    EXPECT_EQ(futures[5].get(), 5);
    EXPECT_THROW(pool.submit_batch(batch).get(), std::runtime_error);
    EXPECT_EQ(pool.stats().errors, 0u);
}

TEST_P(pool_batch, of_futures_can_be_cancelled_and_stopped) {
    std::atomic<int> runs{0};
    auto [pool] = make_pool({.threads = 1});
    door d;
    library_test::hold_worker(pool, d);
    std::vector<std::function<void()>> batch(5, [&] { ++runs; });
    std::stop_source source;
    auto stopped = pool.submit_batch(batch, source.get_token());
    auto cancelled = pool.submit_batch(batch);
    EXPECT_EQ(cancelled.cancel(), 5u);
    EXPECT_EQ(cancelled.cancel(), 0u);
    source.request_stop();
    d.open();
    EXPECT_THROW(stopped.get(), regatta::task_cancelled);
    EXPECT_THROW(cancelled.get(), regatta::task_cancelled);
    pool.wait();
    EXPECT_EQ(runs.load(), 0);
    EXPECT_EQ(pool.stats().cancelled, 10u);
}

// Batches from within tasks, from several threads.
TEST_P(pool_batch, comes_from_tasks_too) {
    std::atomic<int> runs{0};
    auto [pool] = make_pool({.threads = 2});
    for (int i = 0; i < 10; ++i) {
        pool.execute([&] {
            std::vector<std::function<void()>> batch(100, [&] { ++runs; });
            pool.execute_batch(batch);
            pool.submit_batch(std::move(batch)).get();
        });
    }
    pool.wait();
    EXPECT_EQ(runs.load(), 2000);
}

// "`task_rejected::accepted` is the number of tasks accepted from the front."
TEST_P(pool_bounded_batch, says_how_many_found_room) {
    std::atomic<int> runs{0};
    auto [pool] = make_pool({.threads = 1, .capacity = 4, .when_full = regatta::overflow::reject});
    door d;
    library_test::hold_worker(pool, d);
    std::vector<std::function<void()>> batch(10, [&] { ++runs; });
    try {
        pool.execute_batch(batch);
        ADD_FAILURE() << "all were taken";
    } catch (const task_rejected& error) {
        EXPECT_EQ(error.why(), task_rejected::reason::full);
        EXPECT_EQ(error.accepted(), 4u);
    }
    EXPECT_EQ(pool.stats().submitted, 5u);
    EXPECT_EQ(pool.stats().refused, 6u);
    EXPECT_THROW(static_cast<void>(pool.submit_batch(std::move(batch))), task_rejected);
    EXPECT_EQ(pool.stats().refused, 16u);
    d.open();
    pool.wait();
    EXPECT_EQ(runs.load(), 4);
    batch.assign(3, [&] { ++runs; });
    pool.execute_batch(batch);
    pool.close();
    EXPECT_EQ(runs.load(), 7);
    try {
        pool.execute_batch(batch);
        ADD_FAILURE() << "a closed pool took it";
    } catch (const task_rejected& error) {
        EXPECT_EQ(error.why(), task_rejected::reason::closed);
        EXPECT_EQ(error.accepted(), 0u);
    }
    EXPECT_EQ(pool.stats().refused, 19u);
}

// A batch that is larger than the pool goes through it under `overflow::block`.
TEST_P(pool_bounded_batch, larger_than_the_pool_waits_for_room) {
    std::atomic<int> runs{0};
    for (const std::size_t capacity : {1u, 2u, 3u, 7u, 64u}) {
        auto [pool] = make_pool({.threads = 2, .capacity = capacity});
        std::vector<std::function<void()>> batch(1000, [&] { ++runs; });
        runs = 0;
        pool.execute_batch(batch);
        pool.submit_batch(batch).get();
        pool.wait();
        EXPECT_EQ(runs.load(), 2000);
        EXPECT_EQ(pool.stats().refused, 0u);
        EXPECT_EQ(pool.stats().submitted, 2000u);
    }
}
