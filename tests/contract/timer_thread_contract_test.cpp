// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// What timer_scheduler_options promises about the timer thread; each test quotes the sentence that
// it checks.

#include "support/this_thread.hpp"
#include "support/threads.hpp"

#include <regatta/base/config.hpp>
#include <regatta/core/scheduling.hpp>
#include <regatta/cpu/affinity.hpp>
#include <regatta/cpu/cpu_set.hpp>
#include <regatta/cpu/detail/configured_cpus.hpp>
#include <regatta/cpu/shared_cpus.hpp>
#include <regatta/time/timer_scheduler.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>

#if REGATTA_LINUX
#include <sched.h>
#endif

namespace {

using library_test::await;
using regatta::cpu_set;
using regatta::timer_scheduler;

/// Calls `look` on the timer thread, and waits for its end.
template<class Look>
void on_timer_thread(timer_scheduler& timers, Look look) {
    std::atomic<bool> ended{false};
    timers.after(std::chrono::seconds(0), [&] {
        look();
        ended = true;
    });
    await([&] { return ended.load(); });
}

} // namespace

// "The timer thread is pinned to the first CPU of the set."
TEST(timer_thread, is_pinned) {
    if (!library_test::can_pin()) {
        GTEST_SKIP() << "this system pins no threads";
    }
    cpu_set mine;
    ASSERT_EQ(regatta::try_affinity_of_this_thread(mine), 0);
    for (const unsigned cpu : mine) {
        timer_scheduler timers{{.pin = cpu_set{cpu}}};
        cpu_set seen;
        on_timer_thread(timers,
                        [&] { static_cast<void>(regatta::try_affinity_of_this_thread(seen)); });
        EXPECT_EQ(seen, cpu_set{cpu});
    }
    timer_scheduler timers{{.name = "first", .pin = mine}};
    cpu_set seen;
    std::string name;
    on_timer_thread(timers, [&] {
        static_cast<void>(regatta::try_affinity_of_this_thread(seen));
        name = library_test::name_of_this_thread();
    });
    EXPECT_EQ(seen, cpu_set{*mine.begin()});
    EXPECT_EQ(name, "first");
    cpu_set after;
    ASSERT_EQ(regatta::try_affinity_of_this_thread(after), 0);
    EXPECT_EQ(after, mine);
}

// "Exclusive CPUs, which the timer thread enters": before it runs a callback.
TEST(timer_thread, enters_the_cpus) {
    std::atomic<int> entered{0};
    struct counted_cpus final : regatta::cpu_holder {
        explicit counted_cpus(std::atomic<int>& count) : entered(count) {}
        unsigned count() const noexcept override { return 1; }
        int try_enter() noexcept override {
            ++entered;
            return 0;
        }
        std::atomic<int>& entered;
    };
    timer_scheduler timers{{.cpus = regatta::shared_cpus(std::make_shared<counted_cpus>(entered))}};
    EXPECT_EQ(entered.load(), 1);
}

#if REGATTA_LINUX
// "The scheduling policy and priority of the timer thread."
TEST(timer_thread, is_scheduled_as_asked) {
    timer_scheduler timers{{.schedule = {regatta::scheduling_policy::batch, 19}}};
    int policy = -1;
    on_timer_thread(timers, [&] { policy = ::sched_getscheduler(0); });
    EXPECT_EQ(policy, SCHED_BATCH);
    EXPECT_EQ(::sched_getscheduler(0), SCHED_OTHER);
}
#endif

#if REGATTA_EXCEPTIONS
// "Throws `std::system_error` if it cannot be started, moved, pinned or scheduled as the options
// ask, and `std::invalid_argument` for a `schedule` that does not exist."
TEST(timer_thread, that_cannot_be_as_asked_is_refused) {
    EXPECT_THROW(timer_scheduler({.schedule = {regatta::scheduling_policy::fifo, 100}}),
                 std::invalid_argument);
    if (!library_test::can_pin()) {
        GTEST_SKIP() << "this system pins no threads";
    }
    const unsigned absent = regatta::detail::configured_cpus() + 7;
    try {
        const timer_scheduler timers{{.name = "t", .pin = cpu_set{absent}}};
        ADD_FAILURE() << "it was made";
    } catch (const std::system_error& error) {
        EXPECT_EQ(std::string(error.what()).find("pin thread 't' to CPU " + std::to_string(absent)),
                  0u)
            << error.what();
    }
}
#endif
