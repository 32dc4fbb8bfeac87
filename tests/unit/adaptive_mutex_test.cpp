// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include <regatta/sync/adaptive_mutex.hpp>

#include <gtest/gtest.h>

#include <mutex>
#include <thread>
#include <vector>

TEST(adaptive_mutex, is_taken_by_one_and_free_after_unlock) {
    regatta::adaptive_mutex lock;
    EXPECT_TRUE(lock.try_lock());
    EXPECT_FALSE(lock.try_lock());
    std::thread([&] { EXPECT_FALSE(lock.try_lock()); }).join();
    lock.unlock();
    std::thread([&] {
        EXPECT_TRUE(lock.try_lock());
        lock.unlock();
    }).join();
    const std::unique_lock guard(lock, std::try_to_lock);
    EXPECT_TRUE(guard.owns_lock());
}

TEST(adaptive_mutex, keeps_threads_apart) {
    constexpr int threads = 4;
    constexpr int rounds = 5000;
    regatta::adaptive_mutex lock;
    long plain = 0; // Not atomic: only the lock orders it.
    std::vector<std::thread> all;
    for (int t = 0; t < threads; ++t) {
        all.emplace_back([&] {
            for (int i = 0; i < rounds; ++i) {
                const std::lock_guard guard(lock);
                plain = plain + 1;
            }
        });
    }
    for (auto& thread : all) {
        thread.join();
    }
    EXPECT_EQ(plain, long{threads} * rounds);
}
