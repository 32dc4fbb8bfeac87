// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Arithmetic with times that stops at the ends of the clock instead of overflowing.

#include <regatta/base/detail/clock.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <ratio>
#include <type_traits>

namespace regatta::detail {

/// `count * Factor`, rounded up, where the product is about in range. `count * Factor::num` may not
/// be, so the whole multiples of `Factor::den` go apart from the rest.
template<class Factor, class Rep>
constexpr std::int64_t scaled_up(Rep count) noexcept {
    using limits = std::numeric_limits<std::int64_t>;
    using wide = std::conditional_t<std::is_signed_v<Rep>, std::int64_t, std::uint64_t>;
    constexpr auto den = static_cast<wide>(Factor::den);
    const auto whole = static_cast<std::int64_t>(static_cast<wide>(count) / den);
    const auto rest = static_cast<std::int64_t>(static_cast<wide>(count) % den);
    std::int64_t part = 0; // The rest times the factor, below Factor::num.
    if (rest <= limits::max() / Factor::num && rest >= limits::min() / Factor::num) {
        const std::int64_t product = rest * Factor::num;
        part = product / Factor::den + (product % Factor::den > 0 ? 1 : 0);
    } else {
        const double estimate = static_cast<double>(rest) / static_cast<double>(Factor::den) *
                                static_cast<double>(Factor::num);
        part = static_cast<std::int64_t>(estimate) + (estimate > 0 ? 1 : 0);
    }
    if (whole > 0 && whole > (limits::max() - part) / Factor::num) {
        return limits::max();
    }
    if (whole < 0 && whole < (limits::min() - part) / Factor::num) {
        return limits::min();
    }
    return whole * Factor::num + part;
}

/// A duration of any type in nanoseconds, rounded up so that no wait is shorter than requested. The
/// largest value (292 years) stands for all longer durations and for NaN.
template<class Rep, class Period>
constexpr std::chrono::nanoseconds
saturated_nanoseconds(std::chrono::duration<Rep, Period> d) noexcept {
    using std::chrono::nanoseconds;
    if constexpr (std::is_same_v<std::chrono::duration<Rep, Period>, nanoseconds>) {
        return d;
    } else {
        // 2^63 is a double, so the comparisons are exact where it matters.
        using wide = std::chrono::duration<double, std::nano>;
        const wide w(d);
        if (!(w < wide(nanoseconds::max()))) {
            return nanoseconds::max();
        }
        if (w <= wide(nanoseconds::min())) {
            return nanoseconds::min();
        }
        if constexpr (std::is_integral_v<Rep> && sizeof(Rep) <= sizeof(std::int64_t)) {
            return nanoseconds(scaled_up<std::ratio_divide<Period, std::nano>>(d.count()));
        } else if constexpr (std::is_same_v<Rep, float> || std::is_same_v<Rep, double>) {
            return std::chrono::ceil<nanoseconds>(w);
        } else {
            return std::chrono::ceil<nanoseconds>(d);
        }
    }
}

/// `t + d` for a `d` that is not negative. Beyond the range of the clock: its last moment, which
/// never comes.
template<class Clock>
constexpr std::chrono::time_point<Clock, std::chrono::nanoseconds>
saturated_sum(std::chrono::time_point<Clock, std::chrono::nanoseconds> t,
              std::chrono::nanoseconds d) noexcept {
    using moment = std::chrono::time_point<Clock, std::chrono::nanoseconds>;
    return t.time_since_epoch().count() > 0 && d > moment::max() - t ? moment::max() : t + d;
}

/// `later - earlier`. Beyond the range: the longest duration.
template<class Clock>
constexpr std::chrono::nanoseconds
saturated_difference(std::chrono::time_point<Clock, std::chrono::nanoseconds> later,
                     std::chrono::time_point<Clock, std::chrono::nanoseconds> earlier) noexcept {
    using std::chrono::nanoseconds;
    const nanoseconds before = earlier.time_since_epoch();
    return before.count() < 0 && later.time_since_epoch() > nanoseconds::max() + before
               ? nanoseconds::max()
               : later - earlier;
}

/// A moment of any type in nanoseconds; converts its distance from the epoch by
/// `saturated_nanoseconds`.
template<class Clock, class Duration>
constexpr std::chrono::time_point<Clock, std::chrono::nanoseconds>
saturated_moment(std::chrono::time_point<Clock, Duration> t) noexcept {
    return std::chrono::time_point<Clock, std::chrono::nanoseconds>(
        saturated_nanoseconds(t.time_since_epoch()));
}

/// The moment that is `time` from now; now if `time` is negative. None if it is beyond the range of
/// the clock.
template<class Rep, class Period>
std::optional<std::chrono::steady_clock::time_point>
deadline_after(std::chrono::duration<Rep, Period> time) noexcept {
    using clock = std::chrono::steady_clock;
    const auto later = saturated_sum(
        clock::now(), std::max(saturated_nanoseconds(time), std::chrono::nanoseconds(0)));
    return later == clock::time_point::max() ? std::nullopt : std::optional(later);
}
/// The same, but the last moment of the clock, which never comes, if it is beyond the range.
template<class Rep, class Period>
std::chrono::steady_clock::time_point
moment_after(std::chrono::duration<Rep, Period> time) noexcept {
    return deadline_after(time).value_or(std::chrono::steady_clock::time_point::max());
}

} // namespace regatta::detail
