// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// What becomes of a task or continuation that a task of its own pool waits for: who runs it, and
// how it counts.

#include "support/pool_cases.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <stop_token>
#include <utility>

namespace {

using library_test::door;

/// The base class does not begin where this one does.
struct derived_pool : regatta::steady_pool {
    using steady_pool::steady_pool;
    virtual ~derived_pool() = default;
};
/// An executor that gives its pool what it gets.
struct urgent {
    regatta::steady_pool& pool;
    void execute(auto&& f) { pool.execute(regatta::priority::high, std::forward<decltype(f)>(f)); }
    const void* home() const noexcept { return pool.home(); }
};

} // namespace

// `home`: "a task of the pool that waits for a continuation on the executor runs it itself".
TEST(pool_continuations, a_task_runs_a_continuation_on_what_stands_for_its_pool) {
    const library_test::time_limit limit("a continuation that its own pool's worker waits for");
    derived_pool pool(1u);
    urgent first{pool};
    const auto twice = [](int i) { return 2 * i; };
    EXPECT_EQ(
        pool.submit([&] { return pool.submit([] { return 1; }).then(pool, twice).get(); }).get(),
        2);
    EXPECT_EQ(
        pool.submit([&] { return pool.submit([] { return 1; }).then(first, twice).get(); }).get(),
        2);
}

// "For a continuation, the first unstarted task of the chain": found without a look at the whole
// chain after each, which would take minutes here.
TEST(pool_continuations, a_task_runs_a_long_chain) {
    const library_test::time_limit limit("a long chain of continuations");
    for (const unsigned threads : {1u, 2u}) {
        regatta::steady_pool pool(threads);
        const int links = library_test::rounds(100'000);
        auto counted = pool.submit([&] {
            auto f = pool.submit([] { return 0; });
            for (int i = 0; i < links; ++i) {
                f = f.then(pool, [](int n) { return n + 1; });
            }
            return f.get();
        });
        EXPECT_EQ(counted.get(), links);
    }
}

// Figures are exact when the pool is idle: also if a wait finds that its task has been stopped.
TEST(pool_continuations, counts_a_task_that_a_wait_found_stopped_as_cancelled) {
    const library_test::time_limit limit("a worker that looks at a task while another ends it");
    regatta::balanced_pool pool(2u);
    door other;
    std::atomic<bool> looks{false};
    /// Its destructor, which the wait runs, lets the other worker look at the job.
    struct slow_end {
        explicit slow_end(std::function<void()> at_end) : end(std::move(at_end)) {}
        slow_end(slow_end&& from) noexcept : end(std::exchange(from.end, nullptr)) {}
        ~slow_end() {
            if (end) {
                end();
            }
        }
        std::function<void()> end;
    };
    pool.execute([&] {
        looks = true;
        other.pass();
    });
    library_test::await([&] { return looks.load(); });
    std::atomic<int> runs{0};
    std::stop_source stop;
    pool.execute([&] {
        const auto let_look = [&] {
            const auto run = pool.stats().run;
            other.open();
            // The other worker ends its task, and takes the job of this one.
            library_test::await(
                [&] { return pool.stats().run + pool.stats().cancelled >= run + 2; });
        };
        auto f = pool.submit(regatta::task_options(stop.get_token()),
                             [&runs, end = slow_end(let_look)] { ++runs; });
        stop.request_stop();
        EXPECT_THROW(f.get(), regatta::task_cancelled);
    });
    pool.wait();
    EXPECT_EQ(runs.load(), 0);
    EXPECT_EQ(pool.stats().run, 2u);
    EXPECT_EQ(pool.stats().cancelled, 1u);
}
