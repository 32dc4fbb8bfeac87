// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "support/this_thread.hpp"

#include <regatta/base/config.hpp>
#include <regatta/core/detail/placed_thread.hpp>
#include <regatta/cpu/detail/configured_cpus.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

using regatta::cpu_set;
using regatta::detail::placed_thread;

TEST(placed_thread, has_its_name) {
    std::string worker, other;
    placed_thread thread;
    thread.start({"row/12"}, [&]() noexcept { worker = library_test::name_of_this_thread(); });
    thread.join();
    thread.join();
    thread.start({"watch"}, [&]() noexcept { other = library_test::name_of_this_thread(); });
    thread.join();
    EXPECT_EQ(worker, "row/12");
    EXPECT_EQ(other, "watch");
}

TEST(placed_thread, is_pinned_in_turn) {
    if (!library_test::can_pin()) {
        GTEST_SKIP() << "this system pins no threads";
    }
    cpu_set mine;
    ASSERT_EQ(regatta::try_affinity_of_this_thread(mine), 0);
    std::vector<unsigned> seen;
    for (unsigned i = 0; i < 3; ++i) {
        placed_thread thread;
        thread.start({"t", regatta::detail::cpu_in_turn(mine, i)}, [&]() noexcept {
            cpu_set pinned;
            static_cast<void>(regatta::try_affinity_of_this_thread(pinned));
            seen.push_back(pinned.count() == 1 ? *pinned.begin() : ~0u);
        });
    }
    std::vector<unsigned> turn;
    while (turn.size() < seen.size()) {
        turn.insert(turn.end(), mine.begin(), mine.end());
    }
    turn.resize(seen.size());
    EXPECT_EQ(seen, turn);
}

TEST(placed_thread, may_be_destroyed_before_and_after_its_start) {
    const placed_thread never;
    std::atomic<int> ran{0};
    {
        placed_thread thread;
        thread.start({"t"}, [&]() noexcept { ++ran; });
    }
    EXPECT_EQ(ran.load(), 1);
}

#if REGATTA_EXCEPTIONS
TEST(placed_thread, does_not_work_where_it_may_not_be) {
    if (!library_test::can_pin()) {
        GTEST_SKIP() << "this system pins no threads";
    }
    std::atomic<int> ran{0};
    placed_thread thread;
    const auto body = [&]() noexcept { ++ran; };
    const unsigned absent = regatta::detail::configured_cpus() + 7;
    for (int i = 0; i < 3; ++i) {
        try {
            thread.start({"t/4", absent}, body);
            ADD_FAILURE() << "it started";
        } catch (const std::system_error& error) {
            EXPECT_EQ(
                std::string(error.what()).find("pin thread 't/4' to CPU " + std::to_string(absent)),
                0u)
                << error.what();
        }
        EXPECT_EQ(ran.load(), 0);
    }
    thread.start({"t"}, body);
    thread.join();
    EXPECT_EQ(ran.load(), 1);
}
#endif
