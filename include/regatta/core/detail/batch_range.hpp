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

/// Whether what a range holds is moved out of it: it is its own, and nobody else's any more; or it
/// is a view of what cannot be copied.
template<class Range>
inline constexpr bool moved_out_of =
    std::ranges::view<std::remove_cvref_t<Range>>
        ? !std::is_copy_constructible_v<std::ranges::range_value_t<Range>>
        : !std::is_lvalue_reference_v<Range>;

/// An element of a `Range`, as an rvalue if it is moved out of it.
template<class Range, class E>
decltype(auto) batch_element(E&& e) {
    if constexpr (moved_out_of<Range>) {
        return std::move(e);
    } else {
        return std::forward<E>(e);
    }
}

/// Makes room for what a range holds, if that can be known without using it up.
template<class Range, class... Lists>
void reserve_for(Range& range, Lists&... lists) {
    if constexpr (std::ranges::sized_range<Range> || std::ranges::forward_range<Range>) {
        const auto count = static_cast<std::size_t>(std::ranges::distance(range));
        (lists.reserve(count), ...);
    }
}

} // namespace regatta::detail
