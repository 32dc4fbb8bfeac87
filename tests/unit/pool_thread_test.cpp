// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "support/this_thread.hpp"

#include <regatta/base/config.hpp>
#include <regatta/core/detail/pool_thread.hpp>
#include <regatta/cpu/detail/configured_cpus.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

using regatta::cpu_set;
using regatta::detail::pool_thread;

TEST(pool_thread, has_its_name) {
    std::string worker, other;
    pool_thread thread;
    thread.start({.name = "row"}, 12,
                 [&]() noexcept { worker = library_test::name_of_this_thread(); });
    thread.join();
    thread.join();
    thread.start("watch", [&]() noexcept { other = library_test::name_of_this_thread(); });
    thread.join();
    EXPECT_EQ(worker, "row/12");
    EXPECT_EQ(other, "watch");
}

TEST(pool_thread, needs_no_options_once_it_is_launched_for_a_name_alone) {
    std::string seen;
    pool_thread thread;
    {
        const auto options = std::make_unique<regatta::pool_options>();
        options->name = std::string(40, 'n'); // On the heap, too.
        thread.launch(*options, 1, [&]() noexcept { seen = library_test::name_of_this_thread(); });
        thread.await_start();
    }
    thread.join();
    EXPECT_EQ(seen, (std::string(40, 'n') + "/1").substr(0, library_test::longest_thread_name));
}

TEST(pool_thread, is_pinned_in_turn) {
    if (!library_test::can_pin()) {
        GTEST_SKIP() << "this system pins no threads";
    }
    cpu_set mine;
    ASSERT_EQ(regatta::try_affinity_of_this_thread(mine), 0);
    std::vector<unsigned> seen;
    for (unsigned i = 0; i < 3; ++i) {
        pool_thread thread;
        thread.start({.pin = mine}, i, [&]() noexcept {
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

TEST(pool_thread, may_be_destroyed_before_and_after_its_start) {
    const pool_thread never;
    std::atomic<int> ran{0};
    {
        pool_thread thread;
        thread.start("t", [&]() noexcept { ++ran; });
    }
    EXPECT_EQ(ran.load(), 1);
}

#if REGATTA_EXCEPTIONS
TEST(pool_thread, does_not_work_where_it_may_not_be) {
    if (!library_test::can_pin()) {
        GTEST_SKIP() << "this system pins no threads";
    }
    std::atomic<int> ran{0};
    pool_thread thread;
    const auto body = [&]() noexcept { ++ran; };
    const unsigned absent = regatta::detail::configured_cpus() + 7;
    for (int i = 0; i < 3; ++i) {
        try {
            thread.start({.name = "t", .pin = cpu_set{absent}}, 4, body);
            ADD_FAILURE() << "it started";
        } catch (const std::system_error& error) {
            EXPECT_EQ(
                std::string(error.what()).find("pin thread 't/4' to CPU " + std::to_string(absent)),
                0u)
                << error.what();
        }
        EXPECT_EQ(ran.load(), 0);
    }
    thread.start({.name = "t"}, 4, body);
    thread.join();
    EXPECT_EQ(ran.load(), 1);
}
#endif
