// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "support/meeting.hpp"
#include "support/this_thread.hpp"
#include "support/waiting_thread.hpp"

#include <regatta/cpu/affinity.hpp>
#include <regatta/process/process_affinity.hpp>

#include <gtest/gtest.h>

#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace {

using library_test::waiting_thread;
using regatta::cpu_set;
using regatta::thread_number;

/// Above the largest number that a thread or a process can have.
constexpr thread_number no_thread = 2'000'000'000;

cpu_set mask_of(thread_number thread) {
    cpu_set set;
    EXPECT_EQ(regatta::try_affinity_of_thread(thread, set), 0);
    return set;
}

} // namespace

TEST(process_affinity, lists_the_threads_of_a_process) {
    if (!library_test::can_pin()) {
        GTEST_SKIP() << "this system numbers no threads";
    }
    const waiting_thread other;
    const auto threads = regatta::threads_of(0);
    EXPECT_TRUE(std::is_sorted(threads.begin(), threads.end()));
    for (const thread_number thread : {regatta::number_of_this_thread(), other.number()}) {
        EXPECT_TRUE(std::binary_search(threads.begin(), threads.end(), thread)) << thread;
    }
}

TEST(process_affinity, pins_threads_that_start_meanwhile) {
    if (!library_test::can_pin()) {
        GTEST_SKIP() << "this system pins no threads";
    }
    const cpu_set before = mask_of(0);
    const cpu_set one{*before.begin()};
    int missed_in_all = 0;
    for (int round = 0; round < 100; ++round) {
        // Each thread of a chain starts the next and stays, so that every look finds new ones.
        std::vector<std::thread> chain(8);
        library_test::latch first(1);
        library_test::latch all(8);
        library_test::latch pinned(1);
        library_test::latch looked(8);
        library_test::latch pinned_again(1);
        std::atomic<int> missed{0};
        const auto link = [&](auto&& self, std::size_t index) -> void {
            if (index == 0) {
                first.count_down();
            }
            if (index + 1 < chain.size()) {
                chain[index + 1] = std::thread(self, self, index + 1);
            }
            all.count_down();
            pinned.wait();
            missed += mask_of(0) == one ? 0 : 1;
            looked.count_down();
            pinned_again.wait();
            EXPECT_EQ(mask_of(0), one) << "thread " << index;
        };
        chain[0] = std::thread(link, link, 0);
        first.wait();
        EXPECT_EQ(regatta::try_pin_process(0, one), 0);
        EXPECT_EQ(mask_of(0), one);
        all.wait();
        pinned.count_down();
        looked.wait();
        missed_in_all += missed.load();
        EXPECT_EQ(regatta::try_pin_process(0, one), 0);
        pinned_again.count_down();
        for (std::thread& thread : chain) {
            thread.join();
        }
        ASSERT_EQ(regatta::try_pin_process(0, before), 0);
        ASSERT_EQ(mask_of(0), before);
    }
    // One is missed where its starter lost its CPU in the midst of making it: none to six of the
    // 800 threads were, with the CPUs free and busy. A single look misses more than five hundred.
    EXPECT_LT(missed_in_all, 80);
}

TEST(process_affinity, of_a_process_that_does_not_exist_is_an_error) {
    EXPECT_EQ(regatta::try_pin_process(no_thread, cpu_set{0}), ESRCH);
    EXPECT_TRUE(regatta::threads_of(no_thread).empty());
}

TEST(process_affinity, threads_that_cannot_be_listed_are_an_error_of_their_own) {
    if (!library_test::can_pin()) {
        GTEST_SKIP() << "this system pins no threads";
    }
    const cpu_set mine = mask_of(0);
    const pid_t child = ::fork();
    if (child == 0) {
        const rlimit none{};
        ::_exit(::setrlimit(RLIMIT_NOFILE, &none) == 0 ? regatta::try_pin_process(0, mine) : 255);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), EMFILE);
}

TEST(process_affinity, an_error_names_the_process_and_the_cpus) {
    try {
        regatta::pin_process(no_thread, cpu_set{0});
        FAIL();
    } catch (const std::system_error& error) {
        const std::string name = "pin process " + std::to_string(no_thread) + " to CPUs '0'";
        EXPECT_TRUE(std::string(error.what()).starts_with(name)) << error.what();
    }
}
