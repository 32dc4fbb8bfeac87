// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// How a pool takes the callables of a range.

#include <cstddef>
#include <iterator>
#include <span> // std::ranges::enable_view
#include <type_traits>
#include <utility>

namespace regatta::detail {

/// The begin and the end of a range, also of an array and of one whose functions are found by its
/// namespace only. (The concepts of `<ranges>` cost more to compile than a pool.)
namespace batch_ends {
using std::begin;
using std::end;
auto first(auto& range) -> decltype(begin(range)) {
    return begin(range);
}
auto last(auto& range) -> decltype(end(range)) {
    return end(range);
}
} // namespace batch_ends

/// A type whose values can be visited one after the other, as `std::ranges::input_range`.
template<class Range>
concept batch = requires(std::remove_reference_t<Range>& range) {
    { batch_ends::first(range) } -> std::input_iterator;
    { batch_ends::last(range) } -> std::sentinel_for<decltype(batch_ends::first(range))>;
};
template<class Range>
using batch_iterator = decltype(batch_ends::first(std::declval<std::remove_reference_t<Range>&>()));
template<class Range>
using batch_value_t = std::iter_value_t<batch_iterator<Range>>;
/// Whether its elements can be counted without consuming it.
template<class Range>
inline constexpr bool counted = std::forward_iterator<batch_iterator<Range>>;

/// Whether elements are moved out of a range. They are if the range is an rvalue and no view, or if
/// it is a view of elements that cannot be copied.
template<class Range>
inline constexpr bool moved_out_of = std::ranges::enable_view<std::remove_cvref_t<Range>>
                                         ? !std::is_copy_constructible_v<batch_value_t<Range>>
                                         : !std::is_lvalue_reference_v<Range>;

/// An element of a `Range`: an rvalue if elements are moved out of it.
template<class Range, class E>
decltype(auto) batch_element(E&& e) {
    if constexpr (moved_out_of<Range>) {
        return std::move(e);
    } else {
        return std::forward<E>(e);
    }
}

/// Reserves space for the elements of a range, if they can be counted without consuming it.
template<class Range, class... Lists>
void reserve_for(Range& range, Lists&... lists) {
    if constexpr (requires { range.size(); }) {
        (lists.reserve(static_cast<std::size_t>(range.size())), ...);
    } else if constexpr (counted<Range>) {
        const auto count = std::ranges::distance(batch_ends::first(range), batch_ends::last(range));
        (lists.reserve(static_cast<std::size_t>(count)), ...);
    }
}

} // namespace regatta::detail
