// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include <regatta/base/cache_line.hpp>
#include <regatta/base/version.hpp>

#include <gtest/gtest.h>

#include <string>

TEST(version, text_agrees_with_the_numbers) {
    const std::string numbers = std::to_string(regatta::version_major) + "." +
                                std::to_string(regatta::version_minor) + "." +
                                std::to_string(regatta::version_patch);
    EXPECT_EQ(numbers, regatta::version_string);
}

TEST(padded, shares_its_cache_lines_with_nothing) {
    regatta::padded<char> two[2];
    const auto distance = reinterpret_cast<char*>(&two[1]) - reinterpret_cast<char*>(&two[0]);
    EXPECT_GE(static_cast<std::size_t>(distance), regatta::cache_line_size);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&two[0]) % regatta::cache_line_size, 0u);
}
