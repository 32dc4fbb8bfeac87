// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// Sorting calls the standard's algorithms as they may be called: this file is compiled with the
// checks of libstdc++ (_GLIBCXX_DEBUG), which abort otherwise.

#include <regatta/fork/parallel_algorithms.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

TEST(fork_checked, sorts_ascending_descending_and_mixed_ranges) {
    std::vector<int> sorted(5000);
    std::iota(sorted.begin(), sorted.end(), 0);
    for (const int factor : {1, -1, 1777}) {
        std::vector<int> input;
        for (const int number : sorted) {
            input.push_back((number * factor + (factor < 0 ? 4999 : 0)) % 5000);
        }
        std::vector<int> stable = input;
        regatta::parallel_sort(input.begin(), input.end());
        EXPECT_TRUE(input == sorted);
        regatta::parallel_stable_sort(stable.begin(), stable.end());
        EXPECT_TRUE(stable == sorted);
        regatta::parallel_sort(input.begin(), input.end(), std::greater<>{});
        EXPECT_TRUE(std::equal(sorted.rbegin(), sorted.rend(), input.begin(), input.end()));
    }
}
