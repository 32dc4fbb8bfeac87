// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "support/this_thread.hpp"
#include "support/waiting_thread.hpp"

#include <regatta/cpu/affinity.hpp>
#include <regatta/cpu/available_cpus.hpp>

#include <gtest/gtest.h>

#include <cerrno>
#include <thread>

namespace {

using library_test::waiting_thread;
using regatta::cpu_set;
using regatta::thread_number;

cpu_set mine() {
    cpu_set set;
    EXPECT_EQ(regatta::try_affinity_of_this_thread(set), 0);
    return set;
}

/// Above the largest number that a thread can have.
constexpr thread_number no_thread = 2'000'000'000;

cpu_set mask_of(thread_number thread) {
    cpu_set set;
    EXPECT_EQ(regatta::try_affinity_of_thread(thread, set), 0);
    return set;
}

} // namespace

TEST(affinity, a_pinned_thread_may_run_where_it_was_told) {
    if (!library_test::can_pin()) {
        GTEST_SKIP() << "this system pins no threads";
    }
    const cpu_set before = mine();
    ASSERT_FALSE(before.empty());
    for (const unsigned cpu : before) {
        std::thread([cpu] {
            EXPECT_EQ(regatta::try_pin_this_thread(cpu_set{cpu}), 0);
            EXPECT_EQ(mine(), cpu_set{cpu});
        }).join();
    }
    EXPECT_EQ(mine(), before);
}

TEST(affinity, refuses_no_cpu_and_cpus_that_do_not_exist) {
    if (!library_test::can_pin()) {
        GTEST_SKIP() << "this system pins no threads";
    }
    const cpu_set before = mine();
    EXPECT_EQ(regatta::try_pin_this_thread(cpu_set()), EINVAL);
    EXPECT_EQ(regatta::try_pin_this_thread(cpu_set{regatta::detail::configured_cpus() + 7000}),
              EINVAL);
    EXPECT_EQ(mine(), before);
}

TEST(affinity, scoped_pin_restores_the_saved_mask) {
    if (!library_test::can_pin()) {
        GTEST_SKIP() << "this system pins no threads";
    }
    const cpu_set before = mine();
    {
        const regatta::scoped_pin pin(cpu_set{*before.begin()});
        EXPECT_EQ(mine(), cpu_set{*before.begin()});
        EXPECT_EQ(pin.saved(), before);
        EXPECT_EQ(regatta::available_cpus(), 1u);
    }
    EXPECT_EQ(mine(), before);
}

TEST(affinity, is_reported_as_not_supported_where_it_is_not) {
    if (library_test::can_pin()) {
        GTEST_SKIP() << "this system pins threads";
    }
    EXPECT_EQ(regatta::try_pin_this_thread(cpu_set{0}), ENOTSUP);
}

TEST(available_cpus, is_at_least_one_and_at_most_the_mask) {
    const unsigned most =
        library_test::can_pin() ? mine().count() : std::thread::hardware_concurrency();
    EXPECT_GE(regatta::available_cpus(), 1u);
    EXPECT_LE(regatta::available_cpus(), most);
    EXPECT_EQ(regatta::available_cpus("/nonexistent"), most);
}

TEST(available_cpus, rounds_a_quota_up) {
    EXPECT_EQ(regatta::cap_cpus(8, std::nullopt), 8u);
    EXPECT_EQ(regatta::cap_cpus(8, 1.5), 2u);
    EXPECT_EQ(regatta::cap_cpus(8, 2.0), 2u);
    EXPECT_EQ(regatta::cap_cpus(8, 0.1), 1u);
    EXPECT_EQ(regatta::cap_cpus(8, 0.0), 1u);
    EXPECT_EQ(regatta::cap_cpus(8, 100.0), 8u);
    EXPECT_EQ(regatta::cap_cpus(8, 1e300), 8u);
    EXPECT_EQ(regatta::cap_cpus(0, std::nullopt), 1u);
}

TEST(thread_affinity, another_thread_is_pinned_by_its_number) {
    if (!library_test::can_pin()) {
        GTEST_SKIP() << "this system pins no threads";
    }
    const cpu_set before = mask_of(0);
    const waiting_thread other;
    EXPECT_EQ(mask_of(other.number()), before);
    for (const unsigned cpu : before) {
        EXPECT_EQ(regatta::try_pin_thread(other.number(), cpu_set{cpu}), 0);
        EXPECT_EQ(mask_of(other.number()), cpu_set{cpu});
        EXPECT_EQ(mask_of(0), before);
    }
    EXPECT_EQ(regatta::try_pin_thread(other.number(), cpu_set()), EINVAL);
}

TEST(thread_affinity, of_a_thread_that_does_not_exist_is_an_error) {
    if (!library_test::can_pin()) {
        GTEST_SKIP() << "this system pins no threads";
    }
    cpu_set set;
    EXPECT_EQ(regatta::try_affinity_of_thread(no_thread, set), ESRCH);
    EXPECT_EQ(regatta::try_pin_thread(no_thread, cpu_set{0}), ESRCH);
}

TEST(thread_affinity, is_reported_as_not_supported_where_it_is_not) {
    if (library_test::can_pin()) {
        GTEST_SKIP() << "this system pins threads";
    }
    EXPECT_EQ(regatta::try_pin_thread(0, cpu_set{0}), ENOTSUP);
    EXPECT_EQ(regatta::number_of_this_thread(), 0);
}
