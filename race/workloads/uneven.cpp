// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "workloads/uneven.hpp"

#include "workloads/shared_state.hpp"
#include "workloads/splitmix.hpp"

#include <algorithm>
#include <cmath>

namespace regatta::race {
namespace {

constexpr double shortest = 500;
constexpr double longest = 2'000'000;
constexpr double exponent = 1.2;

// A full-period generator modulo 2^64. Source: Knuth, The Art of Computer Programming 2, §3.3.4.
constexpr std::uint64_t multiplier = 6364136223846793005;
constexpr std::uint64_t increment = 1442695040888963407;

/// What the mapping begins with; the outputs follow, and the steps of each item behind them.
struct alignas(destructive_alignment) uneven_header {
    std::uint64_t items;
    std::uint64_t seed;

    static constexpr std::string_view workload = "uneven";
    static constexpr std::uint64_t layout = layout_hash("uneven v1");
    bool valid() const noexcept { return uneven_sizes.contains(items); }
    std::size_t bytes_behind() const noexcept {
        return static_cast<std::size_t>(items) * (sizeof(std::uint64_t) + sizeof(std::uint32_t));
    }
};

class uneven final : public workload {
public:
    explicit uneven(shared_state<uneven_header> memory)
        : memory_(std::move(memory))
        , outputs_(reinterpret_cast<std::uint64_t*>(memory_.data()))
        , steps_(reinterpret_cast<std::uint32_t*>(outputs_ + items())) {}

    std::string_view name() const noexcept override { return uneven_header::workload; }
    std::size_t items() const noexcept override {
        return static_cast<std::size_t>(memory_.header().items);
    }

    void run(std::size_t item) noexcept override {
        outputs_[item] = take_steps(begin_of(item), steps_[item]);
    }

    /// To where an item begins: the generator comes back there after 2^64 steps only.
    void reset() noexcept override {
        for (std::size_t item = 0; item < items(); ++item) {
            outputs_[item] = begin_of(item);
        }
    }

    verification verify() const override {
        for (std::size_t item = 0; item < items(); ++item) {
            const std::uint64_t expected = jump_steps(begin_of(item), steps_[item]);
            if (outputs_[item] != expected) {
                return {false, "item " + std::to_string(item) + " of " +
                                   std::to_string(steps_[item]) + " steps ended at " +
                                   std::to_string(outputs_[item]) + ", expected " +
                                   std::to_string(expected)};
            }
        }
        return {true, {}};
    }

    int descriptor() const noexcept override { return memory_.descriptor(); }

    void fill() noexcept {
        for (std::size_t item = 0; item < items(); ++item) {
            steps_[item] = uneven_steps(memory_.header().seed, item);
        }
        reset();
    }

private:
    std::uint64_t begin_of(std::size_t item) const noexcept {
        return splitmix(memory_.header().seed, items() + item);
    }

    shared_state<uneven_header> memory_;
    std::uint64_t* outputs_;
    std::uint32_t* steps_;
};

} // namespace

std::uint32_t uneven_steps(std::uint64_t seed, std::size_t item) noexcept {
    const double uniform = (static_cast<double>(splitmix(seed, item) >> 11) + 0.5) * 0x1p-53;
    return static_cast<std::uint32_t>(
        std::min(longest, shortest * std::pow(uniform, -1 / exponent)));
}

std::uint64_t take_steps(std::uint64_t state, std::uint64_t steps) noexcept {
    for (; steps != 0; --steps) {
        state = state * multiplier + increment;
    }
    return state;
}

// Each round squares the step: two of x → a·x + c are one of x → a²·x + (a + 1)·c.
std::uint64_t jump_steps(std::uint64_t state, std::uint64_t steps) noexcept {
    std::uint64_t a = multiplier;
    std::uint64_t c = increment;
    for (; steps != 0; steps /= 2) {
        if (steps % 2 == 1) {
            state = state * a + c;
        }
        c *= a + 1;
        a *= a;
    }
    return state;
}

std::unique_ptr<workload> make_uneven(const workload_options& options) {
    const std::size_t items = uneven_sizes.choose(uneven_header::workload, options);
    auto made = std::make_unique<uneven>(shared_state<uneven_header>::make({items, options.seed}));
    made->fill();
    return made;
}

std::unique_ptr<workload> attach_uneven(int descriptor) {
    return std::make_unique<uneven>(shared_state<uneven_header>::attach(descriptor));
}

workload_info uneven_workload() {
    return {.name = "uneven",
            .summary = "items of very different length, most short and a few long",
            .options = "--size 100..1000000 (10000), --seed",
            .usual_size = uneven_sizes.usual,
            .small_size = 300,
            .make = make_uneven,
            .attach = attach_uneven};
}

} // namespace regatta::race
