// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "support/eventually.hpp"

#include <regatta/core/detail/stop_notice.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <stop_token>
#include <thread>

using regatta::detail::stop_notice;

TEST(stop_notice, calls_once_when_a_stop_is_requested) {
    int calls = 0;
    std::stop_source source;
    {
        const stop_notice notice(source.get_token(), [&]() noexcept { ++calls; });
        EXPECT_EQ(calls, 0);
        EXPECT_TRUE(source.request_stop());
        EXPECT_FALSE(source.request_stop());
        EXPECT_EQ(calls, 1);
    }
    EXPECT_EQ(calls, 1);
}

TEST(stop_notice, calls_at_once_if_that_was_before) {
    int calls = 0;
    std::stop_source source;
    source.request_stop();
    const stop_notice notice(source.get_token(), [&]() noexcept { ++calls; });
    EXPECT_EQ(calls, 1);
}

TEST(stop_notice, calls_nothing_after_its_end_and_without_a_source) {
    int calls = 0;
    std::stop_source source;
    {
        const stop_notice notice(source.get_token(), [&]() noexcept { ++calls; });
    }
    source.request_stop();
    {
        const stop_notice notice(std::stop_token(), [&]() noexcept { ++calls; });
    }
    EXPECT_EQ(calls, 0);
}

// "the destructor, from the request until `F` has returned", "After it, `F` does not run and will
// not be called."
TEST(stop_notice, its_end_waits_for_a_call_under_way) {
    for (int round = 0; round < 300; ++round) {
        std::stop_source source;
        std::atomic<bool> begun{false};
        bool ended = false; // Read without a lock once the notice is gone.
        std::thread requests;
        {
            const stop_notice notice(source.get_token(), [&]() noexcept {
                begun = true;
                std::this_thread::yield();
                ended = true;
            });
            requests = std::thread([&] { source.request_stop(); });
            library_test::await([&] { return begun.load(); });
        }
        EXPECT_TRUE(ended);
        requests.join();
    }
}

TEST(stop_notice, may_end_while_a_stop_is_requested) {
    for (int round = 0; round < 300; ++round) {
        std::stop_source source;
        std::atomic<bool> go{false};
        auto calls = 0;
        std::thread requests([&] {
            library_test::await([&] { return go.load(); });
            source.request_stop();
        });
        {
            const stop_notice notice(source.get_token(), [&]() noexcept { ++calls; });
            go = true;
        }
        const int seen = calls;
        requests.join();
        EXPECT_EQ(calls, seen);
        EXPECT_LE(calls, 1);
    }
}
