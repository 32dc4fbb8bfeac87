// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "support/meeting.hpp"
#include "support/this_thread.hpp"

#include <regatta/cpu/affinity.hpp>
#include <regatta/process/process_affinity.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <thread>
#include <utility>
#include <vector>

namespace {

using regatta::cpu_set;
using regatta::thread_number;

/// Above the largest number that a thread or a process can have.
constexpr thread_number no_thread = 2'000'000'000;

cpu_set mask_of(thread_number thread) {
    cpu_set set;
    EXPECT_EQ(regatta::try_affinity_of_thread(thread, set), 0);
    return set;
}

/// A thread that waits until it is told to end.
class waiting_thread {
public:
    waiting_thread()
        : thread_([this] {
            number_ = regatta::number_of_this_thread();
            begun_.count_down();
            end_.wait();
        }) {
        begun_.wait();
    }
    waiting_thread(const waiting_thread&) = delete;
    waiting_thread& operator=(const waiting_thread&) = delete;
    ~waiting_thread() {
        end_.count_down();
        thread_.join();
    }

    thread_number number() const { return number_; }

private:
    library_test::latch begun_{1};
    library_test::latch end_{1};
    thread_number number_ = 0; // Written before begun_ is counted down, read after.
    std::thread thread_;
};

} // namespace

TEST(thread_affinity, another_thread_is_pinned_by_its_number) {
    if (!library_test::can_pin()) {
        GTEST_SKIP() << "this system pins no threads";
    }
    const cpu_set before = mask_of(0);
    const waiting_thread other;
    EXPECT_EQ(mask_of(other.number()), before);
    for (const unsigned cpu : before) {
        EXPECT_EQ(regatta::try_pin_thread(other.number(), cpu_set{cpu}), 0);
        EXPECT_EQ(mask_of(other.number()), cpu_set{cpu});
        EXPECT_EQ(mask_of(0), before);
    }
    EXPECT_EQ(regatta::try_pin_thread(other.number(), cpu_set()), EINVAL);
}

TEST(thread_affinity, of_a_thread_that_does_not_exist_is_an_error) {
    if (!library_test::can_pin()) {
        GTEST_SKIP() << "this system pins no threads";
    }
    cpu_set set;
    EXPECT_EQ(regatta::try_affinity_of_thread(no_thread, set), ESRCH);
    EXPECT_EQ(regatta::try_pin_thread(no_thread, cpu_set{0}), ESRCH);
    EXPECT_EQ(regatta::try_pin_process(no_thread, cpu_set{0}), ESRCH);
    EXPECT_TRUE(regatta::threads_of(no_thread).empty());
}

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
    // One is missed where its starter lost its CPU in the midst of making it, which is rare.
    EXPECT_LT(missed_in_all, 6);
}

TEST(process_affinity, is_reported_as_not_supported_where_it_is_not) {
    if (library_test::can_pin()) {
        GTEST_SKIP() << "this system pins threads";
    }
    EXPECT_EQ(regatta::try_pin_process(0, cpu_set{0}), ENOTSUP);
    EXPECT_EQ(regatta::try_pin_thread(0, cpu_set{0}), ENOTSUP);
    EXPECT_EQ(regatta::number_of_this_thread(), 0);
}
