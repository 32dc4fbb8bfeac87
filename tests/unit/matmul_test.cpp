// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "machine/blas.hpp"
#include "workloads/matmul.hpp"
#include "workloads/matmul_kernels.hpp"
#include "workloads/matmul_reference.hpp"
#include "workloads/products.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regatta/base/config.hpp>
#include <regatta/process/shared_memory.hpp>

#include <cmath>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <ostream>
#include <random>
#include <stdexcept>
#include <sys/resource.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

using namespace regatta::race;
using testing::AllOf;
using testing::HasSubstr;

namespace {

void run_all(workload& work) {
    for (std::size_t item = 0; item < work.items(); ++item) {
        work.run(item);
    }
}

struct matrices {
    explicit matrices(std::size_t size)
        : n(size)
        , a(n * n)
        , b(n * n)
        , c(n * n, std::numeric_limits<float>::quiet_NaN()) {
        std::mt19937 random(42);
        std::uniform_real_distribution<float> uniform(-1, 1);
        for (std::size_t i = 0; i < n * n; ++i) {
            a[i] = uniform(random);
            b[i] = uniform(random);
        }
    }
    matmul_reference reference(matmul_reference::method how) const {
        return {n, a.data(), b.data(), how};
    }

    std::size_t n;
    std::vector<float> a, b, c;
};

std::string what_of(const workload_options& options) {
    try {
        make_matmul(options);
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return "no std::invalid_argument";
}

struct kernel_case {
    const char* name;
    matmul_kernel* function;
    bool runs_here;
    friend std::ostream& operator<<(std::ostream& out, const kernel_case& one) {
        return out << one.name;
    }
};

std::vector<kernel_case> kernel_cases() {
    return {
        {"naive", matmul_naive, true}, {"tiled", matmul_tiled, true},
            {"tiled_generic", matmul_tiled_generic, true},
#if defined(__x86_64__)
            {"tiled_avx2", matmul_tiled_avx2,
             __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")},
            {"tiled_avx512", matmul_tiled_avx512, __builtin_cpu_supports("avx512f") != 0},
#endif
    };
}

struct matmul_kernels : testing::TestWithParam<kernel_case> {};

} // namespace

// Sizes around the widths of tiles and the depth of panels; blocks that do not divide them.
TEST_P(matmul_kernels, is_right_for_awkward_sizes_and_writes_only_its_block) {
    if (!GetParam().runs_here) {
        GTEST_SKIP() << "this processor has no " << GetParam().name;
    }
    for (const std::size_t n : {1u, 3u, 8u, 31u, 64u, 65u, 100u, 257u}) {
        SCOPED_TRACE(n);
        matrices m(n);
        std::size_t rows = 1;
        for (std::size_t row = 0; row < n; row += rows, rows = rows % 19 + 1) {
            rows = std::min(rows, n - row);
            std::size_t columns = n / 3 + 1;
            for (std::size_t column = 0; column < n; column += columns) {
                columns = std::min(columns, n - column);
                GetParam().function(n, {row, rows, column, columns}, m.a.data(), m.b.data(),
                                    m.c.data());
                if (column + columns < n) {
                    ASSERT_TRUE(std::isnan(m.c[row * n + column + columns]))
                        << "wrote beyond its columns";
                }
            }
            if (row + rows < n) {
                ASSERT_TRUE(std::isnan(m.c[(row + rows) * n])) << "wrote beyond its rows";
            }
        }
        const verification checked =
            m.reference(matmul_reference::method::plain).compare(m.c.data());
        EXPECT_TRUE(checked.ok) << checked.message;
    }
}

INSTANTIATE_TEST_SUITE_P(all, matmul_kernels, testing::ValuesIn(kernel_cases()),
                         [](const auto& one) { return std::string(one.param.name); });

TEST(matmul, every_kernel_computes_the_product) {
    for (const char* kernel : {"naive", "tiled", "blas"}) {
        if (*kernel == 'b' && !blas::missing().empty()) {
            continue;
        }
        for (const std::size_t size : {64u, 100u, 130u, 257u}) {
            SCOPED_TRACE(std::string(kernel) + " " + std::to_string(size));
            const auto work = make_matmul({.size = size, .kernel = kernel, .seed = 3});
            EXPECT_FALSE(work->verify().ok) << "nothing was computed yet";
            run_all(*work);
            const verification checked = work->verify();
            EXPECT_TRUE(checked.ok) << checked.message;
            work->reset();
            EXPECT_FALSE(work->verify().ok) << "reset spoils the output";
        }
    }
}

TEST(matmul, double_precision_is_computed_and_held_to_its_own_rounding) {
    for (const char* kernel : {"naive", "blas"}) {
        if (*kernel == 'b' && !blas::missing().empty()) {
            continue;
        }
        SCOPED_TRACE(kernel);
        const auto work = make_matmul({.size = 130, .kernel = kernel, .seed = 3, .type = "double"});
        const auto shared = attach_matmul(work->descriptor()); // as in another process
        EXPECT_FALSE(work->verify().ok);
        run_all(*shared);
        EXPECT_TRUE(work->verify().ok) << work->verify().message;
    }
    const std::vector<double> a(64 * 64, 1.0 / 3);
    std::vector<double> c(64 * 64, 64.0 / 9);
    const matmul_reference reference(64, a.data(), a.data(), matmul_reference::method::plain);
    EXPECT_TRUE(reference.compare(c.data()).ok);
    c[70] += 1e-6; // right for floats
    EXPECT_FALSE(reference.compare(c.data()).ok);
    EXPECT_THAT(what_of({.kernel = "tiled", .type = "double"}),
                HasSubstr("the kernel tiled computes with float only"));
    EXPECT_THAT(what_of({.type = "half"}), HasSubstr("\"half\"; there are float, double"));
}

TEST(products, each_item_is_a_whole_product) {
    if (!blas::missing().empty()) {
        GTEST_SKIP() << blas::missing();
    }
    for (const char* type : {"float", "double"}) {
        SCOPED_TRACE(type);
        const auto work = make_products({.size = 65, .seed = 3, .items = 3, .type = type});
        const auto shared = attach_products(work->descriptor());
        EXPECT_EQ(shared->items(), 3u);
        EXPECT_NEAR(shared->work_of_run().value, 3 * 2 * 65.0 * 65 * 65 / 1e9, 1e-12);
        shared->run(0);
        shared->run(2);
        EXPECT_THAT(work->verify().message, HasSubstr("item 1: C[0][0] is "));
        work->run(1);
        EXPECT_TRUE(work->verify().ok) << work->verify().message;
        work->reset();
        work->run(0);
        work->run(1);
        EXPECT_THAT(work->verify().message, HasSubstr("item 2: C[0][0] is "));
        work->reset();
        EXPECT_TRUE(work->run_whole(2));
        EXPECT_TRUE(work->verify().ok) << work->verify().message;
    }
    EXPECT_THROW(make_products({.items = 0}), std::invalid_argument);
    EXPECT_THROW(make_products({.items = 257}), std::invalid_argument);
    EXPECT_THROW(make_products({.type = "half"}), std::invalid_argument);
    EXPECT_THROW(attach_products(make_matmul({.size = 64})->descriptor()), std::system_error);
}

// "One for each CPU, as near to squares as their number allows".
TEST(matmul, blocks_of_the_library_are_as_many_as_cpus) {
    using grid = std::pair<std::size_t, std::size_t>;
    const auto blocks = [](std::size_t n, std::size_t cpus) {
        const matmul_block_size size = matmul_library_blocks(n, cpus);
        EXPECT_GE(size.rows, 64u);
        EXPECT_GE(size.columns, 64u);
        EXPECT_LE(size.rows, n);
        EXPECT_LE(size.columns, n);
        return grid((n + size.rows - 1) / size.rows, (n + size.columns - 1) / size.columns);
    };
    EXPECT_EQ(blocks(512, 1), grid(1u, 1u));
    EXPECT_EQ(blocks(512, 2), grid(1u, 2u));
    EXPECT_EQ(blocks(1000, 4), grid(2u, 2u));
    EXPECT_EQ(blocks(1000, 7), grid(1u, 7u));
    EXPECT_EQ(blocks(2000, 12), grid(3u, 4u));
    EXPECT_EQ(blocks(2048, 64), grid(8u, 8u));
    EXPECT_EQ(blocks(64, 64), grid(1u, 1u)); // too small to be shared
}

TEST(matmul, whole_product_by_the_library) {
    if (!blas::missing().empty()) {
        GTEST_SKIP() << blas::missing();
    }
    if (REGATTA_THREAD_SANITIZER != 0) {
        GTEST_SKIP() << "the sanitizer does not see how OpenBLAS synchronises its threads";
    }
    const auto work = make_matmul({.size = 200});
    ASSERT_TRUE(work->offers_whole());
    ASSERT_TRUE(work->run_whole(3));
    EXPECT_TRUE(work->verify().ok);
    EXPECT_EQ(blas::load().threads(), 1);
}

TEST(matmul, a_forgotten_item_is_named_and_counted) {
    const auto work = make_matmul({.size = 64});
    for (std::size_t item = 0; item < work->items(); ++item) {
        if (item != 17) {
            work->run(item);
        }
    }
    const verification checked = work->verify();
    EXPECT_FALSE(checked.ok);
    EXPECT_THAT(checked.message, AllOf(HasSubstr("C[17][0] is nan"), HasSubstr("expected"),
                                       HasSubstr("64 of 4096 elements are wrong")));
}

TEST(matmul, seed_decides_the_matrices) {
    // The first wrong element of an untouched product tells what was expected of it.
    const auto first_expected = [](std::uint64_t seed) {
        return make_matmul({.size = 64, .kernel = "naive", .seed = seed})->verify().message;
    };
    EXPECT_EQ(first_expected(1), first_expected(1));
    EXPECT_NE(first_expected(1), first_expected(2));
}

TEST(matmul, another_process_sees_the_same_memory) {
    const auto mine = make_matmul({.size = 100, .kernel = "tiled"});
    const auto other = attach_matmul(mine->descriptor());
    EXPECT_EQ(other->items(), mine->items());
    run_all(*other);
    EXPECT_TRUE(mine->verify().ok);
}

TEST(matmul, does_not_attach_to_something_else) {
    const auto other = regatta::shared_memory::anonymous("other", 4096, 1);
    EXPECT_THROW(attach_matmul(other.descriptor()), std::system_error);
    EXPECT_THROW(attach_matmul(-1), std::system_error);
}

TEST(matmul, does_not_attach_to_a_kernel_that_it_does_not_have) {
    const auto work = make_matmul({.size = 64, .type = "double"});
    const std::uint64_t kernel = std::uint64_t{1} << 40; // The second number of the header.
    ASSERT_EQ(::pwrite(work->descriptor(), &kernel, sizeof kernel,
                       regatta::shared_memory::header_size + sizeof kernel),
              static_cast<ssize_t>(sizeof kernel));
    EXPECT_THROW(attach_matmul(work->descriptor()), std::runtime_error);
}

TEST(matmul, sizes_out_of_range_and_unknown_kernels_are_refused) {
    EXPECT_THAT(what_of({.size = 63}), AllOf(HasSubstr("63"), HasSubstr("64 to 2048")));
    EXPECT_THAT(what_of({.size = 2049}), HasSubstr("64 to 2048"));
    EXPECT_THAT(what_of({.size = 0}), HasSubstr("64 to 2048"));
    EXPECT_THAT(what_of({.size = std::numeric_limits<std::size_t>::max()}),
                HasSubstr("64 to 2048"));
    EXPECT_THAT(what_of({.kernel = "fast"}), HasSubstr("\"fast\"; there are naive, tiled, blas"));
}

TEST(matmul, no_room_says_how_much_was_asked_for) {
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    const rlimit little{1 << 20, before.rlim_max};
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &little), 0);
    std::string text = "no std::system_error";
    try {
        make_matmul({.size = 2048});
    } catch (const std::system_error& error) {
        text = error.what();
    }
    ::setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
    EXPECT_THAT(text, AllOf(HasSubstr("49152 KiB"), HasSubstr("2048 × 2048")));
}

TEST(matmul_reference, both_ways_agree) {
    const matrices m(150);
    const auto plain = m.reference(matmul_reference::method::plain);
    const auto fastest = m.reference(matmul_reference::method::fastest);
    for (std::size_t i = 0; i < m.n; ++i) {
        for (std::size_t j = 0; j < m.n; ++j) {
            ASSERT_NEAR(plain.expected(i, j), fastest.expected(i, j), 1e-12);
            ASSERT_EQ(plain.tolerance(i, j), fastest.tolerance(i, j));
        }
    }
}

// "An element passes if |c − r| ≤ tolerance": just inside passes, just outside does not.
TEST(matmul_reference, tolerance_is_a_limit_on_both_sides) {
    matrices m(64);
    const auto reference = m.reference(matmul_reference::method::plain);
    matmul_naive(m.n, {0, m.n, 0, m.n}, m.a.data(), m.b.data(), m.c.data());
    ASSERT_TRUE(reference.compare(m.c.data()).ok);
    for (const double sign : {-1.0, 1.0}) {
        const std::size_t i = 5, j = 9;
        const double limit = reference.tolerance(i, j);
        EXPECT_LT(limit, 1e-3);
        m.c[i * m.n + j] = static_cast<float>(reference.expected(i, j) + sign * 0.9 * limit);
        EXPECT_TRUE(reference.compare(m.c.data()).ok);
        m.c[i * m.n + j] = static_cast<float>(reference.expected(i, j) + sign * 1.1 * limit);
        const verification checked = reference.compare(m.c.data());
        EXPECT_FALSE(checked.ok);
        EXPECT_THAT(checked.message, AllOf(HasSubstr("C[5][9]"), HasSubstr("1 of 4096")));
    }
    m.c[5 * m.n + 9] = std::numeric_limits<float>::infinity();
    EXPECT_FALSE(reference.compare(m.c.data()).ok);
}

TEST(workloads, are_found_by_name) {
    ASSERT_NE(find_workload("matmul"), nullptr);
    EXPECT_EQ(find_workload("matmul")->name, "matmul");
    EXPECT_EQ(find_workload("matmull"), nullptr);
    for (const workload_info& info : workloads()) {
        EXPECT_FALSE(info.summary.empty());
        EXPECT_FALSE(info.options.empty());
    }
}
