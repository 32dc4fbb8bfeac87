// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "support/pool_functions.hpp"
#include "support/pool_storm.hpp"

#include <regatta/process/process_pool.hpp>

#include <gtest/gtest.h>

TEST(process_pool_stress, loses_nothing_in_a_long_storm) {
    const pool_test::leak_check leaks; // Of the longest life that a pool has in a test.
    pool_test::storm(pool_test::sanitized ? 1000 : 2500);
}

int main(int argc, char** argv) {
    regatta::run_process_worker(argc, argv);
    testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
