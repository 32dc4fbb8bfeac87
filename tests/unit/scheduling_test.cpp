// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include <regatta/base/config.hpp>
#include <regatta/core/detail/placed_thread.hpp>
#include <regatta/core/scheduling.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#if REGATTA_LINUX
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

using regatta::scheduling;
using regatta::scheduling_policy;
using regatta::detail::placed_thread;

#if REGATTA_LINUX

namespace {

/// What the system says of the calling thread.
scheduling mine() {
    sched_param real_time{};
    EXPECT_EQ(::sched_getparam(0, &real_time), 0);
    switch (::sched_getscheduler(0)) {
    case SCHED_OTHER:
        return {scheduling_policy::other, ::getpriority(PRIO_PROCESS, 0)};
    case SCHED_BATCH:
        return {scheduling_policy::batch, ::getpriority(PRIO_PROCESS, 0)};
    case SCHED_IDLE:
        return {scheduling_policy::idle, 0};
    case SCHED_FIFO:
        return {scheduling_policy::fifo, real_time.sched_priority};
    case SCHED_RR:
        return {scheduling_policy::round_robin, real_time.sched_priority};
    default:
        return {};
    }
}

/// Puts a thread of its own under `wanted` and looks. @returns the error number.
int tried(const scheduling& wanted) {
    int error = 0;
    std::thread([&] {
        const scheduling before = mine();
        error = regatta::try_schedule_this_thread(wanted);
        EXPECT_EQ(to_string(mine()), to_string(error == 0 ? wanted : before));
    }).join();
    return error;
}

} // namespace

TEST(scheduling, a_thread_may_always_take_less) {
    const scheduling before = mine();
    EXPECT_EQ(tried({scheduling_policy::other, 19}), 0);
    EXPECT_EQ(tried({scheduling_policy::batch, 19}), 0);
    EXPECT_EQ(tried({scheduling_policy::idle, 0}), 0);
    EXPECT_EQ(mine(), before) << "it is the thread's own, not the process's";
}

TEST(scheduling, nothing_is_changed_by_default) {
    std::thread([] {
        EXPECT_EQ(regatta::try_schedule_this_thread({scheduling_policy::batch, 19}), 0);
        EXPECT_EQ(regatta::try_schedule_this_thread({}), 0);
        EXPECT_EQ(to_string(mine()), "batch, priority 19");
        std::thread([] { // Threads inherit it.
            EXPECT_EQ(to_string(mine()), "batch, priority 19");
        })
            .join();
    }).join();
}

TEST(scheduling, real_time) {
    for (const auto policy : {scheduling_policy::fifo, scheduling_policy::round_robin}) {
        const int error = tried({policy, 3});
        if (error == EPERM) {
            GTEST_SKIP() << "this user may not use real-time scheduling";
        }
        EXPECT_EQ(error, 0);
    }
}

TEST(scheduling, a_priority_that_does_not_exist_changes_nothing) {
    for (const scheduling& wanted :
         {scheduling{scheduling_policy::fifo, 100}, scheduling{scheduling_policy::round_robin, -1},
          scheduling{scheduling_policy::fifo, 0}, scheduling{scheduling_policy::other, 100},
          scheduling{scheduling_policy::batch, 20}, scheduling{scheduling_policy::idle, 7},
          scheduling{scheduling_policy::inherit, 7},
          scheduling{static_cast<scheduling_policy>(99), 0}}) {
        EXPECT_EQ(tried(wanted), EINVAL) << to_string(wanted);
    }
}

TEST(scheduling, a_thread_of_a_pool_has_that_of_the_options) {
    std::string seen;
    placed_thread thread;
    thread.start({.name = "t", .schedule = {scheduling_policy::batch, 19}},
                 [&]() noexcept { seen = to_string(mine()); });
    thread.join();
    EXPECT_EQ(seen, "batch, priority 19");
}

#else

TEST(scheduling, is_reported_as_not_supported) {
    for (const auto policy :
         {scheduling_policy::other, scheduling_policy::batch, scheduling_policy::idle,
          scheduling_policy::fifo, scheduling_policy::round_robin}) {
        const int priority = policy == scheduling_policy::idle ? 0 : 1;
        EXPECT_EQ(regatta::try_schedule_this_thread({policy, priority}), ENOTSUP);
    }
    EXPECT_EQ(regatta::try_schedule_this_thread({scheduling_policy::fifo, 100}), EINVAL);
    EXPECT_EQ(regatta::try_schedule_this_thread({}), 0);
}

#endif

TEST(scheduling, has_a_text) {
    EXPECT_EQ(to_string(scheduling{}), "inherit, priority 0");
    EXPECT_EQ(to_string(scheduling{scheduling_policy::other, -3}), "other, priority -3");
    EXPECT_STREQ(to_string(scheduling_policy::round_robin), "round_robin");
}

#if REGATTA_EXCEPTIONS

namespace {

std::string refused(const scheduling& wanted) {
    try {
        regatta::check_scheduling(wanted);
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return "was not refused";
}

} // namespace

TEST(scheduling, errors_say_what_is_allowed) {
    EXPECT_EQ(refused({scheduling_policy::fifo, 0}),
              "scheduling policy fifo allows priorities from 1 to 99, got 0");
    EXPECT_EQ(refused({scheduling_policy::round_robin, 100}),
              "scheduling policy round_robin allows priorities from 1 to 99, got 100");
    EXPECT_EQ(refused({scheduling_policy::batch, -21}),
              "scheduling policy batch allows priorities from -20 to 19, got -21");
    EXPECT_EQ(refused({scheduling_policy::other, 20}),
              "scheduling policy other allows priorities from -20 to 19, got 20");
    EXPECT_EQ(refused({scheduling_policy::idle, 1}),
              "scheduling policy idle allows only priority 0, got 1");
    EXPECT_EQ(refused({scheduling_policy::inherit, -1}),
              "scheduling policy inherit allows only priority 0, got -1");
    EXPECT_EQ(refused({static_cast<scheduling_policy>(9), 0}),
              "there is no scheduling policy number 9");
    for (const int priority : {1, 99}) {
        EXPECT_EQ(refused({scheduling_policy::fifo, priority}), "was not refused");
    }
    for (const int priority : {-20, 19}) {
        EXPECT_EQ(refused({scheduling_policy::other, priority}), "was not refused");
    }
    EXPECT_THROW(regatta::schedule_this_thread({scheduling_policy::fifo, 0}),
                 std::invalid_argument);
}

TEST(scheduling, a_thread_of_a_pool_that_cannot_have_it_does_not_start) {
    std::atomic<int> ran{0};
    const auto body = [&]() noexcept { ++ran; };
    placed_thread thread;
    EXPECT_THROW(thread.start({.name = "t", .schedule = {scheduling_policy::idle, 4}}, body),
                 std::invalid_argument);
    const scheduling wanted{scheduling_policy::fifo, 99};
    std::thread([&] {
#if REGATTA_LINUX
        // This thread alone, and those that it starts, go on without the rights of root.
        ::syscall(SYS_setresuid, 65534, 65534, 65534);
#endif
        if (const int error = regatta::try_schedule_this_thread(wanted)) {
            try {
                thread.start({.name = "t", .schedule = wanted}, body);
                ADD_FAILURE() << "it started";
            } catch (const std::system_error& refusal) {
                EXPECT_EQ(refusal.code(), std::error_code(error, std::generic_category()));
                EXPECT_EQ(
                    std::string(refusal.what()).find("schedule thread 't' as fifo, priority 99"),
                    0u);
            }
            EXPECT_EQ(ran.load(), 0);
        }
    }).join();
    thread.start({"t"}, body);
    thread.join();
    EXPECT_EQ(ran.load(), 1);
}

#endif
