// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// How a pool takes the callables of a range.

#include <cstddef>
#include <ranges>
#include <type_traits>
#include <utility>

namespace regatta::detail {

/// Whether elements are moved out of a range. They are if the range is an rvalue and no view, or if
/// it is a view of elements that cannot be copied.
template<class Range>
inline constexpr bool moved_out_of =
    std::ranges::view<std::remove_cvref_t<Range>>
        ? !std::is_copy_constructible_v<std::ranges::range_value_t<Range>>
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
    if constexpr (std::ranges::sized_range<Range> || std::ranges::forward_range<Range>) {
        const auto count = static_cast<std::size_t>(std::ranges::distance(range));
        (lists.reserve(count), ...);
    }
}

} // namespace regatta::detail
