// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "process/process_pool/function_registry.hpp"

#include <regatta/process/detail/process_function.hpp>

#include <gtest/gtest.h>

#include <cstdint>

namespace {

using regatta::detail::find_process_function;
using regatta::detail::process_function;
using regatta::detail::process_function_entry;

/// Of those that there are now.
std::uint64_t hash_of_process_functions() {
    regatta::detail::note_process_functions();
    return regatta::detail::hash_of_process_functions();
}

} // namespace

// A library that is unloaded takes its functions with it: what stays must not point there.
TEST(function_registry, forgets_the_functions_of_a_library_that_is_unloaded) {
    process_function stays{7001, "stays", nullptr};
    process_function goes{7002, "goes", nullptr};
    process_function comes{7003, "comes", nullptr};
    const process_function_entry first(stays);
    const std::uint64_t before = hash_of_process_functions();
    {
        const process_function_entry second(goes);
        EXPECT_EQ(find_process_function(7002), &goes);
        EXPECT_NE(hash_of_process_functions(), before);
    }
    EXPECT_EQ(find_process_function(7002), nullptr);
    EXPECT_EQ(hash_of_process_functions(), before);
    EXPECT_EQ(find_process_function(7001), &stays);
    {
        const process_function_entry again(comes);
        EXPECT_EQ(find_process_function(7003), &comes);
    }
    EXPECT_EQ(hash_of_process_functions(), before);
}

// A library that is loaded later has functions that the workers, which have not loaded it, lack:
// what both have still runs.
TEST(function_registry, notes_the_functions_that_there_are_when_main_begins) {
    process_function late{7005, "late", nullptr};
    const std::uint64_t before = hash_of_process_functions();
    const process_function_entry entry(late);
    EXPECT_EQ(regatta::detail::hash_of_process_functions(), before);
    EXPECT_EQ(find_process_function(7005), &late);
}

// … nor be taken for what is gone.
TEST(function_registry, tells_functions_apart_again_when_the_other_is_unloaded) {
    process_function stays{7004, "twice", nullptr};
    process_function goes{7004, "twice", [](const regatta::detail::task_frame&) {}};
    const process_function_entry first(stays);
    {
        const process_function_entry second(goes);
        EXPECT_TRUE(stays.ambiguous);
    }
    EXPECT_FALSE(stays.ambiguous);
}
