// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// Where the heap fails in a listing of shared memory or of threads, no file stays open: an operator
// new of this program's own fails at each place of its first steps.

#include "counting_new.hpp"

#include <regatta/cpu/affinity.hpp>
#include <regatta/process/process_affinity.hpp>
#include <regatta/process/shared_memory.hpp>

#include <gtest/gtest.h>

#include <unistd.h>

#include <cerrno>
#include <new>
#include <string>

namespace {

/// The number the next file to be opened gets: it is larger where others were left open.
int next_number() {
    const int number = ::dup(STDERR_FILENO);
    ::close(number);
    return number;
}

} // namespace

TEST(segment_allocation, that_fails_in_a_listing_leaves_no_file_open) {
    const std::string prefix = "/regatta_test_allocation_" + std::to_string(::getpid()) + "_";
    const auto first = regatta::shared_memory::create(prefix + "first", 4096, 1);
    const auto second = regatta::shared_memory::create(prefix + "second", 4096, 1);
    const int before = next_number();
    int failures = 0;
    for (long fails = 0; fails < 64; ++fails) {
        library_test::allocations_left = fails;
        try {
            static_cast<void>(regatta::list_segments(prefix));
        } catch (const std::bad_alloc&) {
            ++failures;
        }
        library_test::allocations_left = -1;
        ASSERT_EQ(next_number(), before) << fails;
    }
    EXPECT_GT(failures, 8);
}

TEST(segment_allocation, that_fails_where_a_segment_ends_leaves_no_name) {
    const std::string name = "/regatta_test_allocation_end_" + std::to_string(::getpid());
    {
        const auto segment = regatta::shared_memory::create(name, 4096, 1);
        library_test::allocations_left = 0;
    }
    library_test::allocations_left = -1;
    EXPECT_TRUE(regatta::list_segments(name).empty());
}

TEST(process_affinity, is_an_error_number_where_the_heap_fails) {
    const regatta::cpu_set cpus = regatta::affinity_of_this_thread();
    const int before = next_number();
    int failures = 0;
    for (long fails = 0; fails < 64; ++fails) {
        library_test::allocations_left = fails;
        const int error = regatta::try_pin_process(0, cpus);
        library_test::allocations_left = -1;
        ASSERT_EQ(next_number(), before) << fails;
        ASSERT_TRUE(error == 0 || error == ENOMEM) << error;
        failures += error == ENOMEM ? 1 : 0;
    }
    EXPECT_GT(failures, 2);
}
