// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// Loops over indices of 128 bits, which are integers to the GNU dialect of the language only.

#include <regatta/fork.hpp>
#include <regatta/pool.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <concepts>
#include <cstddef>
#include <functional>
#include <limits>
#include <ranges>
#include <stdexcept>

namespace {

__extension__ typedef __int128 wide;
static_assert(std::integral<wide>);

wide sum_of(regatta::balanced_pool& pool, wide begin, wide end, bool deterministic) {
    return regatta::parallel_transform_reduce(pool, begin, end, wide{0}, std::plus<>(),
                                              [](wide i) { return i; },
                                              {.deterministic = deterministic});
}

} // namespace

// "`first` and `last` are … indices, which are passed to `transform` themselves"
TEST(fork_wide_indices, are_reduced_wherever_they_lie) {
    regatta::balanced_pool pool(2);
    constexpr wide large = wide{1} << 100;
    for (const bool deterministic : {false, true}) {
        EXPECT_TRUE(sum_of(pool, large, large + 10'000, deterministic) ==
                    large * 10'000 + 49'995'000);
        EXPECT_TRUE(sum_of(pool, -5, 7, deterministic) == 6);
        EXPECT_TRUE(sum_of(pool, -5'000, 5'001, deterministic) == 0);
    }
    std::atomic<int> visits{0};
    regatta::parallel_for(pool, -large, -large + 1'000, [&](wide) { ++visits; });
    EXPECT_EQ(visits, 1'000);
}

// "So are more elements than a `std::ptrdiff_t` can count", also where their number is an integer.
TEST(fork_wide_indices, no_loop_over_more_elements_than_can_be_counted) {
    const auto all = std::views::iota(std::size_t{0}, std::numeric_limits<std::size_t>::max());
    static_assert(std::integral<decltype(all.end() - all.begin())>);
    const auto never = [](std::size_t) { throw std::runtime_error("called"); };
    EXPECT_THROW(regatta::parallel_for(all, never), std::invalid_argument);
    EXPECT_THROW(regatta::parallel_for_each(all.begin(), all.end(), never), std::invalid_argument);
    EXPECT_THROW(regatta::parallel_reduce(all.begin(), all.end(), std::size_t{0}),
                 std::invalid_argument);
}
