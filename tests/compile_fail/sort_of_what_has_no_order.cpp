// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
// expect: compares_elements
#include <regatta/fork.hpp>

#include <vector>

struct element {
    int number = 0;
#ifdef EXPECT_OK
    bool operator<(const element&) const {
        return false;
    }
#endif
};

void use(std::vector<element>& all) {
    regatta::parallel_sort(all.begin(), all.end());
}
