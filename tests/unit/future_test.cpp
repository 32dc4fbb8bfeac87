// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "support/meeting.hpp"
#include "support/queue_executor.hpp"

#include <regatta/core/future.hpp>
#include <regatta/core/future_group.hpp>
#include <regatta/core/std_future.hpp>

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <future>
#include <limits>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace {

using library_test::queue_executor;
using regatta::future;
using regatta::task_cancelled;
using namespace std::chrono_literals;

/// Not to be had without a value.
struct stubborn {
    explicit stubborn(int v) : value(v) {}
    stubborn(stubborn&&) = default;
    int value;
};

template<class F>
std::error_code error_of(F&& f) {
    try {
        f();
    } catch (const std::system_error& e) {
        return e.code();
    }
    return {};
}

} // namespace

TEST(future, gives_what_the_task_returns) {
    queue_executor executor(1);
    std::string there = "there";
    EXPECT_EQ(executor.submit([] { return 42; }).get(), 42);
    EXPECT_EQ(*executor.submit([] { return std::make_unique<int>(7); }).get(), 7);
    EXPECT_EQ(executor.submit([] { return stubborn(3); }).get().value, 3);
    EXPECT_EQ(&executor.submit([&]() -> std::string& { return there; }).get(), &there);
    static_assert(std::is_same_v<
                  decltype(executor.submit([&]() -> const std::string& { return there; }).get()),
                  const std::string&>);
    bool ran = false;
    executor.submit([&] { ran = true; }).get();
    EXPECT_TRUE(ran);
    EXPECT_EQ(executor.submit([p = std::make_unique<int>(5)] { return *p; }).get(), 5);
}

// "One that is const or an rvalue reference … is kept by value": what it names may end with the
// task.
TEST(future, keeps_what_ends_with_the_task) {
    struct record {
        std::string name = std::string(100, 'n');
    };
    queue_executor executor(1);
    auto member =
        executor.submit([r = record()]() mutable -> std::string&& { return std::move(r.name); });
    static_assert(std::is_same_v<decltype(member), future<std::string>>);
    EXPECT_EQ(member.get(), std::string(100, 'n'));
    auto continued = executor.submit([] { return record(); }).then([](record&& r) -> std::string&& {
        return std::move(r.name);
    });
    EXPECT_EQ(continued.get(), std::string(100, 'n'));
    auto constant = executor.submit([]() -> const record { return {}; });
    static_assert(std::is_same_v<decltype(constant), future<record>>);
    regatta::future_group<record> group; // Its list has no const elements.
    group.push(std::move(constant));
    EXPECT_EQ(group.get().front().name, std::string(100, 'n'));
}

TEST(future, throws_what_the_task_throws) {
    queue_executor executor(1);
    auto number = executor.submit([]() -> int { throw 5; });
    EXPECT_THROW(number.get(), int);
    EXPECT_FALSE(number.valid());
    auto reference = executor.submit([]() -> int& { throw std::runtime_error("no"); });
    EXPECT_THROW(reference.get(), std::runtime_error);
    auto nothing = executor.submit([] { throw std::string("text"); });
    EXPECT_THROW(nothing.get(), std::string);
}

TEST(future, knows_when_it_is_ready_and_when_it_is_valid) {
    queue_executor executor;
    future<int> none;
    EXPECT_FALSE(none.valid());
    EXPECT_THROW(none.get(), std::logic_error);
    EXPECT_THROW(none.wait(), std::logic_error);
    EXPECT_THROW(static_cast<void>(none.ready()), std::logic_error);
    EXPECT_THROW(none.cancel(), std::logic_error);
    EXPECT_THROW(static_cast<void>(none.then([](int) {})), std::logic_error);

    auto f = executor.submit([] { return 1; });
    EXPECT_TRUE(f.valid());
    EXPECT_FALSE(f.ready());
    none = std::move(f);
    EXPECT_FALSE(f.valid());
    EXPECT_TRUE(executor.run_one());
    EXPECT_TRUE(none.ready());
    EXPECT_EQ(none.get(), 1);
    EXPECT_FALSE(none.valid());
}

// "Waits for at most that long."
TEST(future, waits_no_longer_than_told) {
    queue_executor executor;
    const auto f = executor.submit([] {});
    EXPECT_FALSE(f.wait_for(0s));
    EXPECT_FALSE(f.wait_for(-1h));
    EXPECT_FALSE(f.wait_for(1ms));
    EXPECT_FALSE(f.wait_for(std::chrono::duration<double, std::milli>(0.5)));
    EXPECT_FALSE(f.wait_until(std::chrono::steady_clock::now() + 1ms));
    EXPECT_FALSE(f.wait_until(std::chrono::system_clock::now() + 1ms));
    EXPECT_FALSE(f.wait_until(std::chrono::steady_clock::time_point::min()));
    std::thread runner([&] { executor.run_one(); });
    EXPECT_TRUE(f.wait_for(std::chrono::hours::max()));
    runner.join();
    EXPECT_TRUE(f.wait_for(0s));
    EXPECT_TRUE(f.wait_until(std::chrono::system_clock::now() - 1h));
}

// "Waits for at most that long", "Waits until that time at the latest, on any clock": up to the
// ends of what can be said.
TEST(future, waits_for_any_time_that_can_be_said) {
    using steady = std::chrono::steady_clock;
    using system = std::chrono::system_clock;
    using steady_hours = std::chrono::time_point<steady, std::chrono::hours>;
    using system_hours = std::chrono::time_point<system, std::chrono::hours>;
    using seconds = std::chrono::duration<double>;
    queue_executor executor;
    const auto f = executor.submit([] {});
    EXPECT_FALSE(f.wait_for(std::chrono::hours::min()));
    EXPECT_FALSE(f.wait_for(std::chrono::nanoseconds::min()));
    EXPECT_FALSE(f.wait_for(seconds(-1e300)));
    EXPECT_FALSE(f.wait_until(steady_hours::min()));
    EXPECT_FALSE(f.wait_until(system::time_point::min()));
    EXPECT_FALSE(f.wait_until(system_hours::min()));
    std::vector<std::thread> waiters;
    const auto wait = [&](auto&& how) { waiters.emplace_back([=] { EXPECT_TRUE(how()); }); };
    wait([&] { return f.wait_for(std::chrono::nanoseconds::max()); });
    wait([&] { return f.wait_for(std::chrono::years(250)); });
    wait([&] { return f.wait_for(seconds(std::numeric_limits<double>::infinity())); });
    wait([&] { return f.wait_for(seconds(std::numeric_limits<double>::quiet_NaN())); });
    wait([&] { return f.wait_until(steady::time_point::max()); });
    wait([&] { return f.wait_until(steady_hours::max()); });
    wait([&] { return f.wait_until(system::time_point::max()); });
    wait([&] { return f.wait_until(system_hours::max()); });
    executor.run_one();
    for (auto& waiter : waiters) {
        waiter.join();
    }
}

TEST(future, destroys_the_closure_before_it_is_ready) {
    queue_executor executor(1);
    for (int i = 0; i < 1000; ++i) {
        auto held = std::make_shared<int>(i);
        auto f = executor.submit([held] { return *held; });
        f.wait();
        EXPECT_EQ(held.use_count(), 1);
        EXPECT_EQ(f.get(), i);
    }
}

TEST(future, dropped_does_not_cancel) {
    queue_executor executor;
    bool ran = false;
    static_cast<void>(executor.submit([&] { ran = true; }));
    EXPECT_TRUE(executor.run_one());
    EXPECT_TRUE(ran);
    EXPECT_EQ(executor.blocks().taken(), 0u);
}

TEST(future, cancels_what_has_not_started) {
    queue_executor executor;
    auto held = std::make_shared<int>(0);
    auto f = executor.submit([held] { ++*held; });
    EXPECT_TRUE(f.cancel());
    EXPECT_EQ(held.use_count(), 1) << "the closure is destroyed";
    EXPECT_FALSE(f.cancel());
    EXPECT_TRUE(f.ready());
    EXPECT_EQ(error_of([&] { f.get(); }), std::errc::operation_canceled);
    EXPECT_TRUE(executor.run_one());
    EXPECT_EQ(*held, 0);

    auto late = executor.submit([] { return 1; });
    executor.run_one();
    EXPECT_FALSE(late.cancel());
    EXPECT_EQ(late.get(), 1);
    EXPECT_EQ(executor.blocks().taken(), 0u);
}

TEST(future, is_cancelled_when_the_job_is_destroyed_unrun) {
    future<int> f;
    auto held = std::make_shared<int>(0);
    {
        queue_executor executor;
        f = executor.submit([held] { return *held; });
    }
    EXPECT_EQ(held.use_count(), 1);
    EXPECT_TRUE(f.ready()) << "it outlives its executor and the blocks' owner";
    EXPECT_TRUE(f.cancelled());
    EXPECT_THROW(f.get(), task_cancelled);
}

TEST(future_job, tells_whether_the_task_ran) {
    regatta::detail::block_cache blocks;
    auto [ran, first] = regatta::make_future_task(blocks, {}, [] {});
    EXPECT_TRUE(first());
    auto [cancelled, second] = regatta::make_future_task(blocks, {}, [] {});
    cancelled.cancel();
    EXPECT_FALSE(second());
    std::stop_source source;
    auto [stopped, third] = regatta::make_future_task(blocks, source.get_token(), [] {});
    source.request_stop();
    EXPECT_FALSE(third());
    EXPECT_TRUE(stopped.cancelled());
    EXPECT_THROW(stopped.get(), task_cancelled);
    auto [failed, fourth] = regatta::make_future_task(blocks, {}, [] { throw 1; });
    EXPECT_FALSE(failed.cancelled());
    EXPECT_TRUE(fourth());
    EXPECT_FALSE(failed.cancelled());
    static_assert(sizeof(regatta::detail::future_job) == sizeof(void*));
}

TEST(future, gives_the_closure_its_stop_token) {
    queue_executor executor;
    std::stop_source source;
    auto f = executor.submit(
        [&](std::stop_token token) {
            source.request_stop();
            return token.stop_requested();
        },
        source.get_token());
    executor.run_one();
    EXPECT_TRUE(f.get());
    auto without = executor.submit([](std::stop_token token) { return token.stop_possible(); });
    executor.run_one();
    EXPECT_FALSE(without.get());
}

TEST(future, takes_closures_of_every_size_and_alignment) {
    queue_executor executor(1);
    struct alignas(256) wide {
        int value = 9;
    };
    EXPECT_EQ(executor.submit([a = std::array<char, 240>{1}] { return a[0] + 0; }).get(), 1);
    EXPECT_EQ(executor.submit([a = std::array<char, 5000>{2}] { return a[0] + 0; }).get(), 2);
    EXPECT_EQ(executor.submit([w = wide()] { return w.value; }).get(), 9);
    EXPECT_EQ(executor.submit([] { return wide(); }).get().value, 9);
}

TEST(future, gives_its_block_back_when_the_closure_cannot_be_moved) {
    struct throws_on_copy {
        throws_on_copy() = default;
        throws_on_copy(const throws_on_copy&) { throw 1; }
        void operator()() const {}
    };
    regatta::detail::block_cache blocks;
    const throws_on_copy closure;
    EXPECT_THROW(static_cast<void>(regatta::make_future_task(blocks, {}, closure)), int);
    EXPECT_EQ(blocks.taken(), 0u);
}

// "Converts to a `std::future`, which throws the same."
TEST(future, becomes_a_std_future) {
    queue_executor executor;
    std::future<int> value(executor.submit([] { return 4; }));
    std::future<void> error(executor.submit([] { throw 5; }));
    auto ours = executor.submit([]() -> int& { throw 5; });
    executor.run_one();
    EXPECT_EQ(value.get(), 4);
    EXPECT_EQ(error.wait_for(0s), std::future_status::timeout);
    executor.run_one();
    EXPECT_THROW(error.get(), int);
    ours.cancel();
    std::future<int&> cancelled(std::move(ours));
    EXPECT_THROW(cancelled.get(), task_cancelled);
    executor.run_one();
    EXPECT_EQ(executor.blocks().taken(), 0u);
}

TEST(future_then, continues_with_the_result) {
    queue_executor executor;
    auto number = executor.submit([] { return 20; })
                      .then([](int i) { return i + 1; })
                      .then([](int i) { return std::make_unique<int>(2 * i); })
                      .then([](std::unique_ptr<int> p) { return std::to_string(*p); });
    bool after = false;
    auto nothing = executor.submit([] {}).then([&] { after = true; });
    EXPECT_FALSE(number.ready());
    executor.run_one();
    EXPECT_TRUE(number.ready());
    EXPECT_EQ(number.get(), "42");
    executor.run_one();
    nothing.get();
    EXPECT_TRUE(after);
    EXPECT_EQ(executor.blocks().taken(), 0u);
}

TEST(future_then, runs_at_once_when_the_task_is_complete) {
    queue_executor executor;
    auto f = executor.submit([] { return 1; });
    executor.run_one();
    const auto here = std::this_thread::get_id();
    EXPECT_EQ(f.then([](int) { return std::this_thread::get_id(); }).get(), here);
}

TEST(future_then, passes_errors_and_cancellation_on) {
    queue_executor executor;
    bool called = false;
    auto failed = executor.submit([]() -> int { throw 5; }).then([&](int) { called = true; });
    auto later = executor.submit([] { return 1; }).then([](int) -> int { throw 6; });
    executor.run_one();
    executor.run_one();
    EXPECT_THROW(failed.get(), int);
    EXPECT_THROW(later.get(), int);
    EXPECT_FALSE(called);
    future<void> dropped;
    {
        queue_executor unrun;
        dropped = unrun.submit([] {}).then([] {}).then([] {});
    }
    EXPECT_THROW(dropped.get(), task_cancelled);
}

// "Cancelling a continuation does not cancel the task that it continues."
TEST(future_then, can_be_cancelled_alone) {
    queue_executor executor;
    bool task = false;
    bool continuation = false;
    auto f = executor.submit([&] { task = true; }).then([&] { continuation = true; });
    auto last = f.then([&] { continuation = true; });
    EXPECT_TRUE(last.cancel());
    executor.run_one();
    EXPECT_TRUE(task);
    EXPECT_TRUE(continuation);
    continuation = false;
    auto g = executor.submit([&] {}).then([&] { continuation = true; });
    EXPECT_TRUE(g.cancel());
    executor.run_one();
    EXPECT_FALSE(continuation);
    EXPECT_THROW(last.get(), task_cancelled);
    EXPECT_THROW(g.get(), task_cancelled);
    EXPECT_EQ(executor.blocks().taken(), 0u);
}

TEST(future_then, runs_on_another_executor) {
    queue_executor first;
    queue_executor second;
    auto f = first.submit([] { return 1; }).then(second, [](int i) { return i + 1; });
    first.run_one();
    EXPECT_FALSE(f.ready());
    EXPECT_EQ(second.queued(), 1u);
    second.run_one();
    EXPECT_EQ(f.get(), 2);
}

TEST(future_then, is_cancelled_when_the_executor_refuses) {
    struct full_executor {
        void execute(regatta::detail::future_job) { throw std::runtime_error("full"); }
    } full;
    queue_executor executor;
    auto f = executor.submit([] { return 1; }).then(full, [](int i) { return i + 1; });
    executor.run_one();
    EXPECT_THROW(f.get(), task_cancelled);
}

TEST(future, takes_a_const_result) {
    queue_executor executor(1);
    EXPECT_EQ(executor.submit([]() -> const std::string { return "text"; }).get(), "text");
}

TEST(future_then, chains_need_no_deep_stack) {
    queue_executor executor(1);
    library_test::latch go(1);
    auto f = executor.submit([&] {
        go.wait();
        return 0;
    });
    constexpr int links = 100000;
    for (int i = 0; i < links; ++i) {
        f = f.then([](int n) { return n + 1; });
    }
    go.count_down();
    EXPECT_EQ(f.get(), links);
    f = executor.submit([&] { return 0; });
    for (int i = 0; i < links; ++i) {
        f = f.then([](int n) { return n + 1; });
    }
    EXPECT_EQ(f.get(), links);
}

// "A chain of any length needs no deep stack": also one that its executor refuses link by link.
TEST(future_then, chains_that_are_refused_need_no_deep_stack) {
    struct full_executor {
        void execute(regatta::detail::future_job) { throw std::runtime_error("full"); }
    } full;
    queue_executor executor(1);
    library_test::latch go(1);
    auto f = executor.submit([&] {
        go.wait();
        return 0;
    });
    for (int i = 0; i < 100000; ++i) {
        f = f.then(full, [](int n) { return n + 1; });
    }
    go.count_down();
    EXPECT_THROW(f.get(), task_cancelled);
}
