// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Reductions: one value from the elements of a range.

#include <regatta/core/task_errors.hpp>
#include <regatta/fork/detail/fork_loop.hpp>
#include <regatta/fork/detail/reduce_body.hpp>
#include <regatta/fork/fork_options.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace regatta {

namespace detail {

/// Counts the indices of any range.
template<class Index>
using grid_count = std::make_unsigned_t<std::common_type_t<Index, std::uint64_t>>;

/// The leaves of a fixed grid.
template<class T, class Index, class At, class Reduce>
struct grid_body {
    using result = no_result;
    const reduce_body<T, Index, At, Reduce>& body;
    std::vector<std::optional<T>>& parts;
    const Index first;
    const grid_count<Index> size;
    const grid_count<Index> count;

    void run(no_result&, std::size_t leaf, std::size_t end) const {
        for (; leaf != end; ++leaf) {
            const grid_count<Index> from = leaf * size;
            const grid_count<Index> to = count - from < size ? count : from + size;
            body.run(parts[leaf], static_cast<Index>(static_cast<grid_count<Index>>(first) + from),
                     static_cast<Index>(static_cast<grid_count<Index>>(first) + to));
        }
    }
    static void join(no_result&, no_result&&) noexcept {}
};

/// The same on a fixed grid: leaf i is reduced from left to right, then the leaves are.
template<class T, class Index, class At, class Reduce>
T reduce_on_grid(fork_team& team, Index begin, Index end, T init, At& at, Reduce& reduce,
                 const fork_options& options) {
    constexpr unsigned most_leaves = 1024;
    // The difference of signed indices may be more than they can hold: without signs, here and in
    // grid_body. Neither quotient is rounded up by a sum, which all indices of 64 bits overflow.
    using number = grid_count<Index>;
    const number count = static_cast<number>(end) - static_cast<number>(begin);
    const number size = (count - 1) / most_leaves + 1;
    const auto leaves = static_cast<std::size_t>((count - 1) / size + 1);
    std::vector<std::optional<T>> parts(leaves);
    const reduce_body<T, Index, At, Reduce> body{at, reduce};
    no_result none;
    if (!run_loop(team, std::size_t{0}, leaves,
                  grid_body<T, Index, At, Reduce>{body, parts, begin, size, count}, none,
                  options)) {
        fail_cancelled();
    }
    for (std::optional<T>& part : parts) {
        init = T(reduce(std::move(init), std::move(*part)));
    }
    return init;
}

template<class T, class Index, class At, class Reduce>
T reduce_loop(fork_team& team, Index begin, Index end, T init, At&& at, Reduce& reduce,
              const fork_options& options) {
    if (!(begin < end)) {
        return init;
    }
    if (options.deterministic) {
        return reduce_on_grid(team, begin, end, std::move(init), at, reduce, options);
    }
    std::optional<T> sum(std::move(init));
    const reduce_body<T, Index, std::remove_reference_t<At>, Reduce> body{at, reduce};
    if (!run_loop(team, begin, end, body, sum, options)) {
        fail_cancelled();
    }
    return std::move(*sum);
}

template<class T>
using value_unless_lvalue =
    std::conditional_t<std::is_lvalue_reference_v<T>, T, std::remove_reference_t<T>>;

template<class Iterator, class T, class Reduce, class Transform>
T transform_reduce_of(fork_team& team, Iterator first, Iterator last, T init, Reduce& reduce,
                      Transform& transform, const fork_options& options) {
    if constexpr (std::integral<Iterator>) {
        return reduce_loop(team, first, last, std::move(init), transform, reduce, options);
    } else {
        using index = loop_index<Iterator>;
        // An rvalue becomes a value: it may refer to the element, which `first[i]` may have made.
        using value = decltype(transform(first[index{0}]));
        const auto at = [&](index i) -> value_unless_lvalue<value> { return transform(first[i]); };
        return reduce_loop(team, index{0}, loop_count<index>(last - first), std::move(init), at,
                           reduce, options);
    }
}

/// Indices, or iterators with random access.
template<class I>
concept loop_position = std::integral<I> || std::random_access_iterator<I>;

/// What a loop passes to its function: an index, or an element.
template<std::integral I>
I element_of(I);
template<std::random_access_iterator I>
std::iter_reference_t<I> element_of(I);
template<class Transform, class I>
using transformed = decltype(std::declval<Transform&>()(detail::element_of(std::declval<I>())));

struct as_it_is {
    template<class T>
    constexpr T&& operator()(T&& value) const noexcept {
        return std::forward<T>(value);
    }
};

} // namespace detail

/// Reduces `transform(e)` of all elements from `first` to `last` to one value, as
/// `std::transform_reduce` does: `reduce(reduce(init, a), b)` and so on. `first` and `last` are
/// iterators with random access, or indices, which are passed to `transform` themselves.
///
/// `reduce` must be associative; it need not be commutative. Its first operand may be a `T` made of
/// an element, with which a worker begins. It may return a reference to one of its operands, as
/// `std::ranges::max` does. Of floating-point numbers the grouping decides the last bits of a sum.
/// It depends on which workers were idle, unless `fork_options::deterministic` is set.
///
/// ```cpp
/// const double dot = regatta::parallel_transform_reduce(
///     0, n, 0.0, std::plus<>(), [&](int i) { return x[i] * y[i]; });
/// ```
///
/// Threads, Blocks: as `parallel_for`.
/// Failure: as `parallel_for`; also `task_cancelled` if `fork_options::stop`, or the end of the
///     loop or scope around it, ended it early.
/// Cost: as `parallel_for`; `deterministic` allocates one block of memory.
template<detail::loop_position I, std::convertible_to<I> End, class T, class Reduce,
         class Transform>
requires detail::reduces_elements<Reduce, T, detail::transformed<Transform, I>>
    T parallel_transform_reduce(I first, End last, T init, Reduce reduce, Transform transform,
                                const fork_options& options = {}) {
    return detail::transform_reduce_of(detail::fork_loop_home(), first, detail::loop_end<I>(last),
                                       std::move(init), reduce, transform, options);
}
/// The same on the workers of `pool`.
/// Failure: also `task_rejected` if the pool is closed.
template<detail::forks_on Pool, detail::loop_position I, std::convertible_to<I> End, class T,
         class Reduce, class Transform>
requires detail::reduces_elements<Reduce, T, detail::transformed<Transform, I>>
    T parallel_transform_reduce(Pool& pool, I first, End last, T init, Reduce reduce,
                                Transform transform, const fork_options& options = {}) {
    return detail::transform_reduce_of(detail::fork_access::team(pool), first,
                                       detail::loop_end<I>(last), std::move(init), reduce,
                                       transform, options);
}

/// Reduces all elements to one value, as `std::reduce` does.
template<std::random_access_iterator I, class T, class Reduce = std::plus<>>
requires detail::reduces_elements<Reduce, T, std::iter_reference_t<I>>
    T parallel_reduce(I first, std::type_identity_t<I> last, T init, Reduce reduce = {},
                      const fork_options& options = {}) {
    detail::as_it_is same;
    return detail::transform_reduce_of(detail::fork_loop_home(), first, last, std::move(init),
                                       reduce, same, options);
}
template<detail::forks_on Pool, std::random_access_iterator I, class T, class Reduce = std::plus<>>
requires detail::reduces_elements<Reduce, T, std::iter_reference_t<I>>
    T parallel_reduce(Pool& pool, I first, std::type_identity_t<I> last, T init, Reduce reduce = {},
                      const fork_options& options = {}) {
    detail::as_it_is same;
    return detail::transform_reduce_of(detail::fork_access::team(pool), first, last,
                                       std::move(init), reduce, same, options);
}

} // namespace regatta
