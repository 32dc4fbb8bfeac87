// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "machines.hpp"
#include "support/this_thread.hpp"

#include <regatta/cpu/affinity.hpp>
#include <regatta/cpu/cpu_set.hpp>
#include <regatta/cpu/placement.hpp>
#include <regatta/cpu/topology.hpp>
#include <regatta/process/process_affinity.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <stdexcept>
#include <string>
#include <system_error>

namespace {

using regatta::cpu_set;

/// Above the largest number that a thread can have.
constexpr regatta::thread_number no_thread = 2'000'000'000;

template<class Error, class Action>
std::string message_of(Action action) {
    try {
        action();
    } catch (const Error& error) {
        return error.what();
    }
    return "nothing was thrown";
}

} // namespace

TEST(cpu_set_errors, say_the_text_the_place_and_what_was_expected) {
    EXPECT_EQ(message_of<std::invalid_argument>([] { cpu_set::parse("0-15:2", 16); }),
              "CPU list '0-15:2', position 6: expected '/' and the size of a group, found the end");
    EXPECT_EQ(message_of<std::invalid_argument>([] { cpu_set::parse("two"); }),
              "CPU list 'two', position 0: expected a CPU number, 'N' or 'all', found 't'");
}

TEST(cpu_set_errors, call_a_mask_a_mask) {
    EXPECT_EQ(message_of<std::invalid_argument>([] { cpu_set::parse_mask("ff,x"); }),
              "CPU mask 'ff,x', position 3: expected a hexadecimal digit, ',' or the end, found "
              "'x'");
}

TEST(cpu_set_errors, numbers_out_of_range_are_refused) {
    EXPECT_THROW(cpu_set{cpu_set::max_width}, std::invalid_argument);
    cpu_set set;
    EXPECT_THROW(set.insert_range(3, 2), std::invalid_argument);
    EXPECT_TRUE(set.empty());

    std::vector<cpu_set::word> words(cpu_set::max_width / cpu_set::bits_per_word + 1);
    EXPECT_TRUE(cpu_set::from_words(words).empty());
    words.back() = 1; // A set with it would be neither empty nor have a first number.
    EXPECT_THROW(cpu_set::from_words(words), std::invalid_argument);
}

TEST(affinity_errors, say_where_there_is_no_such_thing) {
    if (library_test::can_pin()) {
        GTEST_SKIP() << "this system pins threads";
    }
    try {
        regatta::pin_this_thread(cpu_set{0, 1});
        ADD_FAILURE() << "nothing was thrown";
    } catch (const std::system_error& error) {
        EXPECT_EQ(error.code(), std::errc::not_supported);
        EXPECT_THAT(error.what(),
                    testing::StartsWith("pin this thread to CPUs '0-1' (not supported "
                                        "on this system)"));
    }
    EXPECT_THROW(regatta::affinity_of_this_thread(), std::system_error);
    EXPECT_THROW(regatta::scoped_pin{cpu_set{0}}, std::system_error);
}

TEST(affinity_errors, name_the_cpus) {
    if (!library_test::can_pin()) {
        GTEST_SKIP() << "this system pins no threads";
    }
    const auto before = regatta::affinity_of_this_thread();
    EXPECT_THAT(message_of<std::system_error>([] {
                    regatta::pin_this_thread(cpu_set{9000, 9001});
                }),
                testing::HasSubstr("pin this thread to CPUs '9000-9001'"));
    EXPECT_THROW(regatta::scoped_pin{cpu_set{9000}}, std::system_error);
    EXPECT_EQ(regatta::affinity_of_this_thread(), before);
}

TEST(affinity_errors, name_the_thread) {
    if (!library_test::can_pin()) {
        GTEST_SKIP() << "this system pins no threads";
    }
    const auto self = regatta::number_of_this_thread();
    EXPECT_THAT(message_of<std::system_error>([=] { regatta::pin_thread(self, cpu_set{9000}); }),
                testing::StartsWith("pin thread " + std::to_string(self) + " to CPUs '9000'"));
    EXPECT_THAT(message_of<std::system_error>([] { regatta::affinity_of_thread(no_thread); }),
                testing::StartsWith("read the affinity of thread " + std::to_string(no_thread)));
}

TEST(topology_errors, name_the_file_that_is_missing) {
    EXPECT_EQ(message_of<std::system_error>([] { regatta::topology::read("/nonexistent"); }),
              "read the CPUs from /nonexistent/sys/devices/system/cpu/online: " +
                  std::generic_category().message(ENOENT));
}

TEST(placement_errors, name_the_cpus) {
    const auto machine = library_test::partly_offline().read();
    EXPECT_EQ(message_of<std::invalid_argument>([&] {
                  regatta::place(1, regatta::placement_policy::compact, machine, cpu_set{4, 5, 99});
              }),
              "no CPU of '4-5,99' is online; those online are '0-3,6'");
    EXPECT_THROW(regatta::place(0, regatta::placement_policy::per_node, machine, cpu_set()),
                 std::invalid_argument);
}
