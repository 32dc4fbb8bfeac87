// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// What `within` promises; each test quotes the sentence that it checks.

#include "support/eventually.hpp"

#include <regatta/core/coroutine.hpp>
#include <regatta/core/promise.hpp>
#include <regatta/pool/steady_pool.hpp>
#include <regatta/time/within.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

namespace {

using namespace std::chrono_literals;
using library_test::eventually;
using regatta::future;
using regatta::promise;
using regatta::timer_scheduler;
using regatta::within;

template<class R>
std::errc error_of(future<R>& f) {
    try {
        f.get();
    } catch (const std::system_error& e) {
        return static_cast<std::errc>(e.code().value());
    }
    return std::errc{};
}

} // namespace

// "The same future, with a time limit".
TEST(within, gives_what_comes_in_time) {
    timer_scheduler timers;
    promise<std::unique_ptr<int>> made;
    auto later = within(timers, 1h, made.get_future());
    EXPECT_FALSE(later.ready());
    EXPECT_EQ(timers.stats().pending, 1u);
    made.set_value(std::make_unique<int>(4));
    EXPECT_EQ(*later.get(), 4);
    EXPECT_EQ(timers.stats().pending, 0u) << "the timer is still there";

    promise<void> event;
    auto happens = within(timers, 1h, event.get_future());
    event.set_value();
    EXPECT_NO_THROW(happens.get());
    int there = 1;
    promise<int&> place;
    auto where = within(timers, 1h, place.get_future());
    place.set_value(there);
    EXPECT_EQ(&where.get(), &there);
}

TEST(within, fails_and_is_cancelled_as_the_future) {
    timer_scheduler timers;
    promise<int> failing;
    auto fails = within(timers, 1h, failing.get_future());
    failing.set_exception(std::make_exception_ptr(std::runtime_error("no")));
    EXPECT_THROW(fails.get(), std::runtime_error);
    std::optional<promise<int>> dropped(std::in_place);
    auto never = within(timers, 1h, dropped->get_future());
    dropped.reset();
    EXPECT_TRUE(never.cancelled());
    EXPECT_EQ(timers.stats().pending, 0u);
}

// "If it is not ready by then, the one that this returns throws"; "At the limit stop is requested
// of `late`"; "What the future brings later is dropped."
TEST(within, ends_at_the_limit) {
    timer_scheduler timers;
    promise<std::string> made;
    std::stop_source late;
    auto later = within(timers, 1ms, made.get_future(), late);
    ASSERT_TRUE(later.wait_for(30s));
    EXPECT_FALSE(later.cancelled());
    EXPECT_EQ(error_of(later), std::errc::timed_out);
    EXPECT_TRUE(late.stop_requested());
    made.set_value("too late");
    auto at_once = within(timers, -1s, promise<int>().get_future());
    EXPECT_TRUE(at_once.wait_for(30s));
}

// "A task that was submitted with a token of it and has not begun never runs".
TEST(within, calls_off_the_task) {
    timer_scheduler timers;
    regatta::steady_pool pool(1);
    pool.pause();
    bool ran = false;
    std::stop_source late;
    auto result = pool.submit(late.get_token(), [&] { ran = true; });
    auto limited = within(timers, 1ms, std::move(result), late);
    EXPECT_EQ(error_of(limited), std::errc::timed_out);
    pool.resume();
    pool.wait();
    EXPECT_FALSE(ran);
}

// "Of a future that is ready nothing": it comes back.
TEST(within, takes_a_future_that_is_ready) {
    timer_scheduler timers;
    promise<int> made;
    auto result = made.get_future();
    made.set_value(3);
    EXPECT_EQ(within(timers, 0s, std::move(result)).get(), 3);
    EXPECT_EQ(timers.stats().scheduled, 0u);
}

// "An invalid future throws `std::logic_error`, a closed scheduler `task_rejected`".
TEST(within, refuses) {
    timer_scheduler timers;
    EXPECT_THROW(static_cast<void>(within(timers, 1s, future<int>())), std::logic_error);
    timers.close();
    promise<int> made;
    auto result = made.get_future();
    EXPECT_THROW(static_cast<void>(within(timers, 1s, std::move(result))), regatta::task_rejected);
    made.set_value(1);
    EXPECT_EQ(result.get(), 1) << "the future is as it was";
}

// "The scheduler may end before the future: then there is no limit any more."
TEST(within, outlives_the_scheduler) {
    std::optional<timer_scheduler> timers(std::in_place);
    promise<int> made;
    auto later = within(*timers, 1h, made.get_future());
    timers.reset();
    EXPECT_FALSE(later.ready());
    made.set_value(5);
    EXPECT_EQ(later.get(), 5);
}

TEST(within, a_coroutine_awaits_it) {
    timer_scheduler timers;
    promise<int> slow;
    const auto answer = [](future<int> result) -> regatta::co_task<std::string> {
        try {
            co_return std::to_string(co_await std::move(result));
        } catch (const std::system_error& e) {
            co_return e.code() == std::errc::timed_out ? "too late" : "failed";
        }
    };
    EXPECT_EQ(regatta::sync_wait(answer(within(timers, 1ms, slow.get_future()))), "too late");
}

// The two ends meet.
TEST(within, settles_once_where_both_ends_come_together) {
    timer_scheduler timers;
    int in_time = 0;
    for (int i = 0; i < 500; ++i) {
        promise<int> made;
        auto later = within(timers, std::chrono::microseconds(50), made.get_future());
        std::thread other([&made, i] {
            const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(i % 100);
            while (std::chrono::steady_clock::now() < end) {
            }
            made.set_value(i);
        });
        ASSERT_TRUE(later.wait_for(30s));
        try {
            EXPECT_EQ(later.get(), i);
            ++in_time;
        } catch (const std::system_error& e) {
            EXPECT_EQ(e.code(), std::errc::timed_out);
        }
        other.join();
    }
    std::printf("%d of 500 in time\n", in_time);
    eventually("the timers' end", [&] { return timers.stats().pending == 0; });
}
