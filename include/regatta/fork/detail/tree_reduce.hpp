// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A sum without a neutral element, by halves that are forked.

#include <regatta/fork/join.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

namespace regatta::detail {

/// Sums up `element(0)` … `element(count - 1)` with `op`, in the order of the indices. The same
/// operands meet whatever the number of workers.
template<class T, class Element, class Op>
class tree_reduce {
public:
    tree_reduce(std::ptrdiff_t count, const Element& element, Op& op)
        : leaf_(std::clamp<std::ptrdiff_t>(count / 64, 1, 4096))
        , element_(element)
        , op_(op) {}

    /// The sum of [begin, end), which is not empty.
    T operator()(std::ptrdiff_t begin, std::ptrdiff_t end) {
        if (end - begin > leaf_) {
            const std::ptrdiff_t mid = begin + (end - begin) / 2;
            std::optional<T> left;
            std::optional<T> right;
            regatta::join([&] { left.emplace((*this)(begin, mid)); },
                          [&] { right.emplace((*this)(mid, end)); });
            return op_(std::move(*left), std::move(*right));
        }
        T sum = element_(begin);
        for (++begin; begin < end; ++begin) {
            sum = op_(std::move(sum), element_(begin));
        }
        return sum;
    }

private:
    std::ptrdiff_t leaf_; ///< Up to how many elements are summed up without a fork.
    const Element& element_;
    Op& op_;
};

} // namespace regatta::detail
