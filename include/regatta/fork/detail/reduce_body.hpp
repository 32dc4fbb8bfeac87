// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// How one thread reduces a stretch of elements to one value.

#include <regatta/base/config.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

namespace regatta::detail {

/// Whether the order of the operands is known not to matter, but for the rounding.
template<class Reduce>
inline constexpr bool reduces_in_any_order = false;
template<class U>
requires std::is_void_v<U> || std::is_arithmetic_v<U>
inline constexpr bool reduces_in_any_order<std::plus<U>> = true;
template<class U>
requires std::is_void_v<U> || std::is_arithmetic_v<U>
inline constexpr bool reduces_in_any_order<std::multiplies<U>> = true;
template<class Reduce>
inline constexpr bool reduces_in_any_order<std::reference_wrapper<Reduce>> =
    reduces_in_any_order<Reduce>;

/// Whether `Reduce` adds values and sums of them to a sum, which begins with a value, as reductions
/// and scans do. Checked where one is called: the errors of its parts would fill pages.
template<class Reduce, class T, class Value>
concept reduces_elements = requires(Reduce& reduce, T (&sum)(), Value (&value)()) {
    T(value());
    T(reduce(sum(), value()));
    T(reduce(sum(), sum()));
};

/// The same of a scan, which also goes on with a sum that it has written.
template<class Reduce, class T, class Value>
concept scans_elements = reduces_elements<Reduce, T, Value> &&
    requires(Reduce& reduce, const T& written, T (&sum)(), Value (&value)()) {
    T(reduce(written, value()));
    T(reduce(written, sum()));
};

/// The values of a loop, reduced from left to right.
/// @tparam At returns the value of an index. It gets a copy, which it may change.
template<class T, class Index, class At, class Reduce>
struct reduce_body {
    using result = std::optional<T>;
    static constexpr bool commutes =
        reduces_in_any_order<Reduce> && std::is_arithmetic_v<T> &&
        std::is_arithmetic_v<std::remove_cvref_t<std::invoke_result_t<At&, Index>>>;
    At& at;
    Reduce& reduce;

    /// Compiled once: a loop calls it for blocks and for single iterations, a grid for its leaves.
    REGATTA_APART void run(result& into, Index begin, Index end) const {
        T sum = into.has_value() ? T(reduce(std::move(*into), at(static_cast<Index>(begin))))
                                 : T(at(static_cast<Index>(begin)));
        ++begin;
        if constexpr (std::is_arithmetic_v<T>) {
            sum = side_by_side(std::move(sum), begin, end, std::make_index_sequence<sums>());
        } else {
            for (; begin != end; ++begin) {
                sum = T(reduce(std::move(sum), at(static_cast<Index>(begin))));
            }
        }
        into.emplace(std::move(sum));
    }
    void join(result& into, result&& more) const {
        if (!more.has_value()) {
            return;
        }
        if (into.has_value()) {
            // First by itself, as everywhere here: `reduce` may return a reference to an operand.
            T sum = T(reduce(std::move(*into), std::move(*more)));
            into.emplace(std::move(sum));
        } else {
            into.emplace(std::move(*more));
        }
    }

private:
    /// How many sums are made side by side, so that none waits for the one before: of strips of
    /// neighbours, joined in order; or of every so many-th element, which the vector unit prefers.
    static constexpr std::size_t sums = commutes ? 16 : 4;

    /// At -O2 GCC keeps them in registers only if they are named one by one.
    template<std::size_t... K>
    REGATTA_INLINE T side_by_side(T sum, Index begin, Index end, std::index_sequence<K...>) const {
        constexpr auto many = static_cast<Index>(sizeof...(K));
        // Unsigned: a block of an `int` index may have more than INT_MAX iterations.
        using count = std::make_unsigned_t<std::common_type_t<Index, int>>;
        const auto length = static_cast<Index>(
            static_cast<count>(static_cast<count>(end) - static_cast<count>(begin)) /
            static_cast<count>(many));
        // From one element of a sum to the next, and from one sum to the next.
        const Index stride = commutes ? many : Index{1};
        const Index apart = commutes ? Index{1} : length;
        if (length >= 4) {
            T parts[] = {T(at(static_cast<Index>(begin + static_cast<Index>(K) * apart)))...};
            for (Index i = 1; i != length; ++i) {
                const auto first = static_cast<Index>(begin + i * stride);
                ((parts[K] = T(reduce(
                      parts[K], at(static_cast<Index>(first + static_cast<Index>(K) * apart))))),
                 ...);
            }
            ((sum = T(reduce(sum, parts[K]))), ...);
            begin = static_cast<Index>(begin + many * length);
        }
        for (; begin != end; ++begin) {
            sum = T(reduce(sum, at(static_cast<Index>(begin))));
        }
        return sum;
    }
};

} // namespace regatta::detail
