// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// What the algorithms with a policy promise as their namesakes of the standard do.

#include <regatta/fork/execution.hpp>
#include <regatta/fork/join.hpp>
#include <regatta/pool/balanced_pool.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <vector>

namespace {

// "As `parallel_transform_reduce`": `op` sees what `map` returns, as in `std::transform_reduce`. On
// one worker: a second one may begin with a `T` made of an element.
TEST(fork_policies, reduces_what_the_map_returns_before_it_becomes_the_result) {
    regatta::balanced_pool alone(1);
    const std::vector<int> one{1};
    auto product = alone.submit([&] {
        return regatta::transform_reduce(regatta::par, one.begin(), one.end(), 10,
                                         std::multiplies<>{}, [](int) { return 0.5; });
    });
    EXPECT_EQ(product.get(), 5);
    const std::vector<double> a{-0.5};
    const std::vector<double> b{1};
    auto sum = alone.submit(
        [&] { return regatta::transform_reduce(regatta::par, a.begin(), a.end(), b.begin(), 3); });
    EXPECT_EQ(sum.get(), 2);
}

// As in the standard what is reduced may be a pointer or an iterator.
TEST(fork_policies, reduce_to_the_place_of_an_element) {
    const std::vector<int> all{3, 9, 1, 4};
    const auto larger = [](const int* a, const int* b) {
        return b == nullptr || (a != nullptr && *a >= *b) ? a : b;
    };
    const int* const none = nullptr;
    EXPECT_EQ(regatta::transform_reduce(regatta::par, all.begin(), all.end(), none, larger,
                                        [](const int& one) { return &one; }),
              &all[1]);
    EXPECT_EQ(regatta::transform_reduce(regatta::par, all.begin(), all.end(), all.begin(), 1),
              1 + 9 + 81 + 1 + 16);
    EXPECT_EQ(regatta::transform_reduce(regatta::par, all.begin(), all.end(), all.begin(), 1,
                                        std::plus<>(), std::minus<>()),
              1);
}

TEST(fork_policies, counts_with_a_predicate_that_takes_the_element_itself) {
    std::vector<int> all{1, 2, 3};
    EXPECT_EQ(regatta::count_if(regatta::par, all.begin(), all.end(), [](int& e) { return e > 1; }),
              2);
}

namespace elsewhere {
// A name of the library's, which takes anything.
template<class F, class G>
void join(F&&, G&&) {}
template<class... A>
void parallel_sort(A&&...) {}
template<class... A>
void parallel_reduce(A&&...) {}
struct number {
    int value = 0;
    friend bool operator<(number a, number b) { return a.value < b.value; }
    friend number operator+(number a, number b) { return {a.value + b.value}; }
    void operator()() const {}
};
} // namespace elsewhere

TEST(fork_policies, call_no_function_of_the_user_s_namespace) {
    regatta::balanced_pool pool(2);
    regatta::join(pool, elsewhere::number(), elsewhere::number());
    std::vector<elsewhere::number> all{{3}, {1}, {2}};
    regatta::sort(regatta::par.on(pool), all.data(), all.data() + all.size());
    EXPECT_EQ(all.front().value, 1);
    EXPECT_EQ(regatta::reduce(regatta::par, all.data(), all.data() + all.size()).value, 6);
}

} // namespace
