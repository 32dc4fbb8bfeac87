// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "machine/blas.hpp"

#include <regatta/base/config.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <pthread.h>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <vector>

using namespace regatta::race;
using testing::HasSubstr;

TEST(blas, says_what_it_is) {
    const blas* library = blas::find();
    if (library == nullptr) {
        EXPECT_THAT(blas::missing(), HasSubstr("libopenblas0-pthread"));
        EXPECT_THROW(blas::load(), std::runtime_error);
        return;
    }
    EXPECT_EQ(blas::missing(), "");
    EXPECT_THAT(library->configuration(), HasSubstr(library->version()));
    EXPECT_THAT(library->version(), testing::StartsWith("0."));
    EXPECT_FALSE(library->core().empty());
    EXPECT_TRUE(library->core_as_requested()) << library->core();
}

// A thread that has been joined may be listed for a while: the kernel removes it later.
TEST(blas, threads_that_end_meanwhile_are_none_that_did_not_start) {
    if (!blas::missing().empty()) {
        GTEST_SKIP() << blas::missing();
    }
    if (REGATTA_THREAD_SANITIZER != 0) {
        GTEST_SKIP() << "the sanitizer does not see how OpenBLAS synchronises its threads";
    }
    std::atomic<bool> end = false;
    std::vector<std::thread> ending;
    for (int i = 0; i < 100; ++i) {
        ending.emplace_back([&end] { end.wait(false); });
    }
    end = true;
    end.notify_all();
    EXPECT_NO_THROW(blas::load().set_threads(8));
    for (std::thread& one : ending) {
        one.join();
    }
    blas::load().set_threads(1);
}

// "Throws if the library was built for fewer threads": in a process of its own, which ends with
// them.
TEST(blas, says_for_how_many_threads_it_was_built) {
    if (!blas::missing().empty()) {
        GTEST_SKIP() << blas::missing();
    }
    if (REGATTA_THREAD_SANITIZER != 0) {
        GTEST_SKIP() << "the sanitizer does not see how OpenBLAS synchronises its threads";
    }
    const auto fail = [] {
        for (int again = 0; again < 2; ++again) { // Its threads are there the second time.
            try {
                blas::load().set_threads(100'000);
                std::_Exit(1);
            } catch (const std::runtime_error& error) {
                std::fputs(error.what(), stderr);
            }
        }
        std::_Exit(blas::load().threads() == 1 ? 0 : 1);
    };
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    EXPECT_EXIT(fail(), testing::ExitedWithCode(0),
                "built for [0-9]+ threads at most.*built for [0-9]+ threads at most");
}

// In a process of its own, which has not loaded the library yet.
TEST(blas, leaves_the_users_environment_as_it_was) {
    const auto load = [] {
        ::setenv("OPENBLAS_NUM_THREADS", "3", 1);
        const blas* const library = blas::find();
        const bool one = library == nullptr || library->threads() == 1;
        std::_Exit(one && std::getenv("OPENBLAS_NUM_THREADS") == std::string_view("3") ? 0 : 1);
    };
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    EXPECT_EXIT(load(), testing::ExitedWithCode(0), "");
}

// "Throws if the system gives fewer threads": in a process of its own, whose OpenBLAS is of no use
// afterwards.
TEST(blas, says_how_many_threads_it_could_start) {
    if (!blas::missing().empty()) {
        GTEST_SKIP() << blas::missing();
    }
    if (REGATTA_THREAD_SANITIZER != 0) {
        GTEST_SKIP() << "the sanitizer does not see how OpenBLAS synchronises its threads";
    }
    const auto fail = [] {
        pthread_attr_t huge;
        ::pthread_attr_init(&huge);
        ::pthread_attr_setstacksize(&huge, std::size_t{1} << 46); // No thread gets such a stack.
        ::pthread_setattr_default_np(&huge);
        try {
            blas::load().set_threads(40);
        } catch (const std::runtime_error& error) {
            std::fputs(error.what(), stderr);
            std::_Exit(0);
        }
        std::_Exit(1);
    };
    // A fork of this process would have the threads that other tests have started.
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    EXPECT_EXIT(fail(), testing::ExitedWithCode(0), "could start only [0-9]+ of [0-9]+ threads");
}
