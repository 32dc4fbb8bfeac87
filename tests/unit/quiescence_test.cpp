// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "support/eventually.hpp"

#include <regatta/sync/quiescence.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

using regatta::quiescence;

TEST(quiescence, an_idle_owner_has_passed_at_once) {
    quiescence activity;
    const auto seen = activity.observe();
    EXPECT_FALSE(quiescence::working(seen));
    EXPECT_TRUE(activity.passed(seen));
    activity.enter();
    EXPECT_TRUE(activity.passed(seen)); // That piece of work began after the observation.
    activity.leave();
}

TEST(quiescence, work_under_way_passes_when_it_ends) {
    quiescence activity;
    activity.enter();
    const auto seen = activity.observe();
    EXPECT_TRUE(quiescence::working(seen));
    EXPECT_FALSE(activity.passed(seen));
    activity.leave();
    EXPECT_TRUE(activity.passed(seen));
    activity.enter();
    EXPECT_TRUE(activity.passed(seen));
    activity.leave();
}

TEST(quiescence, renew_ends_one_piece_and_begins_the_next) {
    quiescence activity;
    activity.enter();
    const auto first = activity.observe_in_order();
    activity.renew();
    EXPECT_TRUE(activity.passed(first));
    const auto second = activity.observe_in_order();
    EXPECT_TRUE(quiescence::working(second));
    EXPECT_FALSE(activity.passed(second));
    activity.leave();
    EXPECT_TRUE(activity.passed(second));
}

TEST(quiescence, what_was_retired_is_not_used_after_it_passed) {
    constexpr int rounds = 2000;
    quiescence activity;
    struct thing {
        bool alive = true;
    };
    std::atomic<thing*> current{nullptr};
    std::atomic<bool> stop{false};
    std::thread owner([&] {
        while (!stop.load()) {
            activity.enter();
            if (thing* const t = current.load(std::memory_order_acquire)) {
                EXPECT_TRUE(t->alive);
            }
            activity.leave();
        }
    });
    for (int i = 0; i < rounds; ++i) {
        thing here;
        current.store(&here, std::memory_order_release);
        current.store(nullptr, std::memory_order_relaxed);
        const auto seen = activity.observe();
        library_test::await([&] { return activity.passed(seen); });
        here.alive = false; // A data race if the owner could still read it.
    }
    stop = true;
    owner.join();
}
