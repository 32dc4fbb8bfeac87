// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// Coroutines that run by themselves, and groups of futures in coroutines.

#include "coroutine_fakes.hpp"
#include "support/eventually.hpp"
#include "support/queue_executor.hpp"
#include "support/threads.hpp"

#include <regatta/core/coroutine.hpp>
#include <regatta/core/future_group.hpp>
#include <regatta/core/strand.hpp>
#include <regatta/fork/task_scope.hpp>
#include <regatta/pool/dynamic_pool.hpp>
#include <regatta/pool/steady_pool.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

using coroutine_test::full_executor;
using coroutine_test::note;
using coroutine_test::value;
using library_test::queue_executor;
using regatta::co_task;
using regatta::future;
using regatta::schedule_on;
using regatta::sync_wait;
using regatta::task_cancelled;

/// Awaits the future of a coroutine that does the same, `deep` times.
co_task<int> recursion(regatta::dynamic_pool& pool, int deep) {
    if (deep == 0) {
        co_return 0;
    }
    auto inner = regatta::co_spawn(pool, recursion(pool, deep - 1));
    co_return 1 + co_await std::move(inner);
}
co_task<int> link(regatta::future<int> before) {
    co_return 1 + co_await std::move(before);
}
co_task<std::shared_ptr<int>> counting(std::shared_ptr<int> p) {
    ++*p;
    co_return p;
}

} // namespace

// "A loop needs no deep stack, nor does a recursion of coroutines that were spawned."
TEST(co_spawn, of_a_recursion_needs_no_deep_stack) {
    regatta::dynamic_pool pool(2);
    constexpr int deep = 100'000;
    EXPECT_EQ(regatta::co_spawn(pool, recursion(pool, deep)).get(), deep);
}

TEST(co_spawn, of_coroutines_that_wait_for_one_another_needs_no_deep_stack) {
    regatta::dynamic_pool pool(1);
    std::promise<void> begin;
    auto last = pool.submit([go = begin.get_future().share()] {
        go.wait();
        return 0;
    });
    constexpr int links = 100'000;
    for (int i = 0; i < links; ++i) {
        last = regatta::co_spawn(pool, link(std::move(last)));
    }
    begin.set_value();
    EXPECT_EQ(last.get(), links);
}

// A wait beneath a deep chain runs tasks whose coroutines end within it: what follows them does not
// wait for the coroutine that waits.
TEST(co_spawn, beneath_a_chain_a_wait_runs_what_follows_other_coroutines) {
    regatta::dynamic_pool pool(1);
    constexpr int links = 100;
    int waits = 0;
    const auto waiting_link = [](regatta::dynamic_pool& on, regatta::future<int> before,
                                 int& count) -> co_task<int> {
        const int sum = co_await std::move(before);
        auto other = regatta::co_spawn(on, recursion(on, 1));
        on.wait(); // The tasks but this one.
        count += other.ready() ? 1 : 0;
        co_return sum + 1;
    };
    std::promise<void> begin;
    auto last = pool.submit([go = begin.get_future().share()] {
        go.wait();
        return 0;
    });
    for (int i = 0; i < links; ++i) {
        last = regatta::co_spawn(pool, waiting_link(pool, std::move(last), waits));
    }
    begin.set_value();
    EXPECT_EQ(last.get(), links);
    EXPECT_EQ(waits, links);
}

// The same where a plain task makes the future ready that the others wait for.
TEST(co_spawn, beneath_a_chain_a_wait_runs_what_follows_a_task) {
    for (const int deep : {0, 62, 63, 200}) {
        enum { by_pool, by_future, by_scope, by_full_pool };
        for (const auto runs : {by_pool, by_future, by_scope, by_full_pool}) {
            regatta::steady_pool pool(
                {.threads = 1, .capacity = 1, .when_full = regatta::overflow::run_here});
            queue_executor tasks;
            queue_executor others;
            std::promise<void> begin;
            const auto last = [&](future<int> before) -> co_task<int> {
                const int links = co_await std::move(before); // From here on on the pool's worker.
                auto first = regatta::co_spawn(others, link(tasks.submit([] { return 0; })));
                auto second = regatta::co_spawn(others, link(std::move(first)));
                while (others.run_one()) {
                } // Both wait.
                const auto run = [&] { tasks.run_one(); };
                if (runs == by_scope) {
                    regatta::task_scope scope(pool);
                    scope.spawn(run);
                    scope.wait();
                } else if (runs == by_full_pool) {
                    pool.execute([] {});
                    pool.execute(run);
                } else {
                    auto task = pool.submit(run);
                    runs == by_pool ? pool.wait() : task.get();
                }
                EXPECT_TRUE(second.ready()) << deep << " links";
                co_return links + (second.ready() ? second.get() : 0);
            };
            auto chain = pool.submit([go = begin.get_future().share()] {
                go.wait();
                return 0;
            });
            for (int i = 0; i < deep; ++i) {
                chain = regatta::co_spawn(others, link(std::move(chain)));
            }
            auto done = regatta::co_spawn(others, last(std::move(chain)));
            while (others.run_one()) {
            }
            begin.set_value();
            EXPECT_EQ(done.get(), deep + 2);
        }
    }
}

// "Starts a coroutine on an executor, and returns a future of its result."
TEST(co_spawn, gives_results_of_every_kind) {
    queue_executor executor(1);
    const auto worker = executor.submit([] { return std::this_thread::get_id(); }).get();
    const auto where = []() -> co_task<std::thread::id> { co_return std::this_thread::get_id(); };
    EXPECT_EQ(regatta::co_spawn(executor, where()).get(), worker);
    int there = 1;
    const auto reference = [](int& r) -> co_task<int&> { co_return r; };
    EXPECT_EQ(&regatta::co_spawn(executor, reference(there)).get(), &there);
    const auto owner = []() -> co_task<std::unique_ptr<int>> {
        co_return std::make_unique<int>(4);
    };
    EXPECT_EQ(*regatta::co_spawn(executor, owner()).get(), 4);
    std::string text = "moved";
    const auto moved = [](std::string& s) -> co_task<std::string&&> { co_return std::move(s); };
    EXPECT_EQ(regatta::co_spawn(executor, moved(text)).get(), "moved");
    const auto own = [](std::string s) -> co_task<std::string&&> { co_return std::move(s); };
    const std::string large(100, 'x');
    EXPECT_EQ(regatta::co_spawn(executor, own(large)).get(), large); // It lay in the frame.
    std::vector<std::string> notes;
    regatta::co_spawn(executor, note(notes, "ran")).get();
    EXPECT_EQ(notes, std::vector<std::string>{"ran"});
}

// "So several run at once": each waits for what the other one does.
TEST(co_spawn, runs_several_at_once) {
    queue_executor executor(1);
    std::optional<regatta::detail::future_job> first_job;
    std::optional<regatta::detail::future_job> second_job;
    auto [first, one] = regatta::make_future_task(executor.blocks(), {}, [] { return 1; });
    auto [second, two] = regatta::make_future_task(executor.blocks(), {}, [] { return 2; });
    first_job.emplace(std::move(one));
    second_job.emplace(std::move(two));
    const auto end_and_await = [](std::optional<regatta::detail::future_job>& end,
                                  future<int> awaited) -> co_task<int> {
        (*std::exchange(end, std::nullopt))();
        co_return co_await std::move(awaited);
    };
    const auto both = [&](queue_executor& e) -> co_task<int> {
        auto a = regatta::co_spawn(e, end_and_await(first_job, std::move(second)));
        auto b = regatta::co_spawn(e, end_and_await(second_job, std::move(first)));
        const int sum = co_await std::move(a);
        co_return sum + co_await std::move(b);
    };
    EXPECT_EQ(regatta::co_spawn(executor, both(executor)).get(), 3);
}

// "The future throws what the coroutine throws. It is cancelled if the executor refused or
// discarded the coroutine before its start."
TEST(co_spawn, passes_exceptions_and_refusals_to_the_future) {
    queue_executor executor(1);
    const auto fails = []() -> co_task<int> {
        throw std::runtime_error("inner");
        co_return 1;
    };
    EXPECT_THROW(regatta::co_spawn(executor, fails()).get(), std::runtime_error);
    EXPECT_EQ(regatta::co_spawn(executor, value(3)).then([](int i) { return 2 * i; }).get(), 6);
    EXPECT_THROW(static_cast<void>(regatta::co_spawn(executor, co_task<int>())), std::logic_error);
    const auto held = std::make_shared<int>(0);
    const auto holds = [](std::shared_ptr<int> p) -> co_task<int> { co_return *p; };
    full_executor full;
    auto refused = regatta::co_spawn(full, holds(held));
    EXPECT_TRUE(refused.ready());
    EXPECT_EQ(held.use_count(), 1); // "its frame with it"
    EXPECT_THROW(refused.get(), task_cancelled);
    future<int> discarded;
    {
        queue_executor unrun;
        discarded = regatta::co_spawn(unrun, holds(held));
    }
    bool continued = false;
    const auto after = std::move(discarded).then([&](int) { continued = true; });
    EXPECT_TRUE(after.ready());
    EXPECT_FALSE(continued);
    EXPECT_EQ(held.use_count(), 1);
}

// "Destroying the future at any time does not end the coroutine: its result is dropped."
TEST(co_spawn, goes_on_without_its_future) {
    queue_executor executor;
    const auto held = std::make_shared<int>(0);
    static_cast<void>(regatta::co_spawn(executor, counting(held)).valid());
    EXPECT_TRUE(executor.run_one());
    EXPECT_EQ(*held, 1);
    EXPECT_EQ(held.use_count(), 1);
}

// "`cancel` of the future before the coroutine's turn has come destroys it and its arguments at
// once: it never runs."
TEST(co_spawn, never_runs_once_it_was_cancelled) {
    queue_executor executor;
    const auto held = std::make_shared<int>(0);
    auto cancelled = regatta::co_spawn(executor, counting(held));
    auto continued = regatta::co_spawn(executor, counting(held));
    EXPECT_TRUE(cancelled.cancel());
    EXPECT_FALSE(cancelled.cancel());
    EXPECT_TRUE(cancelled.ready());
    EXPECT_EQ(held.use_count(), 2);
    EXPECT_THROW(cancelled.get(), task_cancelled);
    while (executor.run_one()) {
    }
    EXPECT_EQ(*held, 1) << "the other one has run";
    EXPECT_EQ(*continued.get(), 1);
    EXPECT_EQ(held.use_count(), 1);
}

// The same where the executor destroys the turn of one that was cancelled.
TEST(co_spawn, is_cancelled_once_where_its_executor_discards_it_too) {
    const auto held = std::make_shared<int>(0);
    future<std::shared_ptr<int>> cancelled;
    {
        queue_executor unrun;
        cancelled = regatta::co_spawn(unrun, counting(held));
        EXPECT_TRUE(cancelled.cancel());
    }
    EXPECT_THROW(cancelled.get(), task_cancelled);
    EXPECT_EQ(*held, 0);
    EXPECT_EQ(held.use_count(), 1);
}

// "Later `cancel` returns false": also while it waits for something else.
TEST(co_spawn, is_not_cancelled_once_it_has_begun) {
    queue_executor executor;
    const auto hops = [](queue_executor& e) -> co_task<int> {
        co_await schedule_on(e);
        co_return 7;
    };
    auto later = regatta::co_spawn(executor, hops(executor));
    EXPECT_TRUE(executor.run_one());
    EXPECT_FALSE(later.ready());
    EXPECT_FALSE(later.cancel());
    EXPECT_TRUE(executor.run_one());
    EXPECT_FALSE(later.cancel());
    EXPECT_EQ(later.get(), 7);
}

TEST(co_spawn, is_cancelled_or_runs_where_both_come_at_once) {
    regatta::steady_pool pool(2);
    const regatta::strand serial(pool);
    for (int i = 0; i < library_test::rounds(5000); ++i) {
        const auto held = std::make_shared<int>(0);
        auto later = i % 2 == 0 ? regatta::co_spawn(pool, counting(held))
                                : regatta::co_spawn(serial, counting(held));
        const bool cancelled = later.cancel();
        later.wait();
        ASSERT_EQ(held.use_count(), cancelled ? 1 : 2);
        ASSERT_EQ(*held, cancelled ? 0 : 1);
    }
}

// "The future is ready when the coroutine has ended, and its frame with it": by then nothing of it
// is used any more, whoever ends it.
TEST(co_spawn, ends_with_its_future_on_any_thread) {
    queue_executor executor(2);
    const auto hop = [](queue_executor& e, std::shared_ptr<int> p) -> co_task<int> {
        co_await schedule_on(e);
        co_return *p;
    };
    for (int i = 0; i < 2000; ++i) {
        const auto held = std::make_shared<int>(i);
        auto later = regatta::co_spawn(executor, hop(executor, held));
        if (i % 3 == 0) {
            later.cancel();
            continue;
        }
        ASSERT_EQ(later.get(), i);
        ASSERT_EQ(held.use_count(), 1);
    }
}

TEST(future_group, awaited_gives_all_results_in_order) {
    queue_executor executor;
    const auto sum = [](regatta::future_group<std::unique_ptr<int>> parts) -> co_task<int> {
        int all = 0;
        for (const auto& part : co_await std::move(parts)) {
            all = 10 * all + *part;
        }
        co_return all;
    };
    const auto owned = [](int v) -> co_task<std::unique_ptr<int>> {
        co_return std::make_unique<int>(v);
    };
    regatta::future_group<std::unique_ptr<int>> parts;
    for (int i = 1; i <= 3; ++i) {
        parts.push(regatta::co_spawn(executor, owned(i)));
    }
    auto total = regatta::co_spawn(executor, sum(std::move(parts)));
    EXPECT_FALSE(total.ready());
    while (executor.run_one()) {
    }
    ASSERT_TRUE(total.ready());
    EXPECT_EQ(total.get(), 123);
    EXPECT_EQ(sync_wait(sum({})), 0);
}

TEST(future_group, awaited_gives_references_and_nothing) {
    queue_executor executor;
    int x = 1;
    const auto refer = [](int& to) -> co_task<int&> { co_return to; };
    const auto count = [](std::atomic<int>& runs) -> co_task<> {
        ++runs;
        co_return;
    };
    std::atomic<int> runs{0};
    regatta::future_group<int&> references;
    regatta::future_group<void> nothing;
    for (int i = 0; i < 3; ++i) {
        references.push(regatta::co_spawn(executor, refer(x)));
        nothing.push(regatta::co_spawn(executor, count(runs)));
    }
    const auto both = [](regatta::future_group<int&> r, regatta::future_group<void> n,
                         std::atomic<int>& ran) -> co_task<int> {
        const auto all = co_await std::move(r);
        ++all.back().get();
        co_await std::move(n);
        co_return ran.load();
    };
    while (executor.run_one()) {
    }
    EXPECT_EQ(sync_wait(both(std::move(references), std::move(nothing), runs)), 3);
    EXPECT_EQ(x, 2);
}

// "throws the exception of the first in order that failed", once every task has ended.
TEST(future_group, awaited_ends_all_before_it_throws) {
    queue_executor executor;
    const auto fail = [](std::string with) -> co_task<int> {
        throw std::runtime_error(with);
        co_return 0;
    };
    const auto all = [](regatta::future_group<int> g) -> co_task<std::string> {
        try {
            co_await std::move(g);
        } catch (const std::runtime_error& error) {
            co_return error.what();
        }
        co_return "nothing";
    };
    regatta::future_group<int> group;
    group.push(regatta::co_spawn(executor, value(1)));
    group.push(regatta::co_spawn(executor, fail("second")));
    group.push(regatta::co_spawn(executor, fail("third")));
    group.push(regatta::co_spawn(executor, value(4)));
    auto told = regatta::co_spawn(executor, all(std::move(group)));
    for (int i = 0; i < 3; ++i) {
        EXPECT_TRUE(executor.run_one());
    }
    EXPECT_FALSE(told.ready()) << "the last task has not run";
    while (executor.run_one()) {
    }
    ASSERT_TRUE(told.ready());
    EXPECT_EQ(told.get(), "second");

    regatta::future_group<int> taken;
    taken.push(regatta::co_spawn(executor, value(1)));
    const regatta::future<int> out = std::move(taken[0]);
    const auto awaits = [](regatta::future_group<int> g) -> co_task<bool> {
        try {
            co_await std::move(g);
        } catch (const std::logic_error&) {
            co_return true;
        }
        co_return false;
    };
    EXPECT_TRUE(sync_wait(awaits(std::move(taken))));
}

TEST(future_group, awaited_by_many_on_any_thread) {
    queue_executor executor(2);
    const auto sum = [](regatta::future_group<int> parts) -> co_task<int> {
        int all = 0;
        for (const int part : co_await std::move(parts)) {
            all += part;
        }
        co_return all;
    };
    for (int round = 0; round < 300; ++round) {
        regatta::future_group<int> parts;
        for (int i = 0; i < 20; ++i) {
            parts.push(regatta::co_spawn(executor, value(i)));
        }
        ASSERT_EQ(regatta::co_spawn(executor, sum(std::move(parts))).get(), 190);
    }
}
