// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "support/this_thread.hpp"
#include "support/waiting_thread.hpp"

#include <regatta/base/detail/kept_off_cpu.hpp>
#include <regatta/cpu/affinity.hpp>

#include <gtest/gtest.h>

#include <optional>

namespace {

using library_test::waiting_thread;
using regatta::cpu_set;
using regatta::detail::kept_off_cpu;

cpu_set cpus_of(const waiting_thread& thread) {
    return regatta::affinity_of_thread(thread.number());
}

/// Empty where the system pins no threads.
cpu_set cpus_of_this_thread() {
    cpu_set set;
    static_cast<void>(regatta::try_affinity_of_this_thread(set));
    return set;
}

class kept_off : public testing::Test {
protected:
    void SetUp() override {
        if (!library_test::can_pin() || all_.count() < 2) {
            GTEST_SKIP() << "needs pins and two CPUs";
        }
        kept_off_cpu::usual();
    }

    const cpu_set all_ = cpus_of_this_thread();
    const unsigned first_ = all_.empty() ? 0 : *all_.begin();
    const cpu_set rest_ = all_ - cpu_set{first_};
};

} // namespace

TEST_F(kept_off, a_thread_has_its_cpus_again_afterwards) {
    const waiting_thread thread;
    {
        const kept_off_cpu here(thread.number(), static_cast<int>(first_));
        EXPECT_EQ(cpus_of(thread), rest_);
    }
    EXPECT_EQ(cpus_of(thread), all_);
}

TEST_F(kept_off, two_at_once_leave_no_trace) {
    const waiting_thread thread;
    const int first = static_cast<int>(first_);
    const int second = static_cast<int>(*rest_.begin());
    std::optional<kept_off_cpu> one(std::in_place, thread.number(), first);
    std::optional<kept_off_cpu> two(std::in_place, thread.number(), second);
    EXPECT_EQ(cpus_of(thread), rest_);
    one.reset();
    EXPECT_EQ(cpus_of(thread), all_);
    two.reset();
    EXPECT_EQ(cpus_of(thread), all_);
}

TEST_F(kept_off, what_another_decides_meanwhile_stands) {
    const waiting_thread thread;
    {
        const kept_off_cpu here(thread.number(), static_cast<int>(first_));
        ASSERT_EQ(regatta::try_pin_thread(thread.number(), cpu_set{first_}), 0);
    }
    EXPECT_EQ(cpus_of(thread), cpu_set{first_});
}

TEST_F(kept_off, a_thread_with_a_mask_of_its_own_is_left_alone) {
    const waiting_thread thread;
    ASSERT_EQ(regatta::try_pin_thread(thread.number(), rest_), 0);
    const kept_off_cpu here(thread.number(), static_cast<int>(*rest_.begin()));
    EXPECT_EQ(cpus_of(thread), rest_);
}

TEST_F(kept_off, no_thread_and_no_cpu_are_nothing) {
    const waiting_thread thread;
    const kept_off_cpu no_cpu(thread.number(), -1);
    const kept_off_cpu far_cpu(thread.number(), 1'000'000);
    const kept_off_cpu no_thread(0, static_cast<int>(first_));
    EXPECT_EQ(cpus_of(thread), all_);
    EXPECT_EQ(cpus_of_this_thread(), all_);
}
