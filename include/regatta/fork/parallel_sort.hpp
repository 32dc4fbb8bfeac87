// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Sorting in parallel.

#include <regatta/fork/detail/merge_sort.hpp>
#include <regatta/fork/detail/on_pool.hpp>
#include <regatta/fork/detail/quick_sort.hpp>

#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>

namespace regatta {

/// Sorts [first, last), as `std::sort` does.
///
/// Quicksort whose parts are forked. Elements of up to four words that are trivially copyable, in
/// contiguous memory, are partitioned without branches.
///
/// Threads: any. `comp` is called by several workers at once.
/// Blocks: until the range is sorted; the caller takes part.
/// Order: that of equal elements is not kept; `parallel_stable_sort` keeps it.
/// Failure: passes on what `comp` throws. The elements are then permuted; those that are not
///     trivially copyable may be left moved-from, as by `std::sort`.
/// Cost: O(n log n) comparisons in the worst case, no allocation.
template<std::random_access_iterator Iterator, class Compare = std::less<>>
void parallel_sort(Iterator first, Iterator last, Compare comp = {}) {
    if constexpr (std::contiguous_iterator<Iterator>) {
        auto* const begin = std::to_address(first);
        detail::quick_sort(begin, begin + (last - first), comp)();
    } else {
        detail::quick_sort(first, last, comp)();
    }
}

/// The same on the workers of `pool`.
template<detail::forks_on Pool, std::random_access_iterator Iterator, class Compare = std::less<>>
void parallel_sort(Pool& pool, Iterator first, Iterator last, Compare comp = {}) {
    detail::on_pool(pool, [&] { parallel_sort(first, last, std::ref(comp)); });
}

/// Sorts [first, last) and keeps the order of equal elements, as `std::stable_sort` does.
///
/// Merge sort whose parts and merges are forked.
///
/// Threads: any. `comp` is called by several workers at once.
/// Blocks: until the range is sorted; the caller takes part.
/// Failure: passes on what `comp` throws. Every element is then in the range exactly once.
/// Cost: O(n log n) comparisons and memory for n elements. Without that memory, and for elements
///     whose move may throw, `std::stable_sort` sorts on the calling thread.
template<std::random_access_iterator Iterator, class Compare = std::less<>>
void parallel_stable_sort(Iterator first, Iterator last, Compare comp = {}) {
    if constexpr (detail::merge_sort<Iterator, Compare>::possible) {
        if (detail::merge_sort(first, last, comp)()) {
            return;
        }
    }
    std::stable_sort(first, last, std::ref(comp));
}

/// The same on the workers of `pool`.
template<detail::forks_on Pool, std::random_access_iterator Iterator, class Compare = std::less<>>
void parallel_stable_sort(Pool& pool, Iterator first, Iterator last, Compare comp = {}) {
    detail::on_pool(pool, [&] { parallel_stable_sort(first, last, std::ref(comp)); });
}

} // namespace regatta
