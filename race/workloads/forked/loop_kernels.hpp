// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The workloads `mandelbrot` and `triad`: loops, whose parts are also items.

#include "workloads/forked/forked_workload.hpp"

namespace regatta::race {

/// The escape times of a square of points of the plane. An item is a row; with forks it is a loop
/// in two dimensions.
class mandelbrot_kernel {
public:
    static constexpr std::string_view title = "mandelbrot";
    static constexpr std::string_view layout_text = "mandelbrot v1";
    static constexpr size_range sizes{16, 8192, 400};
    static constexpr bool recursive = false;

    static std::size_t bytes(std::size_t size) { return 2 * size * size * sizeof(std::uint16_t); }
    mandelbrot_kernel(std::byte* data, std::size_t size, std::uint64_t)
        : pixels_(reinterpret_cast<std::uint16_t*>(data))
        , expected_(pixels_ + size * size)
        , size_(size) {}

    void fill();
    void reset() { std::fill_n(pixels_, size_ * size_, std::uint16_t{0}); }
    verification verify() const;
    amount work() const { return {static_cast<double>(size_ * size_), "pixels"}; }

    std::size_t items() const noexcept { return size_; }
    bool tiny_items() const noexcept { return false; }
    void run_item(std::size_t row) noexcept {
        for (std::size_t column = 0; column < size_; ++column) {
            pixels_[row * size_ + column] = steps(row, column, size_);
        }
    }

    template<loops Fork>
    void run() {
        Fork::loop_2d(size_, size_,
                      [pixels = pixels_, size = size_](std::size_t row, std::size_t column) {
                          pixels[row * size + column] = steps(row, column, size);
                      });
    }

private:
    /// How many steps it takes to see that the point is outside of the set; 1 at least.
    static std::uint16_t steps(std::size_t row, std::size_t column, std::size_t size) noexcept;

    std::uint16_t* pixels_;
    std::uint16_t* expected_;
    std::size_t size_;
};

/// a[i] = b[i] + 3·c[i], in loops of one length that follow one another, as the steps of a
/// simulation do. With forks each loop is divided; an item is a whole loop.
class triad_kernel {
public:
    static constexpr std::string_view title = "triad";
    static constexpr std::string_view layout_text = "triad v1";
    static constexpr size_range sizes{100, 10'000'000, 10'000};
    static constexpr bool recursive = false;

    static std::size_t bytes(std::size_t size) { return 3 * elements(size) * sizeof(double); }
    triad_kernel(std::byte* data, std::size_t size, std::uint64_t)
        : a_(reinterpret_cast<double*>(data))
        , b_(a_ + elements(size))
        , c_(b_ + elements(size))
        , size_(size) {}

    void fill();
    void reset() { std::fill_n(a_, elements(size_), -1.0); }
    verification verify() const;
    amount work() const {
        return {static_cast<double>(3 * sizeof(double) * elements(size_)) / 1e9, "GB"};
    }

    auto body(std::size_t loop) const noexcept {
        return [a = a_ + loop * size_, b = b_ + loop * size_,
                c = c_ + loop * size_](std::size_t i) { a[i] = b[i] + 3 * c[i]; };
    }

    std::size_t items() const noexcept { return elements(size_) / size_; }
    bool tiny_items() const noexcept { return size_ <= 2000; }
    void run_item(std::size_t loop) noexcept { serial_forks::loop(size_, body(loop)); }

    template<loops Fork>
    void run() {
        for (std::size_t loop = 0; loop < items(); ++loop) {
            Fork::loop(size_, body(loop));
        }
    }

private:
    /// Of all loops together: a multiple of the length of one.
    static std::size_t elements(std::size_t size) {
        return std::max<std::size_t>(total / size, 1) * size;
    }

    static constexpr std::size_t total = 1'000'000;

    double* a_;
    double* b_;
    double* c_;
    std::size_t size_;
};

} // namespace regatta::race
