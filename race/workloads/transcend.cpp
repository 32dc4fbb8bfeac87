// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "workloads/transcend.hpp"

#include "workloads/shared_state.hpp"

#include <cmath>
#include <cstdio>
#include <limits>

namespace regatta::race {
namespace {

constexpr std::size_t rows = 2048;
constexpr std::size_t columns = 4096;

/// What a sum may be off by. The terms are at most 1 in size, so that adding them first by rows and
/// then the rows rounds by (2048 + 4096) · 2^-53 · 2048 · 4096 < 6e-6 at most; the functions add
/// less than 1e-15 a term. A term that is missing is nearly always more.
constexpr double tolerance = 1e-5;

/// What the mapping begins with; a sum for each item follows, each on a cache line of its own.
struct alignas(destructive_alignment) transcend_header {
    std::uint64_t items;

    static constexpr std::string_view workload = "transcend";
    static constexpr std::uint64_t layout = layout_hash("transcend v1");
    bool valid() const noexcept { return transcend_sizes.contains(items); }
    std::size_t bytes_behind() const noexcept {
        return static_cast<std::size_t>(items) * destructive_alignment;
    }
};

struct alignas(destructive_alignment) item_sum {
    double value;
};

class transcend final : public workload {
public:
    explicit transcend(shared_state<transcend_header> memory)
        : memory_(std::move(memory))
        , sums_(reinterpret_cast<item_sum*>(memory_.data())) {}

    std::string_view name() const noexcept override { return transcend_header::workload; }
    std::size_t items() const noexcept override {
        return static_cast<std::size_t>(memory_.header().items);
    }

    /// Each item has rows of its own, so that no two have the same sum.
    void run(std::size_t item) noexcept override {
        double sum = 0;
        for (std::size_t i = item * rows; i < (item + 1) * rows; ++i) {
            double row = 0;
            for (std::size_t j = 0; j < columns; ++j) {
                row += std::log(std::sqrt(
                    std::exp(std::sin(static_cast<double>(i)) + std::cos(static_cast<double>(j)))));
            }
            sum += row;
        }
        sums_[item].value = sum;
    }

    void reset() noexcept override {
        for (std::size_t item = 0; item < items(); ++item) {
            sums_[item].value = std::numeric_limits<double>::quiet_NaN();
        }
    }

    /// log(sqrt(exp x)) is x / 2, and sums of sines and cosines have a closed form.
    verification verify() const override {
        const double cosines = sum_of_cosines(0, columns);
        for (std::size_t item = 0; item < items(); ++item) {
            const double sines = sum_of_sines(static_cast<double>(item * rows), rows);
            const double expected = (columns * sines + rows * cosines) / 2;
            if (!(std::abs(sums_[item].value - expected) <= tolerance)) {
                char text[128];
                std::snprintf(text, sizeof text, "the sum of item %zu is %.9g, expected %.9g ± %g",
                              item, sums_[item].value, expected, tolerance);
                return {false, text};
            }
        }
        return {true, {}};
    }

    int descriptor() const noexcept override { return memory_.descriptor(); }

private:
    shared_state<transcend_header> memory_;
    item_sum* sums_;
};

} // namespace

// Source: Lagrange's identities; the phase is that of the middle of the range.
double sum_of_sines(double first, double count) noexcept {
    return std::sin(count / 2) / std::sin(0.5) * std::sin(first + (count - 1) / 2);
}
double sum_of_cosines(double first, double count) noexcept {
    return std::sin(count / 2) / std::sin(0.5) * std::cos(first + (count - 1) / 2);
}

std::unique_ptr<workload> make_transcend(const workload_options& options) {
    const std::size_t items = transcend_sizes.choose(transcend_header::workload, options);
    auto made = std::make_unique<transcend>(shared_state<transcend_header>::make({items}));
    made->reset();
    return made;
}

std::unique_ptr<workload> attach_transcend(int descriptor) {
    return std::make_unique<transcend>(shared_state<transcend_header>::attach(descriptor));
}

workload_info transcend_workload() {
    return {.name = "transcend",
            .summary =
                "few long items that only compute: 2048 * 4096 * log(sqrt(exp(sin i + cos j)))",
            .options = "--size 4..64 (4)",
            .usual_size = transcend_sizes.usual,
            .make = make_transcend,
            .attach = attach_transcend};
}

} // namespace regatta::race
