// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Loops whose iterations run in parallel.

#include <regatta/base/error.hpp>
#include <regatta/core/task_errors.hpp>
#include <regatta/fork/detail/fork_loop.hpp>
#include <regatta/fork/fork_options.hpp>

#include <concepts>
#include <iterator>
#include <type_traits>

namespace regatta {

/// The indices of a loop over two dimensions: from 0 to `rows` - 1, and from 0 to `columns` - 1.
template<std::integral Index>
struct rows_columns {
    Index rows;
    Index columns;
};
template<std::integral Index>
rows_columns(Index, Index) -> rows_columns<Index>;

/// The same over three dimensions.
template<std::integral Index>
struct planes_rows_columns {
    Index planes;
    Index rows;
    Index columns;
};
template<std::integral Index>
planes_rows_columns(Index, Index, Index) -> planes_rows_columns<Index>;

namespace detail {

template<class Index, class F>
struct index_body {
    using result = no_result;
    F& f;

    REGATTA_INLINE void run(no_result&, Index begin, Index end) const {
        for (; begin != end; ++begin) {
            run_one(begin);
        }
    }
    /// @param at a copy: `f` may take it by reference, and change it.
    REGATTA_INLINE void run_one(Index at) const { static_cast<void>(f(static_cast<Index>(at))); }
    static void join(no_result&, no_result&&) noexcept {}
};
template<class Iterator, class F>
struct element_body {
    using result = no_result;
    using index = loop_index<Iterator>;
    Iterator first;
    F& f;

    REGATTA_INLINE void run(no_result&, index begin, index end) const {
        Iterator at = first + begin;
        for (const Iterator last = first + end; at != last; ++at) {
            static_cast<void>(f(*at));
        }
    }
    static void join(no_result&, no_result&&) noexcept {}
};
/// Two dimensions in one index, the columns of a row next to each other.
template<class Index, class F>
struct plane_body {
    using result = no_result;
    const Index columns;
    F& f;

    REGATTA_INLINE void run(no_result&, std::size_t begin, std::size_t end) const {
        const auto width = static_cast<std::size_t>(columns);
        auto row = static_cast<Index>(begin / width);
        std::size_t column = begin % width;
        for (std::size_t left = end - begin; left != 0; ++row, column = 0) {
            const std::size_t n = left < width - column ? left : width - column;
            const auto last = static_cast<Index>(column + n);
            for (auto c = static_cast<Index>(column); c != last; ++c) {
                static_cast<void>(f(static_cast<Index>(row), static_cast<Index>(c)));
            }
            left -= n;
        }
    }
    static void join(no_result&, no_result&&) noexcept {}
};

template<class Range>
concept indexed_range = requires(Range& r) {
    { std::begin(r) } -> std::random_access_iterator;
    { std::end(r) - std::begin(r) } -> std::convertible_to<std::ptrdiff_t>;
};

/// @returns whether all iterations ran.
template<class Index, class F>
bool for_each_index(fork_team& team, Index begin, Index end, F& f, const fork_options& options) {
    no_result none;
    const index_body<Index, F> body{f};
    return !(begin < end) || run_loop(team, begin, end, body, none, options);
}
/// The loop of an algorithm whose result needs every iteration.
/// Failure: also `task_cancelled` if the loop or scope around it ended early.
template<class Index, class F>
void for_every_index(Index end, F&& f) {
    if (!for_each_index(fork_loop_home(), Index{0}, end, f, {})) {
        fail_cancelled();
    }
}
template<class Range, class F>
void for_each_element(fork_team& team, Range& range, F& f, const fork_options& options) {
    const auto first = std::begin(range);
    const auto count = loop_count<loop_index<decltype(std::begin(range))>>(std::end(range) - first);
    if (count > 0) {
        no_result none;
        const element_body<std::remove_const_t<decltype(first)>, F> body{first, f};
        run_loop(team, decltype(count){0}, count, body, none, options);
    }
}
REGATTA_RARE [[noreturn]] inline void fail_too_many_cells() {
    fail_argument("a loop over more cells than a std::size_t can count");
}
/// Of an extent, which is not 0.
template<class Index>
std::size_t extent_of(Index extent) {
    const auto size = static_cast<std::size_t>(extent);
    if (static_cast<Index>(size) != extent) [[unlikely]] {
        fail_too_many_cells();
    }
    return size;
}
/// The number of the cells of so many rows and columns, which are not 0.
inline std::size_t cells_of(std::size_t rows, std::size_t columns) {
    if (rows > static_cast<std::size_t>(-1) / columns) [[unlikely]] {
        fail_too_many_cells();
    }
    return rows * columns;
}
template<class Index, class F>
void for_each_cell(fork_team& team, rows_columns<Index> all, F& f, const fork_options& options) {
    if (all.rows > 0 && all.columns > 0) {
        no_result none;
        const plane_body<Index, F> body{all.columns, f};
        run_loop(team, std::size_t{0}, cells_of(extent_of(all.rows), extent_of(all.columns)), body,
                 none, options);
    }
}
template<class Index, class F>
void for_each_cell(fork_team& team, planes_rows_columns<Index> all, F& f,
                   const fork_options& options) {
    if (all.planes > 0 && all.rows > 0 && all.columns > 0) {
        const std::size_t rows = extent_of(all.rows);
        const auto in_plane = [&f, rows](std::size_t row, std::size_t column) {
            static_cast<void>(f(static_cast<Index>(row / rows), static_cast<Index>(row % rows),
                                static_cast<Index>(column)));
        };
        for_each_cell(team,
                      rows_columns<std::size_t>{cells_of(extent_of(all.planes), rows),
                                                extent_of(all.columns)},
                      in_plane, options);
    }
}

} // namespace detail

/// Calls `f(i)` for every i from `begin` to `end` - 1, on the calling thread and idle workers. The
/// type of `begin` is that of i; `end` is converted to it.
///
/// There is no grain size to choose. The calling thread runs the iterations in blocks, which grow
/// until one takes about four microseconds. Between blocks it gives half of the rest to an idle
/// worker, which does the same. A loop that is likely to be long, by what earlier ones of the same
/// function took, gives about half away at once.
///
/// ```cpp
/// regatta::parallel_for(0, n, [&](int i) { y[i] += a * x[i]; });
/// ```
///
/// Threads: any. `f` is called by several threads at once.
/// Blocks: until all iterations have ended. It helps with other forks meanwhile.
/// Order: none among the iterations. What they did happens before the return. That two run at the
/// same time is not certain: iterations that wait for each other do so within `blocking`.
/// Failure: throws the first exception of an iteration; iterations that have not begun by then are
/// skipped. `std::invalid_argument` if `end` is an integer that the type of `begin` cannot hold.
/// Cost: about 0.1 µs for a loop of two iterations.
template<std::integral Index, std::convertible_to<Index> End, class F>
requires std::invocable<F&, Index>
void parallel_for(Index begin, End end, F&& f, const fork_options& options = {}) {
    detail::for_each_index(detail::fork_loop_home(), begin, detail::loop_end<Index>(end), f,
                           options);
}
/// The same on the workers of `pool`.
/// Failure: also `task_rejected` if the pool is closed.
template<detail::forks_on Pool, std::integral Index, std::convertible_to<Index> End, class F>
requires std::invocable<F&, Index>
void parallel_for(Pool& pool, Index begin, End end, F&& f, const fork_options& options = {}) {
    detail::for_each_index(detail::fork_access::team(pool), begin, detail::loop_end<Index>(end), f,
                           options);
}

/// Calls `f(element)` for every element of a range with random access.
template<detail::indexed_range Range, class F>
void parallel_for(Range&& range, F&& f, const fork_options& options = {}) {
    detail::for_each_element(detail::fork_loop_home(), range, f, options);
}
template<detail::forks_on Pool, detail::indexed_range Range, class F>
void parallel_for(Pool& pool, Range&& range, F&& f, const fork_options& options = {}) {
    detail::for_each_element(detail::fork_access::team(pool), range, f, options);
}

/// Calls `f(row, column)` for every pair of indices. A thread runs cells that follow each other,
/// row by row.
///
/// Failure: also `std::invalid_argument` if there are more cells than a `std::size_t` can count.
///
/// ```cpp
/// regatta::parallel_for(regatta::rows_columns{height, width}, [&](int y, int x) { draw(x, y); });
/// ```
template<std::integral Index, class F>
requires std::invocable<F&, Index, Index>
void parallel_for(rows_columns<Index> all, F&& f, const fork_options& options = {}) {
    detail::for_each_cell(detail::fork_loop_home(), all, f, options);
}
template<detail::forks_on Pool, std::integral Index, class F>
requires std::invocable<F&, Index, Index>
void parallel_for(Pool& pool, rows_columns<Index> all, F&& f, const fork_options& options = {}) {
    detail::for_each_cell(detail::fork_access::team(pool), all, f, options);
}

/// Calls `f(plane, row, column)` for every triple of indices.
template<std::integral Index, class F>
requires std::invocable<F&, Index, Index, Index>
void parallel_for(planes_rows_columns<Index> all, F&& f, const fork_options& options = {}) {
    detail::for_each_cell(detail::fork_loop_home(), all, f, options);
}
template<detail::forks_on Pool, std::integral Index, class F>
requires std::invocable<F&, Index, Index, Index>
void parallel_for(Pool& pool, planes_rows_columns<Index> all, F&& f,
                  const fork_options& options = {}) {
    detail::for_each_cell(detail::fork_access::team(pool), all, f, options);
}

} // namespace regatta
