// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// How the cache lines of an element travel between the core that writes it and the one that uses
/// it.
///
/// A line that one core wrote and another one read may stay in both caches, and then the next write
/// waits until the other copy is gone: on processors with two real cores between them some 40 ns,
/// for which a compare-and-swap behind the write waits as well. A prefetch for writing helps where
/// the line is in the other cache alone; AMD's processors ignore it for a line that is in both. So
/// an element's lines are taken away from the other core before (`own_lines`), when nobody waits:
/// by who has used it, or by the producer for many elements at once. Each line then makes one
/// journey there and one back.
///
/// So it depends on the processor whether a consumer that waits should ask for the line of the next
/// element (`reading_ahead_pays`).
/// Source: the states of a line: AMD64 Architecture Programmer's Manual, volume 2, "Memory System".

#include <regatta/base/cache_line.hpp>
#include <regatta/base/config.hpp>

#include <algorithm>
#include <cstddef>

namespace regatta::detail {

/// How much of a large element is handled, eight lines: the processor itself asks for the lines
/// that follow, and more requests than these are not under way at a time.
inline constexpr std::size_t most_line_bytes = 8 * cache_line_size;

/// Asks for the lines of an element that this core writes soon. A hint: any thread, at any time.
template<class T>
REGATTA_INLINE void expect_lines(const T& at) noexcept {
    const auto* const bytes = reinterpret_cast<const char*>(&at);
    for (std::size_t i = 0; i < std::min(sizeof(T), most_line_bytes); i += cache_line_size) {
        REGATTA_PREFETCH_WRITE(bytes + i);
    }
}

/// Takes the lines of storage in which nothing lives away from all other cores, with a write to
/// each; where the storage begins within a line, perhaps not to the last, which it shares with what
/// follows. Only by the thread that may write there. The writes wait in the store queue, not one
/// for the other; a read-modify-write after them waits for all.
template<class T>
REGATTA_INLINE void own_lines(T& storage) noexcept {
    // volatile: the compiler would leave out a write that nobody reads.
    auto* const bytes = reinterpret_cast<volatile unsigned char*>(&storage);
    for (std::size_t i = 0; i < std::min(sizeof(T), most_line_bytes); i += cache_line_size) {
        bytes[i] = 0;
    }
}

/// Whether a consumer that waits for an element should ask for its line again and again. The
/// element then travels at the same time as its position; but each request also takes the line away
/// from the producer, which is about to write it. On Intel's processors that is faster, on AMD's
/// slower: a message to and fro takes 150 ns instead of 125 (Zen 4).
/// Cost: a load.
REGATTA_INLINE bool reading_ahead_pays() noexcept {
#if (defined(__x86_64__) || defined(__i386__)) && defined(__GNUC__)
    return !__builtin_cpu_is("amd");
#else
    return true;
#endif
}

} // namespace regatta::detail
