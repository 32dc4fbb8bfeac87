// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The workload `tree_sum`: a walk through a tree in memory.

#include "workloads/forked/forked_workload.hpp"
#include "workloads/splitmix.hpp"

namespace regatta::race {

/// Sums up the values of a binary tree of random shape, whose nodes lie in the order of a walk.
class tree_sum_kernel {
public:
    static constexpr std::string_view title = "tree_sum";
    static constexpr std::string_view layout_text = "tree_sum v1";
    static constexpr size_range sizes{100, 100'000'000, 2'000'000};
    static constexpr bool recursive = true;

    static std::size_t bytes(std::size_t size) { return sizeof(double) + size * sizeof(node); }
    tree_sum_kernel(std::byte* data, std::size_t size, std::uint64_t seed)
        : result_(reinterpret_cast<double*>(data))
        , nodes_(reinterpret_cast<node*>(result_ + 1))
        , size_(size)
        , seed_(seed) {}

    void fill() { build(0, size_); }
    void reset() { *result_ = 0; }
    /// The values are the numbers from 0 on.
    verification verify() const {
        const auto n = static_cast<double>(size_);
        return same("the sum", *result_, n * (n - 1) / 2);
    }
    amount work() const { return {static_cast<double>(size_), "nodes"}; }

    template<divides Fork>
    void run() {
        *result_ = sum<Fork>(nodes_);
    }

private:
    struct node {
        double value;
        /// How many nodes after this one a child is; 0: none.
        std::uint32_t left;
        std::uint32_t right;
    };

    void build(std::size_t first, std::size_t count);

    template<class Fork>
    static double sum(const node* from) {
        const auto below = [from](std::uint32_t away) {
            return away == 0 ? 0 : sum<Fork>(from + away);
        };
        const auto [left, right] =
            Fork::both([=] { return below(from->left); }, [=] { return below(from->right); });
        return from->value + left + right;
    }

    double* result_;
    node* nodes_;
    std::size_t size_;
    std::uint64_t seed_;
};

} // namespace regatta::race
