// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The workload `fib`: nothing but forks.

#include "workloads/forked/forked_workload.hpp"

namespace regatta::race {

/// Fibonacci numbers by their definition, one fork a call and no cut-off.
class fib_kernel {
public:
    static constexpr std::string_view title = "fib";
    static constexpr std::string_view layout_text = "fib v1";
    static constexpr size_range sizes{5, 45, 30};
    static constexpr bool recursive = true;

    static std::size_t bytes(std::size_t) { return sizeof(std::uint64_t); }
    fib_kernel(std::byte* data, std::size_t size, std::uint64_t)
        : result_(reinterpret_cast<std::uint64_t*>(data))
        , size_(static_cast<unsigned>(size)) {}

    void fill() {}
    void reset() { *result_ = 0; }
    verification verify() const {
        std::uint64_t a = 0;
        std::uint64_t b = 1;
        for (unsigned i = 0; i < size_; ++i) {
            a = std::exchange(b, a + b);
        }
        return same("the number", static_cast<double>(*result_), static_cast<double>(a));
    }
    /// A call of n makes fib(n + 1) - 1 forks in all.
    amount work() const {
        double a = 0;
        double b = 1;
        for (unsigned i = 0; i <= size_; ++i) {
            a = std::exchange(b, a + b);
        }
        return {a - 1, "forks"};
    }

    template<divides Fork>
    void run() {
        *result_ = fib<Fork>(size_);
    }

private:
    template<class Fork>
    static std::uint64_t fib(unsigned n) {
        // The compiler must not see that two calls with one argument have one result.
        asm volatile("" : "+r"(n));
        if (n < 2) {
            return n;
        }
        const auto [a, b] =
            Fork::both([n] { return fib<Fork>(n - 1); }, [n] { return fib<Fork>(n - 2); });
        return a + b;
    }

    std::uint64_t* result_;
    unsigned size_;
};

} // namespace regatta::race
