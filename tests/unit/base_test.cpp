// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include <regatta/base/cache_line.hpp>
#include <regatta/base/config.hpp>
#include <regatta/base/detail/text_parts.hpp>
#include <regatta/base/error.hpp>
#include <regatta/base/version.hpp>

#include <gtest/gtest.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>

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

TEST(decimal, writes_every_number) {
    using limits = std::numeric_limits<std::int64_t>;
    for (const std::int64_t n :
         {std::int64_t{0}, std::int64_t{7}, std::int64_t{-10}, limits::max(), limits::min()}) {
        EXPECT_EQ(std::string_view(regatta::detail::decimal(n)), std::to_string(n));
    }
}

#if REGATTA_EXCEPTIONS
// "throws `std::system_error` with the code and the operation": the reason stands in it once.
TEST(error, of_the_system_says_the_operation_and_once_the_reason) {
    const std::string reason = std::generic_category().message(ENOENT);
    const auto text = [&](const std::string& operation) -> std::string {
        try {
            regatta::fail_system(ENOENT, operation);
        } catch (const std::system_error& error) {
            EXPECT_EQ(error.code(), std::errc::no_such_file_or_directory);
            return error.what();
        }
    };
    EXPECT_EQ(text("open 'a'"), "open 'a': " + reason);
    EXPECT_EQ(text("open 'a': " + reason), "open 'a': " + reason);
    EXPECT_EQ(text("open 'b, " + reason), "open 'b, " + reason + ": " + reason);
}
#endif
