// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// Which functions a process pool tells apart, and which it can offer.

#include "support/pool_functions.hpp"

#include <regatta/process/process_pool.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>

namespace told_apart {

double scaled(double x, float factor) {
    return x * static_cast<double>(factor);
}
double scaled(double x, double factor) {
    return x + factor;
}
inline constexpr auto by_float = static_cast<double (*)(double, float)>(&scaled);
inline constexpr auto by_double = static_cast<double (*)(double, double)>(&scaled);

int halved(int x) {
    return x / 2;
}
float halved(float x) {
    return x / 2;
}
inline constexpr auto of_int = static_cast<int (*)(int)>(&halved);
inline constexpr auto of_float = static_cast<float (*)(float)>(&halved);

} // namespace told_apart

namespace of_one_form {

struct matrix {
    std::array<double, 100> values;
};
double first(const matrix& from) {
    return from.values[0];
}
matrix filled(double value) {
    matrix made{};
    made.values.fill(value);
    return made;
}
void copy(std::span<const double> from, std::span<double> to) {
    for (std::size_t i = 0; i < from.size(); ++i) {
        to[i] = from[i];
    }
}

} // namespace of_one_form

using pool_test::process_pool;

// "by the sizes of what it takes": of what follows the element, too.
TEST_F(process_pool, tells_functions_apart_by_the_sizes_of_further_arguments) {
    regatta::process_pool pool(1);
    const auto in = pool.allocate_input<double>(2);
    const auto out = pool.allocate<double>(2);
    in[1] = 5;
    pool.map<told_apart::by_float>(in, out, 2, 2.0f).get();
    EXPECT_EQ(out[1], 10);
    pool.map<told_apart::by_double>(in, out, 2, 2.0).get();
    EXPECT_EQ(out[1], 7);
}

// "Those that have all in common cannot be told apart, and their calls are refused": "overloads".
TEST_F(process_pool, refuses_two_functions_of_one_name_and_size) {
    regatta::process_pool pool(1);
    const auto refusal = [](auto&& call) -> std::string {
        try {
            call();
        } catch (const std::logic_error& error) {
            return error.what();
        }
        return "taken";
    };
    for (const std::string& text :
         {refusal([&] { static_cast<void>(pool.submit<told_apart::of_int>(5)); }),
          refusal([&] { pool.execute<told_apart::of_float>(5.0f); })}) {
        EXPECT_NE(text.find("two functions are called"), std::string::npos) << text;
        EXPECT_NE(text.find("halved"), std::string::npos) << text;
    }
    EXPECT_EQ(pool.stats().submitted, 0u);
}

// Elements of `map` have any size; a function of spans alone is for `submit`.
TEST_F(process_pool, offers_functions_that_have_one_form_alone) {
    using namespace of_one_form;
    regatta::offer_process_functions<first, filled, copy>();
    regatta::process_pool pool(1);
    const auto values = pool.allocate<double>(2);
    const auto matrices = pool.allocate<matrix>(2);
    values[1] = 5;
    pool.map<filled>(values, matrices).get();
    pool.map<first>(matrices, values.first(1), 1).get();
    pool.submit<copy>(values.last(1), values.first(1)).get();
    EXPECT_EQ(matrices[1].values[99], 5);
    EXPECT_EQ(values[0], 5);
}
