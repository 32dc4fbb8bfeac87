// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Keeps data that different threads write on different cache lines.

#include <cstddef>

namespace regatta {

/// The bytes that travel together between cores: 64 on x86-64 and on most Arm cores.
///
/// Not `std::hardware_destructive_interference_size`: that may differ between two translation units
/// built for different processors, and their layouts would clash.
inline constexpr std::size_t cache_line_size = 64;

/// The alignment of data that two threads write continually. Two lines, because x86-64 processors
/// fetch lines in adjacent pairs.
inline constexpr std::size_t destructive_alignment = 2 * cache_line_size;

namespace detail {

/// The stricter of an alignment and that of `T`. Two `alignas` beside each other would say it, but
/// of those GCC 12 takes the last one in a template.
template<class T, std::size_t Alignment>
inline constexpr std::size_t at_least_aligned = alignof(T) > Alignment ? alignof(T) : Alignment;

} // namespace detail

/// A `T` that shares its cache lines with nothing else.
///
/// Cost: `sizeof` is rounded up to a multiple of `destructive_alignment`.
template<class T>
struct alignas(detail::at_least_aligned<T, destructive_alignment>) padded {
    T value{};

    T& operator*() noexcept { return value; }
    const T& operator*() const noexcept { return value; }
    T* operator->() noexcept { return &value; }
    const T* operator->() const noexcept { return &value; }
};

} // namespace regatta
