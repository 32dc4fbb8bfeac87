// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// When loops and scopes end early, and what is guessed of their length.

#include <regatta/core/detail/fork_forecast.hpp>
#include <regatta/core/detail/fork_frame.hpp>

#include <gtest/gtest.h>

#include <stdexcept>
#include <stop_token>

namespace {

using regatta::detail::fork_forecast;
using regatta::detail::fork_stop;

void fail(fork_stop& stop) {
    try {
        throw std::runtime_error("a part");
    } catch (...) {
        stop.fail();
    }
}

TEST(fork_stop, ends_what_is_within_and_nothing_else) {
    fork_stop outer(nullptr, {});
    fork_stop sibling(nullptr, {});
    fork_stop inner(&outer, {});
    fork_stop innermost(&inner, {});
    EXPECT_FALSE(innermost.over());
    fail(inner);
    EXPECT_TRUE(innermost.over());
    EXPECT_TRUE(inner.over());
    EXPECT_FALSE(outer.over());
    EXPECT_FALSE(sibling.over());
    EXPECT_THROW(inner.rethrow(), std::runtime_error);
    innermost.rethrow();
    outer.rethrow();
    const fork_stop later(nullptr, {});
    EXPECT_FALSE(later.over());
}

TEST(fork_stop, ends_what_begins_within_after_the_failure) {
    fork_stop outer(nullptr, {});
    fail(outer);
    fork_stop inner(&outer, {});
    EXPECT_TRUE(inner.over());
    EXPECT_TRUE(fork_stop(&inner, {}).over());
    fail(inner);
    EXPECT_THROW(inner.rethrow(), std::runtime_error);
}

TEST(fork_stop, obeys_the_tokens_around_it) {
    std::stop_source source;
    const fork_stop outer(nullptr, source.get_token());
    const fork_stop inner(&outer, {});
    const fork_stop innermost(&inner, std::stop_source().get_token());
    EXPECT_FALSE(innermost.over());
    source.request_stop();
    EXPECT_TRUE(innermost.over());
    EXPECT_TRUE(inner.over());
    EXPECT_TRUE(outer.over());
    EXPECT_TRUE(fork_stop(&inner, {}).over());
}

TEST(fork_forecast, expects_the_worst_and_then_what_it_has_seen) {
    fork_forecast forecast;
    EXPECT_GE(forecast.expected_ns(1), fork_forecast::worth_waking_ns);
    forecast.learn(1'000, 100);
    EXPECT_FLOAT_EQ(forecast.expected_ns(1), 10);
    EXPECT_FLOAT_EQ(forecast.expected_ns(500), 5'000);
    for (int i = 0; i < 100; ++i) {
        forecast.learn(100'000, 1);
    }
    EXPECT_GE(forecast.expected_ns(1), 80'000);
    EXPECT_LE(forecast.expected_ns(1), 100'000);
}

TEST(missed_work, is_worth_a_call_once_it_adds_up) {
    regatta::detail::missed_work missed;
    std::int64_t now = 1'000'000'000;
    for (int round = 0; round < 2; ++round) {
        for (int i = 0; i < 4; ++i) {
            EXPECT_FALSE(missed.add(20'000, now += 30'000)) << round << ' ' << i;
        }
        EXPECT_TRUE(missed.add(20'000, now += 30'000)) << round;
    }
    EXPECT_TRUE(missed.add(fork_forecast::worth_waking_ns, now += 1));
}

TEST(missed_work, does_not_add_up_over_pauses) {
    regatta::detail::missed_work missed;
    std::int64_t now = 1'000'000'000;
    for (int i = 0; i < 100; ++i) {
        EXPECT_FALSE(missed.add(20'000, now += 1'000'000)) << i;
    }
}

} // namespace
