// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What the tests of the process pool share: a fixture that looks for leaks, and functions.

#include "support/eventually.hpp"

#include <regatta/process/process_pool.hpp>

#include <gtest/gtest.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

namespace pool_test {

/// Says what does not hold, in a child that cannot use the test framework.
inline bool expect(bool holds, const char* what) {
    if (!holds) {
        std::printf("not so: %s\n", what);
    }
    return holds;
}

inline std::size_t entries_of(const char* folder) {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        static_cast<void>(entry);
        ++count;
    }
    return count;
}

/// The first mapping of this process that is a file with a name in /dev/shm.
inline std::string name_in_shm() {
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        if (line.find(" /dev/shm/") != std::string::npos && !line.ends_with(" (deleted)")) {
            return line;
        }
    }
    return "";
}

/// "No descriptor, no zombie is left", at its end; a pool's memory has no name that could be left.
class leak_check {
public:
    leak_check() {
        { // What is opened once only.
            const regatta::process_pool first(1);
            EXPECT_EQ(name_in_shm(), "");
        }
        descriptors_ = entries_of("/proc/self/fd");
    }
    leak_check(const leak_check&) = delete;
    leak_check& operator=(const leak_check&) = delete;
    ~leak_check() {
        EXPECT_EQ(entries_of("/proc/self/fd"), descriptors_);
        EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
        EXPECT_EQ(errno, ECHILD);
    }

private:
    std::size_t descriptors_ = 0;
};

/// What each test of the process pool has around it.
class process_pool : public testing::Test {
private:
    library_test::time_limit limit_{"a test of process pools"};
    leak_check leaks_;
};

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

/// A few hundred instructions whose result depends on each of them.
inline std::uint64_t mixed(std::uint64_t x) {
    for (int i = 0; i < 50; ++i) {
        x = (x ^ x >> 31) * 0x9e3779b97f4a7c15u + 1;
    }
    return x;
}

} // namespace pool_test
