// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// The workloads that divide themselves by forks.

#include "schemes/scheme.hpp"
#include "workloads/forked/kernels.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

using namespace regatta::race;
using testing::HasSubstr;

namespace {

/// Runs second calls first and loops from their ends: right where the parts are independent.
struct backward_forks {
    template<class F, class G>
    static auto both(F&& f, G&& g) {
        auto second = g();
        return std::pair(f(), second);
    }
    template<class F>
    static void each(std::size_t count, F&& f) {
        while (count-- != 0) {
            f(count);
        }
    }
};

std::vector<const workload_info*> forked_workloads() {
    std::vector<const workload_info*> all;
    for (const workload_info& info : workloads()) {
        if (info.small_size != 0 && info.make({.size = info.small_size})->forks()) {
            all.push_back(&info);
        }
    }
    return all;
}

} // namespace

// "A state in one shared mapping, a number of independent items, and a check of the result."
TEST(forked_workloads, are_right_after_a_run_and_wrong_before) {
    ASSERT_EQ(forked_workloads().size(), 9u);
    for (const workload_info* info : forked_workloads()) {
        SCOPED_TRACE(info->name);
        const auto work = info->make({.size = info->small_size, .seed = 5});
        const auto shared = info->attach(work->descriptor());
        for (int round = 0; round < 2; ++round) {
            EXPECT_FALSE(work->verify().ok);
            for (std::size_t item = 0; item < work->items(); ++item) {
                shared->run(item);
            }
            const verification checked = work->verify();
            EXPECT_TRUE(checked.ok) << checked.message;
            work->reset();
        }
        EXPECT_GT(work->work_of_run().value, 0);
    }
}

TEST(forked_workloads, a_scheme_without_forks_says_so) {
    scheme_info items_only{.name = "items_only"};
    const auto fib = find_workload("fib")->make({.size = 10});
    EXPECT_THAT(items_only.missing(*fib), HasSubstr("fib divides itself"));
    const auto triad = find_workload("triad")->make({.size = 100});
    EXPECT_EQ(items_only.missing(*triad), "");
}

// Read around each, the clock would cost more than they do.
TEST(forked_workloads, short_loops_are_counted_and_not_timed) {
    EXPECT_TRUE(find_workload("triad")->make({.size = 2000})->tiny_items());
    EXPECT_FALSE(find_workload("triad")->make({.size = 2001})->tiny_items());
    EXPECT_FALSE(find_workload("mandelbrot")->make({.size = 16})->tiny_items());
}

// "Whether `Fork` has all that the workload needs."
TEST(forked_workloads, are_offered_by_what_has_their_forks) {
    const auto fib = find_workload("fib")->make({.size = 10});
    const auto sort = find_workload("sort")->make({.size = 1000});
    const auto primes = find_workload("primes")->make({.size = 10});
    EXPECT_TRUE(forked_kernels::offered_by<serial_forks>(*fib));
    EXPECT_TRUE(forked_kernels::offered_by<serial_forks>(*sort));
    EXPECT_FALSE(forked_kernels::offered_by<serial_forks>(*primes));
    EXPECT_TRUE(forked_kernels::offered_by<backward_forks>(*fib));
    EXPECT_FALSE(forked_kernels::offered_by<backward_forks>(*sort));
}

TEST(forked_workloads, do_not_depend_on_the_order_of_their_forks) {
    for (const workload_info* info : forked_workloads()) {
        SCOPED_TRACE(info->name);
        const auto work = info->make({.size = info->small_size, .seed = 6});
        if (forked_kernels::offered_by<backward_forks>(*work)) {
            forked_kernels::visit<backward_forks>(
                *work, [](auto& kernel) { kernel.template run<backward_forks>(); });
            EXPECT_TRUE(work->verify().ok) << work->verify().message;
        }
    }
}

// "C·v = A·(B·v) for a random v": one that hides no column.
TEST(matmul_tree, one_wrong_element_is_found_wherever_it_is) {
    constexpr std::size_t size = 100;
    const std::unique_ptr<workload> work = find_workload("matmul_tree")->make({.size = size});
    auto* const data = dynamic_cast<forked_workload<matmul_tree_kernel>&>(*work).data();
    double* const product = reinterpret_cast<double*>(data) + 2 * size * size;
    work->run(0);
    ASSERT_TRUE(work->verify().ok) << work->verify().message;
    for (std::size_t i = 0; i < size; ++i) {
        double& element = product[i * size + i * 37 % size]; // One of each row and column.
        element += 1;
        EXPECT_FALSE(work->verify().ok) << "element " << &element - product;
        element -= 1;
    }
    ASSERT_TRUE(work->verify().ok);
}

// A part that is divided wrongly leaves an element out, or has it twice.
TEST(reduce, each_element_counts) {
    const std::unique_ptr<workload> work = find_workload("reduce")->make({.size = 5000});
    auto* const data = dynamic_cast<forked_workload<reduce_kernel>&>(*work).data();
    double* const sum = reinterpret_cast<double*>(data);
    work->run(0);
    ASSERT_TRUE(work->verify().ok) << work->verify().message;
    const double right = *sum;
    for (std::size_t i = 1; i <= 5000; ++i) {
        *sum = right - sum[i];
        EXPECT_FALSE(work->verify().ok) << "without element " << i - 1;
        *sum = right + sum[i];
        EXPECT_FALSE(work->verify().ok) << "twice element " << i - 1;
    }
}

// In order, but not what was to be sorted.
TEST(sort, a_number_that_is_doubled_is_found) {
    constexpr std::size_t size = 1000;
    const std::unique_ptr<workload> work = find_workload("sort")->make({.size = size});
    auto* const data = dynamic_cast<forked_workload<sort_kernel>&>(*work).data();
    std::uint32_t* const sorted = reinterpret_cast<std::uint32_t*>(data) + size;
    work->run(0);
    ASSERT_TRUE(work->verify().ok) << work->verify().message;
    sorted[size - 2] = sorted[size - 1];
    const verification checked = work->verify();
    EXPECT_FALSE(checked.ok);
    EXPECT_THAT(checked.message, HasSubstr("lost or doubled"));
}

// What a run amounts to, where that is not counted in items.
TEST(forked_workloads, amount_to_what_their_definition_says) {
    const auto amounts_to = [](const char* name, std::size_t size) {
        return find_workload(name)->make({.size = size})->work_of_run();
    };
    EXPECT_EQ(amounts_to("fib", 10).value, 88); // fib(11) - 1
    EXPECT_EQ(amounts_to("fib", 10).unit, "forks");
    EXPECT_EQ(amounts_to("skynet", 3).value, 10 + 100 + 1000);
    EXPECT_EQ(amounts_to("skynet", 3).unit, "forks");
    EXPECT_EQ(amounts_to("nqueens", 6).value, 1);
    EXPECT_DOUBLE_EQ(amounts_to("matmul_tree", 50).value, 2 * 50 * 50 * 50 / 1e9);
    EXPECT_EQ(amounts_to("tree_sum", 150).value, 150);
    EXPECT_DOUBLE_EQ(amounts_to("reduce", 150).value, 150 * 8 / 1e9);
    EXPECT_EQ(amounts_to("sort", 150).value, 150);
    EXPECT_EQ(amounts_to("mandelbrot", 20).value, 20 * 20);
    EXPECT_DOUBLE_EQ(amounts_to("triad", 3000).value, 999'000 * 24 / 1e9); // whole loops
    EXPECT_DOUBLE_EQ(amounts_to("triad", 2'000'000).value, 2e6 * 24 / 1e9);
}

TEST(nqueens, known_counts_are_those_that_are_found) {
    for (std::size_t queens = 4; queens <= 11; ++queens) {
        const std::unique_ptr<workload> work = find_workload("nqueens")->make({.size = queens});
        work->run(0);
        EXPECT_TRUE(work->verify().ok) << queens << ": " << work->verify().message;
    }
}
