// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "workloads/inverse.hpp"

#include "machine/blas.hpp"
#include "workloads/shared_state.hpp"
#include "workloads/splitmix.hpp"
#include "workloads/whole_items.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <vector>

namespace regatta::race {
namespace {

/// What the mapping begins with; then the matrices, the outputs, the products and the pivots.
struct alignas(destructive_alignment) inverse_header {
    std::uint64_t n;
    std::uint64_t items;
    std::uint64_t seed;

    static constexpr std::string_view workload = "inverse";
    static constexpr std::uint64_t layout = layout_hash("inverse v1");
    bool valid() const noexcept {
        return inverse_sizes.contains(n) && inverse_items.contains(items);
    }
    std::size_t bytes_behind() const noexcept {
        const auto size = static_cast<std::size_t>(n);
        return static_cast<std::size_t>(items) * size * (3 * size * sizeof(double) + sizeof(int));
    }
};
static_assert(sizeof(inverse_header) == 128);

/// What a row may be off by, in units of n·u with u = 2^-53: more than a hundred times of what
/// rounding comes to with these matrices.
constexpr double tolerance_steps = 16;

/// Copies what is above the diagonal to below it, block by block, as both sides are in the cache
/// then.
void mirror(std::size_t n, double* a) noexcept {
    constexpr std::size_t block = 32;
    for (std::size_t from = 0; from < n; from += block) {
        for (std::size_t row = from; row < n; ++row) {
            for (std::size_t column = from; column < std::min(from + block, row); ++column) {
                a[row * n + column] = a[column * n + row];
            }
        }
    }
}

class inverse final : public workload {
public:
    explicit inverse(shared_state<inverse_header> memory)
        : memory_(std::move(memory))
        , library_(&blas::load())
        , n_(static_cast<std::size_t>(memory_.header().n))
        , items_(static_cast<std::size_t>(memory_.header().items))
        , matrices_(reinterpret_cast<double*>(memory_.data()))
        , outputs_(matrices_ + items_ * n_ * n_)
        , products_(outputs_ + items_ * n_ * n_)
        , pivots_(reinterpret_cast<int*>(products_ + items_ * n_ * n_)) {
        if (!library_->solves()) {
            throw std::runtime_error("inverse: this OpenBLAS has no LAPACK in it (dgesv); that of "
                                     "the package libopenblas0-pthread has");
        }
    }

    std::string_view name() const noexcept override { return inverse_header::workload; }
    std::size_t items() const noexcept override { return items_; }
    amount work_of_run() const override { return {static_cast<double>(items_), "inversions"}; }

    void run(std::size_t item) noexcept override {
        double* product = of(products_, item);
        double* output = of(outputs_, item);
        library_->dsyrk(n_, of(matrices_, item), product);
        mirror(n_, product);
        std::fill(output, output + n_ * n_, 0.0);
        for (std::size_t i = 0; i < n_; ++i) {
            output[i * n_ + i] = 1.0;
        }
        // M·Mᵀ equals its transpose, and so does its inverse: rows are as good as columns.
        if (!library_->dgesv(n_, product, pivots_ + item * n_, output)) {
            spoil(item);
        }
    }

    void reset() noexcept override {
        for (std::size_t item = 0; item < items_; ++item) {
            spoil(item);
        }
    }

    verification verify() const override {
        for (std::size_t item = 0; item < items_; ++item) {
            if (verification checked = check(item); !checked.ok) {
                return checked;
            }
        }
        return {true, {}};
    }

    int descriptor() const noexcept override { return memory_.descriptor(); }

    bool offers_whole() const noexcept override { return true; }

    /// One matrix after the other, each by all of the library's threads.
    bool run_whole(unsigned workers) override { return run_items_whole(*this, workers); }

    std::vector<layout_number> layout() const override {
        return {{"n", n_},
                {"items", items_},
                {"matrices", memory_.offset_of(matrices_)},
                {"outputs", memory_.offset_of(outputs_)}};
    }

    /// Elements of M are uniform in [-1, 1), and those on its diagonal greater by 2√n: its
    /// condition number is then below 10 whatever the size, so that rounding decides nothing.
    void fill() noexcept {
        const std::uint64_t seed = memory_.header().seed;
        for (std::size_t i = 0; i < items_ * n_ * n_; ++i) {
            matrices_[i] = static_cast<double>(splitmix(seed, i) >> 11) * 0x1p-52 - 1.0;
        }
        for (std::size_t item = 0; item < items_; ++item) {
            for (std::size_t i = 0; i < n_; ++i) {
                of(matrices_, item)[i * n_ + i] += 2.0 * std::sqrt(static_cast<double>(n_));
            }
        }
        reset();
    }

private:
    double* of(double* all, std::size_t item) const noexcept { return all + item * n_ * n_; }

    void spoil(std::size_t item) noexcept {
        double* output = of(outputs_, item);
        std::fill(output, output + n_ * n_, std::numeric_limits<double>::quiet_NaN());
    }

    /// Whether M·(Mᵀ·(X·v)) is v, for a vector v of random signs: an element of X that is wrong
    /// shows there, at n² and not n³ operations (Freivalds, 1979).
    verification check(std::size_t item) const {
        const double* m = of(matrices_, item);
        const double* x = of(outputs_, item);
        std::vector<double> signs(n_);
        std::vector<double> solved(n_); // X·v
        std::vector<double> across(n_); // Mᵀ·(X·v)
        for (std::size_t i = 0; i < n_; ++i) {
            signs[i] = (splitmix(~memory_.header().seed, item * n_ + i) & 1) == 0 ? -1.0 : 1.0;
        }
        for (std::size_t i = 0; i < n_; ++i) {
            for (std::size_t j = 0; j < n_; ++j) {
                solved[i] += x[i * n_ + j] * signs[j];
            }
            for (std::size_t j = 0; j < n_; ++j) {
                across[j] += m[i * n_ + j] * solved[i];
            }
        }
        const double tolerance = tolerance_steps * static_cast<double>(n_) * 0x1p-53;
        for (std::size_t i = 0; i < n_; ++i) {
            double back = 0;
            for (std::size_t j = 0; j < n_; ++j) {
                back += m[i * n_ + j] * across[j];
            }
            if (!(std::abs(back - signs[i]) <= tolerance)) {
                char text[160];
                std::snprintf(text, sizeof text,
                              "item %zu: row %zu of M·Mᵀ·X·v is %.9g, expected %g ± %.2g for a "
                              "vector v of signs",
                              item, i, back, signs[i], tolerance);
                return {false, text};
            }
        }
        return {true, {}};
    }

    shared_state<inverse_header> memory_;
    const blas* library_;
    std::size_t n_;
    std::size_t items_;
    double* matrices_;
    double* outputs_;
    double* products_; ///< M·Mᵀ, and its factors when the item is done.
    int* pivots_;
};

} // namespace

std::unique_ptr<workload> make_inverse(const workload_options& options) {
    const std::size_t n = inverse_sizes.choose(inverse_header::workload, options);
    const std::size_t items = inverse_items.check(inverse_header::workload, "items",
                                                  options.items.value_or(inverse_items.usual));
    auto made =
        std::make_unique<inverse>(shared_state<inverse_header>::make({n, items, options.seed}));
    made->fill();
    return made;
}

std::unique_ptr<workload> attach_inverse(int descriptor) {
    return std::make_unique<inverse>(shared_state<inverse_header>::attach(descriptor));
}

workload_info inverse_workload() {
    return {.name = "inverse",
            .summary = "few long items, each inverts M*M^T with LAPACK as numpy does",
            .options = "--size 64..2048 (1000), --items 1..256 (4), --seed",
            .usual_size = inverse_sizes.usual,
            .usual_items = inverse_items.usual,
            .make = make_inverse,
            .attach = attach_inverse};
}

} // namespace regatta::race
