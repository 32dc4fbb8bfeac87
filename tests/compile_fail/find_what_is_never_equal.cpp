// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
// expect: equals_elements
#include <regatta/fork.hpp>

#include <vector>

struct element {
    int number = 0;
#ifdef EXPECT_OK
    bool operator==(const element&) const {
        return true;
    }
#endif
};

auto use(const std::vector<element>& all) {
    return regatta::parallel_find(all.begin(), all.end(), element());
}
