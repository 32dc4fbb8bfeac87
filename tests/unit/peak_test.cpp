// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "machine/peak.hpp"
#include "machine/peak_loop.hpp"
#include "workloads/workload.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

using namespace regatta::race;
using testing::HasSubstr;

// As many as were done: a multiplication and an addition in each lane of each of twelve chains.
TEST(peak, loops_count_their_operations) {
    EXPECT_EQ(peak_loop_generic(100), 100u * 2 * 4 * 12);
    EXPECT_EQ(peak_loop_generic_double(100), 100u * 2 * 2 * 12);
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        EXPECT_EQ(peak_loop_avx2(100), 100u * 2 * 8 * 12);
        EXPECT_EQ(peak_loop_avx2_double(100), 100u * 2 * 4 * 12);
    }
    if (__builtin_cpu_supports("avx512f")) {
        EXPECT_EQ(peak_loop_avx512(100), 100u * 2 * 16 * 12);
        EXPECT_EQ(peak_loop_avx512_double(100), 100u * 2 * 8 * 12);
    }
#endif
}

TEST(peak, is_a_figure_with_its_source) {
    const floating_point_peak peak = peak_gflops();
    EXPECT_GT(peak.gflops, 0.01);
    EXPECT_LT(peak.gflops, 10'000);
    EXPECT_THAT(peak.source, HasSubstr("multiply-add loop"));
}

// A vector holds half as many doubles.
TEST(peak, is_that_of_the_elements) {
    EXPECT_THAT(peak_gflops().source, HasSubstr("floats at once"));
    EXPECT_THAT(peak_gflops(true).source, HasSubstr("doubles at once"));
    const auto at_once = [](bool of_doubles) {
        const std::string source = peak_gflops(of_doubles).source;
        return std::stoul(source.substr(source.rfind(", ") + 2));
    };
    EXPECT_EQ(at_once(false), 2 * at_once(true));
}

TEST(peak, is_in_the_unit_of_a_product) {
    const amount product = find_workload("matmul")->make({.size = 100})->work_of_run();
    EXPECT_DOUBLE_EQ(product.value, 2e6 / 1e9);
    EXPECT_EQ(product.unit, "GFLOP");
}
