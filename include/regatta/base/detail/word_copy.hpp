// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The copy of a small value that was just put together in memory.

#include <regatta/base/config.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace regatta::detail {

/// Whether `construct_by_words` copies a `T` word by word: it is plain, small, and its fields may
/// have been stored one by one.
template<class T>
inline constexpr bool copied_by_words = std::is_trivially_copyable_v<T> &&
                                        alignof(T) >= sizeof(std::uint32_t) &&
                                        sizeof(T) <= 8 * sizeof(std::uint64_t);

// A copy may have words that nobody has set: padding, the rest of a buffer, an empty optional.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

/// A word of memory, loaded on its own: the compiler joins neither the load nor a store of the word
/// with others. @tparam Halves a long one comes in halves, as two fields may lie in it.
template<class Word, bool Halves>
REGATTA_INLINE Word load_apart(const unsigned char* from) noexcept {
    if constexpr (Halves && sizeof(Word) == 2 * sizeof(std::uint32_t)) {
        const Word first = load_apart<std::uint32_t, false>(from);
        const Word second = load_apart<std::uint32_t, false>(from + sizeof(std::uint32_t));
        return std::endian::native == std::endian::little ? first | second << 32
                                                          : first << 32 | second;
    } else {
        Word word;
        std::memcpy(&word, from, sizeof word);
#if defined(__GNUC__)
        __asm__("" : "+r"(word));
#endif
        return word;
    }
}

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

/// Constructs a copy of `from` in storage for a `T`.
///
/// A compiler copies with the widest registers. A load that is wider than the stores before it gets
/// nothing from the store queue: it waits until all of them, and those of earlier messages, have
/// reached the cache, and for the lines that these have to fetch. A message of three words, filled
/// and published, took twice as long between two cores, four times between two sockets. So what may
/// have been stored by itself is loaded by itself: of a variable four bytes at a time, of a
/// temporary, which is mostly still in registers, a word. Stores are whole words, since a core
/// carries them out in order.
/// Source: store-to-load forwarding: A. Fog, "The microarchitecture of Intel, AMD and VIA CPUs".
template<class T, bool Variable = true>
REGATTA_INLINE void construct_by_words(void* storage, const T& from) noexcept {
    static_assert(copied_by_words<T>);
    using word =
        std::conditional_t<alignof(T) % sizeof(std::size_t) == 0, std::size_t, std::uint32_t>;
    auto* const to = static_cast<unsigned char*>(storage);
    const auto* const bytes = reinterpret_cast<const unsigned char*>(std::addressof(from));
    const auto copy = [=](std::size_t at) {
        const word one = load_apart<word, Variable>(bytes + at);
        std::memcpy(to + at, &one, sizeof one);
    };
    [=]<std::size_t... I>(std::index_sequence<I...>) {
        (copy(I * sizeof(word)), ...);
    }
    (std::make_index_sequence<sizeof(T) / sizeof(word)>{});
}

/// Whether a `T` made of an `Arg` is a copy of its bytes.
template<class T, class Arg>
inline constexpr bool is_plain_copy =
    std::is_same_v<std::remove_const_t<std::remove_reference_t<Arg>>, T>&&
        std::is_trivially_constructible_v<T, Arg>;

/// Constructs a `T` of the arguments, a copy of a small plain value by its words.
template<class T, class... Args>
REGATTA_INLINE void
construct_value(void* storage,
                Args&&... args) noexcept(std::is_nothrow_constructible_v<T, Args...>) {
    if constexpr (copied_by_words<T> && sizeof...(Args) == 1 && (is_plain_copy<T, Args> && ...)) {
        (construct_by_words<T, std::is_lvalue_reference_v<Args>>(storage, args), ...);
    } else {
        ::new (storage) T(std::forward<Args>(args)...);
    }
}

} // namespace regatta::detail
