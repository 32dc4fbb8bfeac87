// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
// expect: reduces
#include <regatta/fork.hpp>

#include <vector>

struct element {
    int number = 0;
#ifdef EXPECT_OK
    element operator+(const element&) const {
        return *this;
    }
#endif
};

auto use(const std::vector<element>& all) {
    return regatta::parallel_transform_reduce(all.begin(), all.end(), element(), std::plus<>(),
                                              [](const element& one) { return one; });
}
