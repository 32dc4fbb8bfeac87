// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "coroutine_fakes.hpp"
#include "support/eventually.hpp"
#include "support/queue_executor.hpp"

#include <regatta/core/coroutine.hpp>
#include <regatta/core/pool_options.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <coroutine>
#include <cstddef>
#include <functional>
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

struct inline_executor {
    std::size_t calls = 0;
    template<class F>
    void execute(F&& f) {
        ++calls;
        f();
    }
};

co_task<std::thread::id> thread_of(queue_executor& executor) {
    co_await schedule_on(executor);
    co_return std::this_thread::get_id();
}

} // namespace

TEST(co_task, begins_when_it_is_awaited) {
    std::vector<std::string> notes;
    co_task<> task = note(notes, "begun");
    EXPECT_TRUE(task.valid());
    EXPECT_TRUE(notes.empty());
    sync_wait(std::move(task));
    EXPECT_EQ(notes, std::vector<std::string>{"begun"});
    static_cast<void>(note(notes, "never"));
    EXPECT_EQ(notes.size(), 1u);
}

TEST(co_task, returns_results_of_every_kind) {
    int there = 1;
    EXPECT_EQ(sync_wait(value(3)), 3);
    EXPECT_EQ(
        *sync_wait([]() -> co_task<std::unique_ptr<int>> { co_return std::make_unique<int>(4); }()),
        4);
    EXPECT_EQ(&sync_wait([](int& r) -> co_task<int&> { co_return r; }(there)), &there);
    EXPECT_EQ(sync_wait([]() -> co_task<std::string> { co_return "text"; }()), "text");
}

TEST(co_task, passes_exceptions_to_who_awaits) {
    const auto fails = []() -> co_task<int> {
        throw std::runtime_error("inner");
        co_return 1;
    };
    const auto catches = [](auto make) -> co_task<std::string> {
        try {
            co_await make();
        } catch (const std::runtime_error& e) {
            co_return e.what();
        }
        co_return "nothing";
    };
    EXPECT_EQ(sync_wait(catches(fails)), "inner");
    EXPECT_THROW(sync_wait(fails()), std::runtime_error);
    EXPECT_THROW(sync_wait([]() -> co_task<> {
                     throw 1;
                     co_return;
                 }()),
                 int);
}

TEST(co_task, is_awaited_once) {
    const auto twice = []() -> co_task<int> {
        co_task<int> inner = value(1);
        const int first = co_await std::move(inner);
        co_return first + co_await std::move(inner);
    };
    EXPECT_THROW(sync_wait(twice()), std::logic_error);
    EXPECT_THROW(sync_wait(co_task<int>()), std::logic_error);
}

TEST(schedule_on, continues_on_the_executor) {
    queue_executor executor(1);
    const auto worker = executor.submit([] { return std::this_thread::get_id(); }).get();
    EXPECT_EQ(sync_wait(thread_of(executor)), worker);
    const auto here_and_there = [](queue_executor& e) -> co_task<std::vector<std::thread::id>> {
        std::vector<std::thread::id> seen{std::this_thread::get_id()};
        seen.push_back(co_await thread_of(e));
        seen.push_back(std::this_thread::get_id());
        co_return seen;
    };
    const auto seen = sync_wait(here_and_there(executor));
    EXPECT_EQ(seen, (std::vector{std::this_thread::get_id(), worker, worker}));
}

TEST(schedule_on, throws_when_the_executor_refuses_or_discards) {
    full_executor full;
    const auto on_full = [](full_executor& e) -> co_task<> { co_await schedule_on(e); };
    EXPECT_THROW(sync_wait(on_full(full)), std::runtime_error); // What `execute` threw.

    queue_executor executor;
    std::thread waiting([&] { EXPECT_THROW(sync_wait(thread_of(executor)), task_cancelled); });
    library_test::await([&] { return executor.queued() != 0; });
    executor.stop();
    waiting.join();
}

// "A coroutine that tries again and again needs no deep stack."
TEST(schedule_on, refused_again_and_again_needs_no_deep_stack) {
    const auto insist = [](auto& executor) -> co_task<int> {
        int refused = 0;
        while (refused < 200'000) {
            try {
                co_await schedule_on(executor);
            } catch (const std::runtime_error&) {
                ++refused;
            }
        }
        co_return refused;
    };
    full_executor full;
    EXPECT_EQ(sync_wait(insist(full)), 200'000);
}

/// Keeps what it is given, and drops what it kept when it is given more.
struct forgetful_executor {
    std::optional<regatta::task> kept;
    std::atomic<int> given{0};
    template<class F>
    void execute(F&& f) {
        std::optional<regatta::task> dropped(std::exchange(kept, std::nullopt));
        kept.emplace(std::forward<F>(f));
        ++given;
    }
};

// A coroutine whose task is dropped while another one is handed over continues at once, and the
// other one stays suspended.
TEST(schedule_on, throws_when_the_executor_drops_it_for_another) {
    forgetful_executor executor;
    int cancelled = 0;
    const auto wait = [&](forgetful_executor& e) -> co_task<> {
        try {
            co_await schedule_on(e);
        } catch (const task_cancelled&) {
            ++cancelled;
        }
    };
    std::thread first([&] { sync_wait(wait(executor)); });
    library_test::await([&] { return executor.given == 1; });
    std::thread second([&] { sync_wait(wait(executor)); });
    first.join(); // Only once the second one was handed over.
    EXPECT_EQ(cancelled, 1);
    EXPECT_TRUE(executor.kept.has_value());
    (*std::exchange(executor.kept, std::nullopt))();
    second.join();
    EXPECT_EQ(cancelled, 1);
}

TEST(co_await_future, goes_on_with_the_result) {
    queue_executor executor(1);
    const auto get = [](future<int> f) -> co_task<int> { co_return co_await std::move(f); };
    for (int i = 0; i < 1000; ++i) {
        EXPECT_EQ(sync_wait(get(executor.submit([i] { return i; }))), i);
    }
    EXPECT_THROW(sync_wait(get(executor.submit([]() -> int { throw 1; }))), int);
    auto done = executor.submit([] { return 5; });
    done.wait();
    EXPECT_EQ(sync_wait(get(std::move(done))), 5);
    const auto wait = [](future<void> f) -> co_task<> { co_await std::move(f); };
    sync_wait(wait(executor.submit([] {})));
    future<int> cancelled;
    {
        queue_executor unrun;
        cancelled = unrun.submit([] { return 1; });
    }
    EXPECT_THROW(sync_wait(get(std::move(cancelled))), task_cancelled);
    executor.stop();
    EXPECT_EQ(executor.blocks().taken(), 0u);
}

// "A loop needs no deep stack": also if each task ends while the coroutine suspends.
TEST(co_await_future, needs_no_deep_stack_where_tasks_end_during_the_suspension) {
    regatta::detail::block_cache blocks;
    struct ending_late {
        regatta::detail::future_job job;
        regatta::future_awaiter<int> inner;

        bool await_ready() {
            const bool ready = inner.await_ready();
            job();
            return ready;
        }
        bool await_suspend(std::coroutine_handle<> coroutine) {
            return inner.await_suspend(coroutine);
        }
        int await_resume() { return inner.await_resume(); }
    };
    constexpr int times = 100'000;
    const auto loop = [](regatta::detail::block_cache& from) -> co_task<int> {
        int sum = 0;
        for (int i = 0; i < times; ++i) {
            auto [f, job] = regatta::make_future_task(from, {}, [] { return 1; });
            ending_late awaited{std::move(job), regatta::future_awaiter<int>(std::move(f))};
            sum += co_await std::move(awaited);
        }
        co_return sum;
    };
    EXPECT_EQ(sync_wait(loop(blocks)), times);
    EXPECT_EQ(blocks.taken(), 0u);
}

TEST(schedule_on, needs_no_deep_stack_where_the_executor_runs_its_task_at_once) {
    inline_executor executor;
    constexpr int times = 300'000;
    const auto loop = [](inline_executor& e) -> co_task<int> {
        int i = 0;
        for (; i < times; ++i) {
            co_await schedule_on(e);
        }
        co_return i;
    };
    EXPECT_EQ(sync_wait(loop(executor)), times);
    EXPECT_EQ(executor.calls, static_cast<std::size_t>(times));
}

TEST(co_task, returns_what_braces_make) {
    const auto make = []() -> co_task<std::pair<int, std::string>> { co_return {1, "one"}; };
    EXPECT_EQ(sync_wait(make()), (std::pair<int, std::string>(1, "one")));
}

TEST(co_task, returns_references_to_what_stays) {
    std::string text = "stays";
    const auto plain = [](std::string& s) -> co_task<const std::string&> { co_return s; };
    EXPECT_EQ(&sync_wait(plain(text)), &text);
    const auto wrapped = [](std::string& s) -> co_task<std::string&> { co_return std::ref(s); };
    EXPECT_EQ(&sync_wait(wrapped(text)), &text);
    const auto moved = [](std::string& s) -> co_task<std::string&&> { co_return std::move(s); };
    EXPECT_EQ(std::string(sync_wait(moved(text))), "stays");
}

TEST(co_task, keeps_its_coroutine_when_it_is_assigned_to_itself) {
    const auto one = []() -> co_task<int> { co_return 1; };
    co_task<int> task = one();
    co_task<int>& same = task;
    task = std::move(same);
    EXPECT_EQ(sync_wait(std::move(task)), 1);
}
