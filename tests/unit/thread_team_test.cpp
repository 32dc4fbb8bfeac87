// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "support/this_thread.hpp"

#include <regatta/base/config.hpp>
#include <regatta/core/detail/thread_team.hpp>
#include <regatta/cpu/detail/configured_cpus.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <system_error>
#include <vector>

using regatta::cpu_set;
using regatta::detail::thread_team;

TEST(thread_team, gives_each_thread_its_number_and_its_name) {
    std::vector<std::string> names(3);
    std::atomic<int> wrong{0};
    thread_team team;
    EXPECT_EQ(team.size(), 0u);
    team.start(3, "row", {}, [&](unsigned i) noexcept {
        names[i] = library_test::name_of_this_thread();
        wrong += team.size() != 3 ? 1 : 0;
    });
    EXPECT_EQ(team.size(), 3u);
    team.join();
    team.join();
    EXPECT_EQ(names, (std::vector<std::string>{"row/0", "row/1", "row/2"}));
    EXPECT_EQ(wrong.load(), 0);
}

TEST(thread_team, pins_in_turn) {
    if (!library_test::can_pin()) {
        GTEST_SKIP() << "this system pins no threads";
    }
    cpu_set mine;
    ASSERT_EQ(regatta::try_affinity_of_this_thread(mine), 0);
    std::vector<cpu_set> seen(3);
    thread_team team;
    team.start(3, "pin", cpu_set{*mine.begin()}, [&](unsigned i) noexcept {
        static_cast<void>(regatta::try_affinity_of_this_thread(seen[i]));
    });
    team.join();
    EXPECT_EQ(seen, std::vector<cpu_set>(3, cpu_set{*mine.begin()}));
}

TEST(thread_team, may_be_destroyed_before_and_after_its_start) {
    const thread_team never;
    std::atomic<int> ran{0};
    {
        thread_team team;
        team.start(2, "t", {}, [&](unsigned) noexcept { ++ran; });
    }
    EXPECT_EQ(ran.load(), 2);
}

#if REGATTA_EXCEPTIONS
TEST(thread_team, starts_all_or_none) {
    if (!library_test::can_pin()) {
        GTEST_SKIP() << "this system pins no threads";
    }
    cpu_set mine;
    ASSERT_EQ(regatta::try_affinity_of_this_thread(mine), 0);
    std::atomic<int> ran{0};
    thread_team team;
    const auto body = [&](unsigned) noexcept { ++ran; };
    for (int i = 0; i < 3; ++i) {
        EXPECT_THROW(team.start(4, "t",
                                cpu_set{*mine.begin(), regatta::detail::configured_cpus() + 7},
                                body),
                     std::system_error);
        EXPECT_EQ(team.size(), 0u);
        EXPECT_EQ(ran.load(), 0);
    }
    team.start(4, "t", {}, body);
    team.join();
    EXPECT_EQ(ran.load(), 4);
}
#endif
