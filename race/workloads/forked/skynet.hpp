// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The workload `skynet`: each call forks ten.

#include "workloads/forked/forked_workload.hpp"

namespace regatta::race {

/// Sums up the numbers of the leaves of a tree whose nodes have ten children each.
class skynet_kernel {
public:
    static constexpr std::string_view title = "skynet";
    static constexpr std::string_view layout_text = "skynet v1";
    static constexpr size_range sizes{1, 8, 6};
    static constexpr bool recursive = true;

    static std::size_t bytes(std::size_t) { return sizeof(std::uint64_t); }
    skynet_kernel(std::byte* data, std::size_t size, std::uint64_t)
        : result_(reinterpret_cast<std::uint64_t*>(data)) {
        for (std::size_t i = 0; i < size; ++i) {
            leaves_ *= children;
        }
    }

    void fill() {}
    void reset() { *result_ = 0; }
    verification verify() const {
        return same("the sum", static_cast<double>(*result_),
                    static_cast<double>(leaves_ / 2 * (leaves_ - 1)));
    }
    amount work() const {
        return {static_cast<double>((leaves_ - 1) / (children - 1) * children), "forks"};
    }

    template<divides Fork>
    void run() {
        *result_ = sum<Fork>(0, leaves_);
    }

private:
    static constexpr std::uint64_t children = 10;

    template<class Fork>
    static std::uint64_t sum(std::uint64_t first, std::uint64_t leaves) {
        if (leaves == 1) {
            return first;
        }
        std::uint64_t sums[children];
        Fork::each(children, [&sums, first, leaves](std::size_t i) {
            sums[i] = sum<Fork>(first + i * (leaves / children), leaves / children);
        });
        std::uint64_t all = 0;
        for (const std::uint64_t one : sums) {
            all += one;
        }
        return all;
    }

    std::uint64_t* result_;
    std::uint64_t leaves_ = 1;
};

} // namespace regatta::race
