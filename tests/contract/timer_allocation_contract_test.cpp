// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// "Closures of up to 48 bytes are stored inline, and places are reused: the steady state allocates
// nothing.": counted by an operator new of this program's own.

#include "counting_new.hpp"
#include "support/threads.hpp"

#include <regatta/base/config.hpp>
#include <regatta/base/inline_task.hpp>
#include <regatta/core/promise.hpp>
#include <regatta/time/timer_scheduler.hpp>
#include <regatta/time/within.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <new>
#include <stop_token>
#include <utility>

namespace {

using namespace std::chrono_literals;
using library_test::allocations;
using library_test::allocations_left;
using library_test::await;
using regatta::timer_id;
using regatta::timer_scheduler;

/// An executor that runs at once what it gets.
struct at_once {
    template<class F>
    void execute(F&& f) {
        regatta::inline_task<void()> task(std::forward<F>(f));
        task();
    }
};

/// Schedules, cancels and lets run as many timers as there is room for, without an allocation.
void use(timer_scheduler& timers, int count) {
    std::array<timer_id, 100> ids{};
    std::atomic<int> run{0};
    std::atomic<int> once{0};
    std::array<char, 32> payload{};
    for (int i = 0; i < count; ++i) {
        const timer_id periodic = timers.every(1us, [&run, payload](timer_id mine) {
            static_cast<void>(mine);
            static_cast<void>(payload);
            ++run;
        });
        for (auto& id : ids) {
            id = timers.after(1h, [payload] { static_cast<void>(payload); });
        }
        const int before = run.load();
        timers.after(0s, [&once] { ++once; });
        // The periodic one may come often before the other is scheduled, which must not be left.
        await([&] { return once.load() == i + 1 && run.load() >= before + 2; });
        timers.cancel_and_wait(periodic);
        for (const auto id : ids) {
            timers.cancel(id);
        }
    }
}

} // namespace

TEST(timer_allocation, is_none_in_the_steady_state) {
    at_once executor;
    timer_scheduler own;
    timer_scheduler elsewhere{executor};
    for (timer_scheduler* timers : {&own, &elsewhere}) {
        for (int warm_up = 0; warm_up < 20; ++warm_up) {
            use(*timers, 1);
        }
        const long before = allocations.load();
        use(*timers, 100);
        EXPECT_EQ(allocations.load() - before, 0);
    }
}

TEST(timer_allocation, is_one_for_a_large_closure) {
    timer_scheduler timers;
    const std::array<char, 100> large{};
    const auto schedule = [&] { return timers.after(1h, [large] { static_cast<void>(large); }); };
    timers.cancel(schedule());
    const long before = allocations.load();
    timers.cancel(schedule());
    EXPECT_EQ(allocations.load() - before, 1);
}

#if REGATTA_EXCEPTIONS
// `within`: "the future is as it was then", also where the limit has passed by then.
TEST(timer_allocation, that_fails_in_within_leaves_the_future_as_it_was) {
    bool done = false;
    for (long left = 0; !done; ++left) {
        ASSERT_LT(left, 100);
        std::stop_source late;
        regatta::promise<int> made;
        auto result = made.get_future();
        {
            timer_scheduler timers;
            static std::stop_source* seen = nullptr;
            seen = &late;
            library_test::before_failing = [] { // A limit that has been set has time to pass.
                const auto end = std::chrono::steady_clock::now() + 20ms;
                while (!seen->stop_requested() && std::chrono::steady_clock::now() < end) {
                }
            };
            allocations_left = left;
            try {
                auto limited = regatta::within(timers, -1s, std::move(result), late);
                allocations_left = -1;
                library_test::before_failing = nullptr;
                done = true;
            } catch (const std::bad_alloc&) {
                allocations_left = -1;
            }
        } // What it has accepted has run, or never will.
        if (!done) {
            EXPECT_FALSE(late.stop_requested()) << "allocation " << left;
            made.set_value(1);
            EXPECT_EQ(result.get(), 1);
        }
    }
}
#endif
