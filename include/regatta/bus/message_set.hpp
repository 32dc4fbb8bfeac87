// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The closed set of message types of a bus or a worker pool.

#include <cstddef>
#include <type_traits>

namespace regatta {

/// Compile-time facts about a closed set of message types.
///
/// A message is a value: a non-const object type that moves without throwing, by a constructor that
/// is not explicit. Each type may be in the set only once.
template<class... Messages>
struct message_set {
    static_assert(sizeof...(Messages) > 0, "a bus needs at least one type of message");
    static_assert((std::is_object_v<Messages> && ...), "a message is a value: no references");
    static_assert((std::is_same_v<Messages, std::remove_cv_t<Messages>> && ...),
                  "a message type carries no const or volatile");
    static_assert((std::is_nothrow_move_constructible_v<Messages> && ...),
                  "a message must be movable without throwing: it changes threads in between");
    static_assert((std::is_convertible_v<Messages, Messages> && ...),
                  "a message must be movable implicitly: its move constructor is not explicit");

    /// The number of times that `T` is in the set.
    template<class T>
    static constexpr std::size_t count = (std::size_t{std::is_same_v<T, Messages>} + ... + 0);
    static_assert(((count<Messages> == 1) && ...), "a message type stands in the set twice");

    /// Whether `T` is one of the types.
    template<class T>
    static constexpr bool contains = count<T> == 1;

    /// Whether an argument of a parameter `M&&` gives a message: moved from, or copied.
    template<class M>
    static constexpr bool accepts =
        contains<std::remove_cvref_t<M>>&& std::is_constructible_v<std::remove_cvref_t<M>, M>;

    /// The position of `T` in the set.
    template<class T>
    static constexpr std::size_t index = [] {
        std::size_t at = 0;
        static_cast<void>(((std::is_same_v<T, Messages> || (++at, false)) || ...));
        return at;
    }();
};

} // namespace regatta
