// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A function called on each element of a range, in parallel.

#include <regatta/fork/detail/on_pool.hpp>
#include <regatta/fork/parallel_for.hpp>

#include <array>
#include <cstddef>
#include <functional>
#include <iterator>
#include <utility>

namespace regatta {

/// Calls `f` on each element of [first, last), as `std::for_each` does.
///
/// Forward iterators are walked by the calling thread, some hundred elements ahead of the workers.
///
/// Threads: any. `f` is called by several workers at once.
/// Blocks: until all calls have returned; the caller takes part.
/// Order: none between the calls.
/// Failure: passes on what `f` throws; other elements may then be left out.
/// Cost: `parallel_for`; with forward iterators one for every 512 elements.
template<std::forward_iterator Iterator, class F>
void parallel_for_each(Iterator first, Iterator last, F f) {
    if constexpr (std::random_access_iterator<Iterator>) {
        regatta::parallel_for(std::iter_difference_t<Iterator>{0}, last - first,
                              [&f, first](auto i) { std::invoke(f, first[i]); });
    } else {
        std::array<Iterator, 512> ahead;
        while (first != last) {
            std::size_t count = 0;
            for (; count < ahead.size() && first != last; ++first) {
                ahead[count++] = first;
            }
            regatta::parallel_for(std::size_t{0}, count,
                                  [&](std::size_t i) { std::invoke(f, *ahead[i]); });
        }
    }
}

/// The same on the workers of `pool`.
template<detail::forks_on Pool, std::forward_iterator Iterator, class F>
void parallel_for_each(Pool& pool, Iterator first, Iterator last, F f) {
    detail::on_pool(pool, [&] { parallel_for_each(first, last, std::ref(f)); });
}

} // namespace regatta
