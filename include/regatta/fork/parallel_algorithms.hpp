// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Algorithms of the standard library, in parallel.

#include <regatta/fork/detail/chunked_scan.hpp>
#include <regatta/fork/detail/first_match.hpp>
#include <regatta/fork/detail/keep_exception.hpp>
#include <regatta/fork/detail/merge_sort.hpp>
#include <regatta/fork/detail/on_pool.hpp>
#include <regatta/fork/detail/quick_sort.hpp>
#include <regatta/fork/parallel_for.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

namespace regatta {

namespace detail {

// What the algorithms do with elements, checked where they are called: the errors of their parts
// would fill pages.
template<class F, class Iterator>
concept tests_elements = requires(F& f, std::iter_reference_t<Iterator> (&at)()) {
    static_cast<bool>(std::invoke(f, at()));
};
template<class F, class Iterator>
concept compares_elements = requires(F& f, std::iter_reference_t<Iterator> (&at)(),
                                     const std::iter_value_t<Iterator>& kept) {
    static_cast<bool>(f(at(), at()));
    static_cast<bool>(f(kept, kept));
};
template<class T, class Iterator>
concept equals_elements =
    requires(const std::remove_reference_t<std::iter_reference_t<Iterator>>& one, const T& value) {
    static_cast<bool>(one == value);
};
template<class Iterator>
concept sortable = std::random_access_iterator<Iterator> &&
                       sizeof(std::iter_difference_t<Iterator>) >=
                       sizeof(int) && // Lengths are added up in it.
                   requires(Iterator at, std::iter_value_t<Iterator> (&value)()) {
    *at = value();
};

} // namespace detail

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
requires std::invocable<F&, std::iter_reference_t<Iterator>>
void parallel_for_each(Iterator first, Iterator last, F f) {
    if constexpr (std::random_access_iterator<Iterator>) {
        using index = detail::loop_index<Iterator>;
        regatta::parallel_for(
            index{0}, detail::loop_count<index>(last - first),
            [&f, first](index i) { static_cast<void>(std::invoke(f, first[i])); });
    } else {
        std::array<Iterator, 512> ahead;
        while (first != last) {
            std::size_t count = 0;
            for (; count < ahead.size() && first != last; ++first) {
                ahead[count++] = first;
            }
            regatta::parallel_for(std::size_t{0}, count, [&](std::size_t i) {
                static_cast<void>(std::invoke(f, *ahead[i]));
            });
        }
    }
}

/// The same on the workers of `pool`.
template<detail::forks_on Pool, std::forward_iterator Iterator, class F>
requires std::invocable<F&, std::iter_reference_t<Iterator>>
void parallel_for_each(Pool& pool, Iterator first, Iterator last, F f) {
    detail::on_pool(pool, [&] { regatta::parallel_for_each(first, last, std::ref(f)); });
}

/// The first element of [first, last) for which `pred` holds, or `last`, as `std::find_if`.
///
/// Threads: any. `pred` is called by several workers at once.
/// Blocks: until the result is known; the caller takes part.
/// Order: the first match, also where a later one is found earlier. Elements behind it may be
///     tested.
/// Failure: passes on what `pred` throws; `task_cancelled` if the loop or scope around it ended
///     early and left a part undone.
/// Cost: at most about twice as many tests as the match is far from `first`.
template<std::random_access_iterator Iterator, detail::tests_elements<Iterator> Predicate>
Iterator parallel_find_if(Iterator first, Iterator last, Predicate pred) {
    using difference = std::iter_difference_t<Iterator>;
    const auto matches = [&](std::ptrdiff_t i) {
        return static_cast<bool>(std::invoke(pred, first[static_cast<difference>(i)]));
    };
    return first + static_cast<difference>(detail::find_first_match(
                       detail::loop_count<std::ptrdiff_t>(last - first), matches));
}

/// The same on the workers of `pool`.
template<detail::forks_on Pool, std::random_access_iterator Iterator,
         detail::tests_elements<Iterator> Predicate>
Iterator parallel_find_if(Pool& pool, Iterator first, Iterator last, Predicate pred) {
    return detail::on_pool(pool,
                           [&] { return regatta::parallel_find_if(first, last, std::ref(pred)); });
}

/// The first element of [first, last) that equals `value`, or `last`, as `std::find`.
template<std::random_access_iterator Iterator, detail::equals_elements<Iterator> T>
Iterator parallel_find(Iterator first, Iterator last, const T& value) {
    return regatta::parallel_find_if(
        first, last, [&](const auto& one) { return static_cast<bool>(one == value); });
}

/// The same on the workers of `pool`.
template<detail::forks_on Pool, std::random_access_iterator Iterator,
         detail::equals_elements<Iterator> T>
Iterator parallel_find(Pool& pool, Iterator first, Iterator last, const T& value) {
    return regatta::parallel_find_if(
        pool, first, last, [&](const auto& one) { return static_cast<bool>(one == value); });
}

/// Whether `pred` holds for any element of [first, last). Ends at the first match found, whichever
/// it is.
template<std::random_access_iterator Iterator, detail::tests_elements<Iterator> Predicate>
bool parallel_any_of(Iterator first, Iterator last, Predicate pred) {
    using difference = std::iter_difference_t<Iterator>;
    return detail::find_any_match(
        detail::loop_count<std::ptrdiff_t>(last - first), [&](std::ptrdiff_t i) {
            return static_cast<bool>(std::invoke(pred, first[static_cast<difference>(i)]));
        });
}

/// The same on the workers of `pool`.
template<detail::forks_on Pool, std::random_access_iterator Iterator,
         detail::tests_elements<Iterator> Predicate>
bool parallel_any_of(Pool& pool, Iterator first, Iterator last, Predicate pred) {
    return detail::on_pool(pool,
                           [&] { return regatta::parallel_any_of(first, last, std::ref(pred)); });
}

/// Whether `pred` holds for all elements of [first, last). Ends at the first for which it does not.
template<std::random_access_iterator Iterator, detail::tests_elements<Iterator> Predicate>
bool parallel_all_of(Iterator first, Iterator last, Predicate pred) {
    return !regatta::parallel_any_of(first, last, std::not_fn(std::ref(pred)));
}

/// The same on the workers of `pool`.
template<detail::forks_on Pool, std::random_access_iterator Iterator,
         detail::tests_elements<Iterator> Predicate>
bool parallel_all_of(Pool& pool, Iterator first, Iterator last, Predicate pred) {
    return !regatta::parallel_any_of(pool, first, last, std::not_fn(std::ref(pred)));
}

/// Whether `pred` holds for no element of [first, last).
template<std::random_access_iterator Iterator, detail::tests_elements<Iterator> Predicate>
bool parallel_none_of(Iterator first, Iterator last, Predicate pred) {
    return !regatta::parallel_any_of(first, last, std::ref(pred));
}

/// The same on the workers of `pool`.
template<detail::forks_on Pool, std::random_access_iterator Iterator,
         detail::tests_elements<Iterator> Predicate>
bool parallel_none_of(Pool& pool, Iterator first, Iterator last, Predicate pred) {
    return !regatta::parallel_any_of(pool, first, last, std::ref(pred));
}

/// Writes to `out` the sums of [first, first + 1), [first, first + 2) …, as `std::inclusive_scan`.
/// `out` may be `first`. @returns the end of the output.
///
/// Threads: any. `op` is called by several workers at once.
/// Blocks: until all sums are written; the caller takes part.
/// Order: `op` must be associative, and need not be commutative.
/// Failure: passes on what `op` throws; `task_cancelled` if the loop or scope around it ended
///     early and left a part undone. The output is then incomplete. `std::bad_alloc`.
/// Cost: one pass over what the caller scans itself, two over what other workers do. One
///     allocation; none up to 16 elements.
template<std::random_access_iterator In, std::random_access_iterator Out,
         detail::scans_elements<std::iter_value_t<In>, std::iter_reference_t<In>> Op = std::plus<>>
Out parallel_inclusive_scan(In first, In last, Out out, Op op = {}) {
    using value = std::iter_value_t<In>;
    detail::chunked_scan<true, In, Out, value, Op>(
        first, detail::loop_count<std::ptrdiff_t>(last - first), out, std::nullopt, op)();
    return detail::output_end(out, last - first);
}

/// The same, each sum with `init` as its first operand.
template<std::random_access_iterator In, std::random_access_iterator Out, class Op, class T>
requires detail::scans_elements<Op, T, std::iter_reference_t<In>>
    Out parallel_inclusive_scan(In first, In last, Out out, Op op, T init) {
    detail::chunked_scan<true, In, Out, T, Op>(
        first, detail::loop_count<std::ptrdiff_t>(last - first), out, std::move(init), op)();
    return detail::output_end(out, last - first);
}

/// Writes to `out` `init`, and the sums of `init` and [first, first + 1), [first, first + 2) …
/// without the last, as `std::exclusive_scan`. Otherwise as `parallel_inclusive_scan`.
template<std::random_access_iterator In, std::random_access_iterator Out, class T,
         detail::scans_elements<T, std::iter_reference_t<In>> Op = std::plus<>>
Out parallel_exclusive_scan(In first, In last, Out out, T init, Op op = {}) {
    detail::chunked_scan<false, In, Out, T, Op>(
        first, detail::loop_count<std::ptrdiff_t>(last - first), out, std::move(init), op)();
    return detail::output_end(out, last - first);
}

/// The same on the workers of `pool`.
template<detail::forks_on Pool, std::random_access_iterator In, std::random_access_iterator Out,
         class... Rest>
Out parallel_inclusive_scan(Pool& pool, In first, In last, Out out, Rest... rest) {
    detail::on_pool(
        pool, [&] { regatta::parallel_inclusive_scan(first, last, out, std::move(rest)...); });
    return detail::output_end(out, last - first);
}

/// The same on the workers of `pool`.
template<detail::forks_on Pool, std::random_access_iterator In, std::random_access_iterator Out,
         class T, class... Op>
Out parallel_exclusive_scan(Pool& pool, In first, In last, Out out, T init, Op... op) {
    detail::on_pool(pool, [&] {
        regatta::parallel_exclusive_scan(first, last, out, std::move(init), std::move(op)...);
    });
    return detail::output_end(out, last - first);
}

/// Sorts [first, last), as `std::sort` does.
///
/// Quicksort whose parts are forked. Elements of up to four words that are trivially copyable, in
/// contiguous memory, are partitioned without branches.
///
/// Threads: any. `comp` is called by several workers at once.
/// Blocks: until the range is sorted; the caller takes part.
/// Order: that of equal elements is not kept; `parallel_stable_sort` keeps it.
/// Failure: passes on what `comp` throws. The elements are then permuted; those that are not sorted
///     without branches may be left moved-from, or one twice, as by `std::sort`.
/// Cost: O(n log n) comparisons in the worst case, no allocation.
template<detail::sortable Iterator, class Compare = std::less<>>
requires detail::compares_elements<Compare, Iterator>
void parallel_sort(Iterator first, Iterator last, Compare comp = {}) {
    if constexpr (std::contiguous_iterator<Iterator>) {
        auto* const begin = std::to_address(first);
        detail::quick_sort(begin, begin + (last - first), comp)();
    } else {
        detail::quick_sort(first, last, comp)();
    }
}

/// The same on the workers of `pool`.
template<detail::forks_on Pool, detail::sortable Iterator, class Compare = std::less<>>
requires detail::compares_elements<Compare, Iterator>
void parallel_sort(Pool& pool, Iterator first, Iterator last, Compare comp = {}) {
    detail::on_pool(pool, [&] { regatta::parallel_sort(first, last, std::ref(comp)); });
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
template<detail::sortable Iterator, class Compare = std::less<>>
requires detail::compares_elements<Compare, Iterator>
void parallel_stable_sort(Iterator first, Iterator last, Compare comp = {}) {
    if constexpr (detail::merge_sort<Iterator, Compare>::possible) {
        if (detail::merge_sort(first, last, comp)()) {
            return;
        }
    }
    detail::keep_exception(comp, [&](auto compare) { std::stable_sort(first, last, compare); });
}

/// The same on the workers of `pool`.
template<detail::forks_on Pool, detail::sortable Iterator, class Compare = std::less<>>
requires detail::compares_elements<Compare, Iterator>
void parallel_stable_sort(Pool& pool, Iterator first, Iterator last, Compare comp = {}) {
    detail::on_pool(pool, [&] { regatta::parallel_stable_sort(first, last, std::ref(comp)); });
}

} // namespace regatta
