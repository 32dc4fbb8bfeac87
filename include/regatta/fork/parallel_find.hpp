// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Searching in parallel, with an early end.

#include <regatta/fork/detail/first_match.hpp>
#include <regatta/fork/detail/on_pool.hpp>

#include <cstddef>
#include <functional>
#include <iterator>

namespace regatta {

/// The first element of [first, last) for which `pred` holds, or `last`, as `std::find_if`.
///
/// Threads: any. `pred` is called by several workers at once.
/// Blocks: until the result is known; the caller takes part.
/// Order: the first match, also where a later one is found earlier. Elements behind it may be
///     tested.
/// Failure: passes on what `pred` throws.
/// Cost: at most about twice as many tests as the match is far from `first`.
template<std::random_access_iterator Iterator, class Predicate>
Iterator parallel_find_if(Iterator first, Iterator last, Predicate pred) {
    using difference = std::iter_difference_t<Iterator>;
    return first +
           static_cast<difference>(detail::find_first_match(last - first, [&](std::ptrdiff_t i) {
               return static_cast<bool>(std::invoke(pred, first[static_cast<difference>(i)]));
           }));
}

/// The same on the workers of `pool`.
template<detail::forks_on Pool, std::random_access_iterator Iterator, class Predicate>
Iterator parallel_find_if(Pool& pool, Iterator first, Iterator last, Predicate pred) {
    Iterator found = last;
    detail::on_pool(pool, [&] { found = parallel_find_if(first, last, std::ref(pred)); });
    return found;
}

/// The first element of [first, last) that equals `value`, or `last`, as `std::find`.
template<std::random_access_iterator Iterator, class T>
Iterator parallel_find(Iterator first, Iterator last, const T& value) {
    return parallel_find_if(first, last, [&](const auto& one) { return one == value; });
}

/// The same on the workers of `pool`.
template<detail::forks_on Pool, std::random_access_iterator Iterator, class T>
Iterator parallel_find(Pool& pool, Iterator first, Iterator last, const T& value) {
    return parallel_find_if(pool, first, last, [&](const auto& one) { return one == value; });
}

/// Whether `pred` holds for any element of [first, last). Ends at the first match found, whichever
/// it is.
template<std::random_access_iterator Iterator, class Predicate>
bool parallel_any_of(Iterator first, Iterator last, Predicate pred) {
    using difference = std::iter_difference_t<Iterator>;
    return detail::find_any_match(last - first, [&](std::ptrdiff_t i) {
        return static_cast<bool>(std::invoke(pred, first[static_cast<difference>(i)]));
    });
}

/// The same on the workers of `pool`.
template<detail::forks_on Pool, std::random_access_iterator Iterator, class Predicate>
bool parallel_any_of(Pool& pool, Iterator first, Iterator last, Predicate pred) {
    bool any = false;
    detail::on_pool(pool, [&] { any = parallel_any_of(first, last, std::ref(pred)); });
    return any;
}

/// Whether `pred` holds for all elements of [first, last). Ends at the first for which it does not.
template<std::random_access_iterator Iterator, class Predicate>
bool parallel_all_of(Iterator first, Iterator last, Predicate pred) {
    return !parallel_any_of(first, last, std::not_fn(std::ref(pred)));
}

/// The same on the workers of `pool`.
template<detail::forks_on Pool, std::random_access_iterator Iterator, class Predicate>
bool parallel_all_of(Pool& pool, Iterator first, Iterator last, Predicate pred) {
    return !parallel_any_of(pool, first, last, std::not_fn(std::ref(pred)));
}

/// Whether `pred` holds for no element of [first, last).
template<std::random_access_iterator Iterator, class Predicate>
bool parallel_none_of(Iterator first, Iterator last, Predicate pred) {
    return !parallel_any_of(first, last, std::ref(pred));
}

/// The same on the workers of `pool`.
template<detail::forks_on Pool, std::random_access_iterator Iterator, class Predicate>
bool parallel_none_of(Pool& pool, Iterator first, Iterator last, Predicate pred) {
    return !parallel_any_of(pool, first, last, std::ref(pred));
}

} // namespace regatta
