// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include <regatta/process/detail/doorbell.hpp>

#include <gtest/gtest.h>

#include <cstdint>

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
