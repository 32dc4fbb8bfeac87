// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Workloads that divide themselves by forks, and what runs them.

#include "workloads/shared_state.hpp"
#include "workloads/size_range.hpp"
#include "workloads/workload.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>

namespace regatta::race {

/// Forks by the means of one library. Its functions are static, so that a recursion passes nothing
/// down. `both(f, g)` calls two functions, which may run at the same time, and returns the pair of
/// their results. `each(count, f)` calls `f(i)` for a few i of unequal length.
template<class Fork>
concept divides = requires(int (*f)(), void (*g)(std::size_t)) {
    Fork::both(f, f).second;
    Fork::each(std::size_t{}, g);
};

/// Has the loops of one library: `loop(count, f)` calls `f(i)`, `loop_2d(rows, columns, f)`
/// calls `f(row, column)`, `sum(first, last)` adds up doubles, and `sort(first, last)` sorts.
template<class Fork>
concept loops = requires(void (*f)(std::size_t), void (*g)(std::size_t, std::size_t),
                         const double* number, std::uint32_t* element) {
    Fork::loop(std::size_t{}, f);
    Fork::loop_2d(std::size_t{}, std::size_t{}, g);
    Fork::sum(number, number) + 1.0;
    Fork::sort(element, element);
};

/// One after the other, as a program that knows of no threads.
struct serial_forks {
    template<class F, class G>
    static auto both(F&& f, G&& g) {
        auto first = f();
        return std::pair(std::move(first), g());
    }
    template<class F>
    static void each(std::size_t count, F&& f) {
        loop(count, f);
    }
    template<class F>
    static void loop(std::size_t count, F&& f) {
        for (std::size_t i = 0; i < count; ++i) {
            f(i);
        }
    }
    template<class F>
    static void loop_2d(std::size_t rows, std::size_t columns, F&& f) {
        for (std::size_t row = 0; row < rows; ++row) {
            for (std::size_t column = 0; column < columns; ++column) {
                f(row, column);
            }
        }
    }
    static double sum(const double* first, const double* last) {
        return std::reduce(first, last); // As the parallel sums, in any order.
    }
    template<class T>
    static void sort(T* first, T* last) {
        std::sort(first, last);
    }
};

/// What the mapping of a forked workload begins with.
template<class Kernel>
struct alignas(destructive_alignment) forked_header {
    std::uint64_t size;
    std::uint64_t seed;

    static constexpr std::string_view workload = Kernel::title;
    static constexpr std::uint64_t layout = layout_hash(Kernel::layout_text);
    bool valid() const noexcept { return Kernel::sizes.contains(size); }
    std::size_t bytes_behind() const noexcept {
        return Kernel::bytes(static_cast<std::size_t>(size));
    }
};

/// The workload of a kernel: its data in a shared mapping, and one computation over them.
///
/// A `Kernel` has `title`, `layout_text` and `sizes`; whether it forks within forks (`recursive`);
/// `bytes(size)` of data; a constructor from the data, the size and the seed; `fill()`, `reset()`,
/// `verify()`, `work()`; and `run<Fork>()`, constrained to the forks that it needs. One whose parts
/// are also independent items has `items()`, `tiny_items()` and `run_item(i)`.
template<class Kernel>
class forked_workload final : public workload {
    using state = shared_state<forked_header<Kernel>>;
    static constexpr bool has_items = requires(Kernel & kernel) { kernel.run_item(0); };

public:
    explicit forked_workload(state memory)
        : memory_(std::move(memory))
        , kernel_(memory_.data(), static_cast<std::size_t>(memory_.header().size),
                  memory_.header().seed) {}

    static std::unique_ptr<workload> make(const workload_options& options) {
        const std::size_t size = Kernel::sizes.choose(Kernel::title, options);
        auto made = std::make_unique<forked_workload>(state::make({size, options.seed}));
        made->kernel_.fill();
        made->kernel_.reset();
        return made;
    }
    static std::unique_ptr<workload> attach(int descriptor) {
        return std::make_unique<forked_workload>(state::attach(descriptor));
    }
    /// @param words name, summary, options and small size.
    static workload_info info(workload_info words) {
        words.usual_size = Kernel::sizes.usual;
        words.make = make;
        words.attach = attach;
        return words;
    }

    Kernel& kernel() noexcept { return kernel_; }
    std::byte* data() noexcept { return memory_.data(); }
    std::size_t size() const noexcept { return static_cast<std::size_t>(memory_.header().size); }

    std::string_view name() const noexcept override { return Kernel::title; }
    std::size_t items() const noexcept override {
        if constexpr (has_items) {
            return kernel_.items();
        } else {
            return 1;
        }
    }
    bool tiny_items() const noexcept override {
        if constexpr (has_items) {
            return kernel_.tiny_items();
        } else {
            return false;
        }
    }
    bool forks() const noexcept override { return true; }
    bool needs_forks() const noexcept override { return !has_items; }
    amount work_of_run() const override { return kernel_.work(); }
    void run(std::size_t item) noexcept override {
        if constexpr (has_items) {
            kernel_.run_item(item);
        } else {
            kernel_.template run<serial_forks>();
        }
    }
    void reset() noexcept override { kernel_.reset(); }
    verification verify() const override { return kernel_.verify(); }
    int descriptor() const noexcept override { return memory_.descriptor(); }

private:
    state memory_;
    Kernel kernel_;
};

/// That two numbers are the same, or which they are.
inline verification same(std::string_view what, double got, double expected) {
    if (got == expected) {
        return {true, {}};
    }
    return {false, std::string(what) + " is " + std::to_string(got) + ", expected " +
                       std::to_string(expected)};
}

} // namespace regatta::race
