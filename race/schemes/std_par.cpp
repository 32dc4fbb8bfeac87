// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "schemes/forked_run.hpp"
#include "schemes/tbb_threads.hpp"
#include "schemes/thread_runner.hpp"

#include <tbb/task_arena.h>

#include <algorithm>
#include <compare>
#include <cstddef>
#include <execution>
#include <iterator>
#include <numeric>
#include <optional>
#include <utility>

namespace regatta::race {
namespace {

/// An iterator over numbers: those of C++20's views are no random access iterators to the parallel
/// algorithms, which then run on one thread.
class number_iterator {
public:
    using iterator_category = std::random_access_iterator_tag;
    using value_type = std::size_t;
    using difference_type = std::ptrdiff_t;
    using pointer = const std::size_t*;
    using reference = std::size_t;

    number_iterator() = default;
    explicit number_iterator(std::size_t at) : at_(at) {}

    std::size_t operator*() const { return at_; }
    std::size_t operator[](difference_type by) const { return *(*this + by); }
    number_iterator& operator+=(difference_type by) {
        at_ += static_cast<std::size_t>(by);
        return *this;
    }
    number_iterator& operator-=(difference_type by) { return *this += -by; }
    number_iterator& operator++() { return *this += 1; }
    number_iterator& operator--() { return *this -= 1; }
    number_iterator operator++(int) { return std::exchange(*this, *this + 1); }
    number_iterator operator--(int) { return std::exchange(*this, *this - 1); }
    auto operator<=>(const number_iterator&) const = default;

    friend number_iterator operator+(number_iterator it, difference_type by) { return it += by; }
    friend number_iterator operator+(difference_type by, number_iterator it) { return it += by; }
    friend number_iterator operator-(number_iterator it, difference_type by) { return it -= by; }
    friend difference_type operator-(number_iterator a, number_iterator b) {
        return static_cast<difference_type>(a.at_ - b.at_);
    }

private:
    std::size_t at_ = 0;
};

/// The parallel algorithms have loops, but nothing that forks within forks.
struct std_par_loops {
    template<class F>
    static void loop(std::size_t count, F&& f) {
        std::for_each(std::execution::par, number_iterator(0), number_iterator(count), f);
    }
    template<class F>
    static void loop_2d(std::size_t rows, std::size_t columns, F&& f) {
        loop(rows, [&f, columns](std::size_t row) {
            for (std::size_t column = 0; column < columns; ++column) {
                f(row, column);
            }
        });
    }
    static double sum(const double* first, const double* last) {
        // The elements are numbers: in any order, and several at a time.
        return std::reduce(std::execution::par_unseq, first, last);
    }
    template<class T>
    static void sort(T* first, T* last) {
        std::sort(std::execution::par, first, last);
    }
};

/// The algorithms of the standard library with `std::execution::par`; items by `std::for_each` over
/// the indices. The library runs them on oneTBB; the calling thread is one of the workers. They run
/// in an arena: outside of one oneTBB has no more threads than there are CPUs.
class std_par final : public forked_scheme<std_par, std_par_loops> {
public:
    void prepare(run_context& context) override {
        threads_.emplace(context.workers);
        arena_.initialize(static_cast<int>(context.workers));
        arena_.execute([&] { threads_->start(); });
    }

    void run_items(run_context& context) {
        thread_runners runners(context.work, context.log);
        arena_.execute([&] {
            std_par_loops::loop(context.work.items(), [&](std::size_t item) { runners(item); });
        });
    }

    template<bool, class Computation>
    void enter(Computation&& computation) {
        arena_.execute(computation);
    }

private:
    std::optional<tbb_threads> threads_; // outlives the arena
    tbb::task_arena arena_;
};

} // namespace

scheme_info std_par_scheme() {
    return {.name = "std_par",
            .summary =
                "standard algorithms with std::execution::par (on oneTBB); warm threads, caller "
                "included",
            .suits = "standard algorithms made parallel by one argument",
            .obstacle = lacks_forks<std_par_loops>,
            .make = make_new<std_par>,
            .library_version = tbb_version,
            .reusable = true,
            .forks = true,
            .traits = {.synchronises_unseen = true}};
}

} // namespace regatta::race
