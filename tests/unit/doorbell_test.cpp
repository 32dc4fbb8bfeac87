// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include <regatta/process/detail/doorbell.hpp>

#include <gtest/gtest.h>

#include <cstdint>

using doorbell = regatta::detail::basic_doorbell<regatta::detail::shared_atomics>;
using job_bell = regatta::detail::basic_job_bell<regatta::detail::shared_atomics>;

// A place in the memory of a pool may have had no job for more than 2^31 others.
TEST(job_bell, marks_a_job_however_long_ago_the_last_one_was) {
    job_bell bell;
    for (const std::uint32_t generation : {1u, 0x9000'0000u, 0xFFFF'FFFFu, 0x7000'0000u}) {
        bell.begin(generation);
        EXPECT_FALSE(bell.complete(generation));
        bell.mark(generation);
        EXPECT_TRUE(bell.complete(generation)) << generation;
        bell.mark(generation - 1); // "One that comes late … changes nothing."
        EXPECT_TRUE(bell.complete(generation)) << generation;
    }
}

// "rung and has neither answered nor announced a sleep since"
TEST(doorbell, knows_whether_the_worker_has_come) {
    doorbell bell;
    std::uint32_t first = 0;
    std::uint32_t second = 0;
    EXPECT_FALSE(bell.unanswered(first));
    EXPECT_FALSE(bell.ring()); // Nobody sleeps: nobody was rung.
    EXPECT_FALSE(bell.unanswered(first));
    bell.announce();
    EXPECT_FALSE(bell.unanswered(first));
    EXPECT_TRUE(bell.ring());
    EXPECT_TRUE(bell.unanswered(first));
    bell.awake();
    EXPECT_TRUE(bell.unanswered(first)); // Awake is not enough: it may be stopped before it looks.
    bell.answer();
    EXPECT_FALSE(bell.unanswered(first));
    bell.announce();
    EXPECT_TRUE(bell.ring());
    EXPECT_TRUE(bell.unanswered(second));
    EXPECT_NE(first, second);
    bell.announce(); // It has found nothing.
    EXPECT_FALSE(bell.unanswered(second));
    bell.ring();
    bell.reset(); // It has ended.
    EXPECT_FALSE(bell.unanswered(second));
}
