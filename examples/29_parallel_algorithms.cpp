// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// Standard algorithms in parallel: by name, and with a policy.

#include <regatta/fork/execution.hpp>
#include <regatta/pool/balanced_pool.hpp>

#include <cstdio>
#include <functional>
#include <vector>

namespace {

bool by_name() {
    std::vector<int> numbers{5, 3, 9, 1, 7};
    regatta::parallel_sort(numbers.begin(), numbers.end());
    const auto large = [](int one) { return one > 4; };
    const auto first = regatta::parallel_find_if(numbers.begin(), numbers.end(), large);
    std::vector<int> sums(numbers.size());
    regatta::parallel_inclusive_scan(numbers.begin(), numbers.end(), sums.begin());
    return *first == 5 && sums.back() == 25;
}

bool with_a_policy() {
    std::vector<int> numbers(100'000, 2);
    std::vector<int> squares(numbers.size());
    regatta::transform(regatta::par, numbers.begin(), numbers.end(), squares.begin(),
                       [](int one) { return one * one; });
    return regatta::reduce(regatta::par, squares.begin(), squares.end()) == 400'000;
}

bool on_a_pool() {
    regatta::balanced_pool pool(2);
    std::vector<int> numbers{3, 1, 2};
    regatta::parallel_sort(pool, numbers.begin(), numbers.end());
    regatta::sort(regatta::par.on(pool), numbers.begin(), numbers.end(), std::greater<>{});
    return numbers.front() == 3;
}

} // namespace

int main() {
    if (!by_name() || !with_a_policy() || !on_a_pool()) {
        std::puts("wrong");
        return 1;
    }
    std::puts("sorted, found, summed up");
}
