// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The workloads `reduce` and `sort`, over an array.

#include "workloads/forked/forked_workload.hpp"

namespace regatta::race {

/// Sums up an array of doubles.
class reduce_kernel {
public:
    static constexpr std::string_view title = "reduce";
    static constexpr std::string_view layout_text = "reduce v1";
    static constexpr size_range sizes{100, 1'000'000'000, 10'000'000};
    static constexpr bool recursive = false;

    static std::size_t bytes(std::size_t size) { return (size + 1) * sizeof(double); }
    reduce_kernel(std::byte* data, std::size_t size, std::uint64_t)
        : result_(reinterpret_cast<double*>(data))
        , values_(result_ + 1)
        , size_(size) {}

    /// Whole numbers, so that the sum is exact in any order. None is 0, and their period is a prime
    /// number: an element that is left out changes the sum, as does a part in place of another.
    void fill() {
        for (std::size_t i = 0; i < size_; ++i) {
            values_[i] = static_cast<double>(i % period + 1);
        }
    }
    void reset() { *result_ = -1; }
    verification verify() const {
        const auto up_to = [](std::size_t n) { return static_cast<double>(n * (n + 1) / 2); };
        return same("the sum", *result_,
                    static_cast<double>(size_ / period) * up_to(period) + up_to(size_ % period));
    }
    amount work() const { return {static_cast<double>(size_ * sizeof(double)) / 1e9, "GB"}; }

    template<loops Fork>
    void run() {
        *result_ = Fork::sum(values_, values_ + size_);
    }

private:
    static constexpr std::size_t period = 997;

    double* result_;
    double* values_;
    std::size_t size_;
};

/// Sorts random numbers.
class sort_kernel {
public:
    static constexpr std::string_view title = "sort";
    static constexpr std::string_view layout_text = "sort v1";
    static constexpr size_range sizes{100, 1'000'000'000, 5'000'000};
    static constexpr bool recursive = false;

    static std::size_t bytes(std::size_t size) { return 2 * size * sizeof(std::uint32_t); }
    sort_kernel(std::byte* data, std::size_t size, std::uint64_t seed)
        : input_(reinterpret_cast<std::uint32_t*>(data))
        , output_(input_ + size)
        , size_(size)
        , seed_(seed) {}

    void fill();
    /// The output begins as the input.
    void reset() { std::copy_n(input_, size_, output_); }
    verification verify() const;
    amount work() const { return {static_cast<double>(size_), "elements"}; }

    template<loops Fork>
    void run() {
        Fork::sort(output_, output_ + size_);
    }

private:
    std::uint32_t* input_;
    std::uint32_t* output_;
    std::size_t size_;
    std::uint64_t seed_;
};

} // namespace regatta::race
