// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "machine/blas.hpp"
#include "workloads/inverse.hpp"
#include "workloads/workload.hpp"

#include <regatta/base/config.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <sys/mman.h>
#include <vector>

using namespace regatta::race;
using testing::AllOf;
using testing::HasSubstr;

namespace {

/// The mapping as a program in another language finds it: by the numbers of `layout()`.
class view {
public:
    explicit view(const workload& work) {
        for (const layout_number& number : work.layout()) {
            (number.name == "n"          ? n
             : number.name == "matrices" ? matrices_at
             : number.name == "outputs"  ? outputs_at
                                         : other) = static_cast<std::size_t>(number.value);
        }
        bytes_ = outputs_at + inverse_items.usual * n * n * sizeof(double);
        mapping_ =
            ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, work.descriptor(), 0);
        EXPECT_NE(mapping_, MAP_FAILED);
    }
    ~view() { ::munmap(mapping_, bytes_); }
    view(const view&) = delete;
    view& operator=(const view&) = delete;

    const double* matrix(std::size_t item) const { return at(matrices_at, item); }
    double* output(std::size_t item) const { return at(outputs_at, item); }

    std::size_t n = 0;

private:
    double* at(std::size_t offset, std::size_t item) const {
        return reinterpret_cast<double*>(static_cast<std::byte*>(mapping_) + offset) + item * n * n;
    }

    std::size_t matrices_at = 0;
    std::size_t outputs_at = 0;
    std::size_t other = 0;
    std::size_t bytes_ = 0;
    void* mapping_ = nullptr;
};

struct inverse : testing::Test {
    void SetUp() override {
        if (!blas::missing().empty()) {
            GTEST_SKIP() << blas::missing();
        }
    }
    static void run_all(workload& work) {
        for (std::size_t item = 0; item < work.items(); ++item) {
            work.run(item);
        }
    }
};

} // namespace

TEST_F(inverse, each_item_must_be_right) {
    const auto work = make_inverse({.size = 65, .seed = 3});
    const auto shared = attach_inverse(work->descriptor()); // as in another process
    EXPECT_EQ(shared->items(), 4u);
    EXPECT_EQ(shared->work_of_run().value, 4);
    EXPECT_FALSE(work->verify().ok);
    for (const std::size_t item : {0u, 1u, 3u}) {
        shared->run(item);
    }
    EXPECT_THAT(work->verify().message, AllOf(HasSubstr("item 2: row 0 of "), HasSubstr("nan")));
    work->run(2);
    EXPECT_TRUE(work->verify().ok) << work->verify().message;
    run_all(*work); // again, over what is there
    EXPECT_TRUE(work->verify().ok) << work->verify().message;
    work->reset();
    EXPECT_FALSE(work->verify().ok);
}

TEST_F(inverse, as_many_matrices_as_are_asked_for) {
    const auto work = make_inverse({.size = 64, .items = 7});
    const auto shared = attach_inverse(work->descriptor());
    EXPECT_EQ(shared->items(), 7u);
    EXPECT_EQ(shared->work_of_run().value, 7);
    run_all(*shared);
    EXPECT_TRUE(work->verify().ok) << work->verify().message;
    work->reset();
    EXPECT_THAT(work->verify().message, HasSubstr("item 0: "));
    EXPECT_THROW(make_inverse({.items = 0}), std::invalid_argument);
    EXPECT_THROW(make_inverse({.items = 257}), std::invalid_argument);
}

// What an item leaves is the inverse by the definition: every element of (M·Mᵀ)·X is that of the
// unit matrix.
TEST_F(inverse, product_with_the_inverse_is_the_unit_matrix) {
    const auto work = make_inverse({.size = 64});
    run_all(*work);
    const view seen(*work);
    const std::size_t n = seen.n;
    ASSERT_EQ(n, 64u);
    for (std::size_t item = 0; item < inverse_items.usual; ++item) {
        const double* m = seen.matrix(item);
        const double* x = seen.output(item);
        std::vector<double> product(n * n); // M·Mᵀ
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t k = 0; k < n; ++k) {
                product[i * n + k] = std::inner_product(m + i * n, m + (i + 1) * n, m + k * n, 0.0);
            }
        }
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < n; ++j) {
                double sum = 0;
                for (std::size_t k = 0; k < n; ++k) {
                    sum += product[i * n + k] * x[k * n + j];
                }
                ASSERT_NEAR(sum, i == j ? 1.0 : 0.0, 1e-12) << item << ": " << i << ", " << j;
            }
        }
    }
}

// The check costs n² operations, and a single element that is off by a millionth does not pass it.
TEST_F(inverse, one_wrong_element_is_found_wherever_it_is) {
    const auto work = make_inverse({.size = 128});
    run_all(*work);
    ASSERT_TRUE(work->verify().ok);
    const view seen(*work);
    const std::size_t last = seen.n * seen.n - 1;
    for (std::size_t at = 0; at <= last; at += last / 40) {
        double& element = seen.output(3)[at];
        const double right = element;
        element += 1e-6 * seen.output(3)[0];
        EXPECT_THAT(work->verify().message, HasSubstr("item 3: row ")) << at;
        element = right;
    }
    EXPECT_TRUE(work->verify().ok);
}

TEST_F(inverse, seed_and_item_decide_the_matrix) {
    const auto one = make_inverse({.size = 64, .seed = 1});
    const auto same = make_inverse({.size = 64, .seed = 1});
    const auto other = make_inverse({.size = 64, .seed = 2});
    const view a(*one);
    const view b(*same);
    const view c(*other);
    EXPECT_TRUE(std::equal(a.matrix(0), a.matrix(4), b.matrix(0)));
    EXPECT_NE(a.matrix(0)[0], c.matrix(0)[0]);
    EXPECT_NE(a.matrix(0)[0], a.matrix(1)[0]);
}

TEST_F(inverse, as_a_whole_by_the_library) {
    if (REGATTA_THREAD_SANITIZER != 0) {
        GTEST_SKIP() << "the sanitizer does not see how OpenBLAS synchronises its threads";
    }
    const auto work = make_inverse({.size = 200});
    ASSERT_TRUE(work->offers_whole());
    ASSERT_TRUE(work->run_whole(3));
    EXPECT_TRUE(work->verify().ok) << work->verify().message;
    EXPECT_EQ(blas::load().threads(), 1);
}

TEST_F(inverse, sizes_out_of_range_are_refused_with_the_range) {
    EXPECT_THROW(make_inverse({.size = 63}), std::invalid_argument);
    EXPECT_THROW(make_inverse({.size = 2049}), std::invalid_argument);
}

// "@returns false where A is singular".
TEST(blas, says_that_a_matrix_is_singular) {
    const blas* library = blas::find();
    if (library == nullptr || !library->solves()) {
        GTEST_SKIP() << "no LAPACK";
    }
    std::vector<double> a{1, 2, 2, 4};
    std::vector<double> b{1, 0, 0, 1};
    int pivots[2];
    EXPECT_FALSE(library->dgesv(2, a.data(), pivots, b.data()));
    a = {2, 0, 0, 4};
    b = {1, 0, 0, 1};
    EXPECT_TRUE(library->dgesv(2, a.data(), pivots, b.data()));
    EXPECT_THAT(b, testing::ElementsAre(0.5, 0, 0, 0.25));
}
