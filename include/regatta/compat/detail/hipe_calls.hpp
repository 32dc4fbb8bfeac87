// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Hipe's helpers for callables: whether they can be called, calling them, timing them, and
/// sleeping.

#include <regatta/time/stopwatch.hpp>

#include <chrono>
#include <functional>
#include <ratio>
#include <thread>
#include <type_traits>
#include <utility>

namespace hipe::util {

/// Whether an `F` can be called with `Args...`, whatever it returns.
template<class F, class... Args>
using is_runnable = std::is_invocable<std::decay_t<F>&, Args...>;

namespace detail {

template<class F, class R, bool = is_runnable<F>::value>
struct returns : std::false_type {};
template<class F, class R>
struct returns<F, R, true> : std::is_same<std::invoke_result_t<std::decay_t<F>&>, R> {};

template<class U>
struct wraps_reference : std::false_type {};
template<class T>
struct wraps_reference<std::reference_wrapper<T>> : std::true_type {};

} // namespace detail

/// Whether an `F` called without arguments returns an `R`; false too if it cannot be called so.
template<class F, class R>
using is_return = detail::returns<F, R>;

/// Whether `U`, without references and const, is a `std::reference_wrapper`.
template<class U>
using is_reference_wrapper = detail::wraps_reference<std::remove_cvref_t<U>>;

/// Calls `f` with the arguments and discards its result.
template<class F, class... Args>
void invoke(F&& f, Args&&... args) {
    static_assert(is_runnable<F, Args...>::value, "hipe::util::invoke: not callable like this");
    static_cast<void>(std::invoke(std::forward<F>(f), std::forward<Args>(args)...));
}

/// Calls `f` that many times; not at all if `times` is not positive.
template<class F>
requires(is_runnable<F>::value) void repeat(F&& f, int times = 1) {
    for (int i = 0; i < times; ++i) {
        static_cast<void>(std::invoke(f));
    }
}

/// Increments `var` within [left, right), from the end back to the start.
template<class Var>
void recyclePlus(Var& var, std::type_identity_t<Var> left, std::type_identity_t<Var> right) {
    ++var;
    if (var == right) {
        var = left;
    }
}

/// How long one call of `f` takes, in units of `Precision` (`std::milli`, `std::micro`, …).
template<class Precision, class F, class... Args>
double timewait(F&& f, Args&&... args) {
    static_assert(is_runnable<F, Args...>::value, "hipe::util::timewait: not callable like this");
    const regatta::stopwatch watch;
    static_cast<void>(std::invoke(std::forward<F>(f), std::forward<Args>(args)...));
    return std::chrono::duration<double, Precision>(watch.elapsed()).count();
}

/// How long one call of `f` takes, in seconds.
template<class F, class... Args>
double timewait(F&& f, Args&&... args) {
    return timewait<std::ratio<1>>(std::forward<F>(f), std::forward<Args>(args)...);
}

/// Suspends the calling thread; returns at once if the time is not positive. It repeats the sleep,
/// because the compiler's sleep on Windows rounds down to whole milliseconds.
inline void sleep_at_least(std::chrono::nanoseconds time) {
    using clock = std::chrono::steady_clock;
    const auto end = clock::now() + time;
    for (auto left = time; left > left.zero(); left = end - clock::now()) {
        std::this_thread::sleep_for(left);
    }
}
inline void sleep_for_seconds(int seconds) {
    sleep_at_least(std::chrono::seconds(seconds));
}
inline void sleep_for_milli(int milliseconds) {
    sleep_at_least(std::chrono::milliseconds(milliseconds));
}
inline void sleep_for_micro(int microseconds) {
    sleep_at_least(std::chrono::microseconds(microseconds));
}
inline void sleep_for_nano(int nanoseconds) {
    sleep_at_least(std::chrono::nanoseconds(nanoseconds));
}

} // namespace hipe::util
