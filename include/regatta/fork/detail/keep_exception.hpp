// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A comparison whose exception waits until all elements are back in their range.

#include <regatta/base/config.hpp>

#include <exception>
#include <functional>
#include <utility>

namespace regatta::detail {

/// Runs an algorithm of the standard library that holds elements aside while it compares others, as
/// heaps and insertion sort do: an exception would lose those. From the first one on all elements
/// are equivalent, which is an order, so that the algorithm ends with each in its range.
///
/// @param algorithm is called with the comparison.
/// Failure: passes on what `comp` throws, once `algorithm` has ended.
template<class Compare, class Algorithm>
void keep_exception(Compare& comp, Algorithm&& algorithm) {
#if REGATTA_EXCEPTIONS
    std::exception_ptr kept;
    const auto calm = [&](auto&& a, auto&& b) -> bool {
        if (kept) {
            return false;
        }
        try {
            return static_cast<bool>(
                comp(std::forward<decltype(a)>(a), std::forward<decltype(b)>(b)));
        } catch (...) {
            kept = std::current_exception();
            return false;
        }
    };
    algorithm(std::ref(calm));
    if (kept) {
        std::rethrow_exception(kept);
    }
#else
    algorithm(std::ref(comp));
#endif
}

} // namespace regatta::detail
