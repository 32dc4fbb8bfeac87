// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
// expect: no matching function for call to .*parallel_reduce
#include <regatta/fork.hpp>

#include <vector>

struct element {
    int number = 0;
};
/// Each worker begins with an element of its own.
struct total {
    int number = 0;
    total() = default;
#ifdef EXPECT_OK
    total(element one) : number(one.number) {}
#endif
};
struct adding {
    total operator()(total, element) const { return {}; }
    total operator()(total, total) const { return {}; }
};

auto use(const std::vector<element>& all) {
    return regatta::parallel_reduce(all.begin(), all.end(), total(), adding());
}
