// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Several futures that are waited for together.

#include <regatta/base/detail/clock.hpp>
#include <regatta/base/detail/saturated_time.hpp>
#include <regatta/base/error.hpp>
#include <regatta/core/future.hpp>

#include <cstddef>
#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

namespace regatta {

/// The futures of some tasks, in order.
///
/// ```cpp
/// regatta::future_group<int> lengths;
/// for (const std::string& word : words) {
///     lengths.push(pool.submit([&word] { return int(word.size()); }));
/// }
/// for (int length : lengths.get()) { … }
/// ```
///
/// Threads: one.
/// Failure: as the futures. A future that was moved out of its place is skipped by waits; `get`
/// then throws `std::logic_error`.
template<class R>
class [[nodiscard]] future_group {
public:
    using value_type = future<R>;
    /// The type of one result of `get`; for references a `std::reference_wrapper`.
    using result = std::conditional_t<std::is_lvalue_reference_v<R>,
                                      std::reference_wrapper<std::remove_reference_t<R>>, R>;
    /// The type that `get` returns: the results in order, or void.
    using results =
        std::conditional_t<std::is_void_v<R>, void,
                           std::vector<std::conditional_t<std::is_void_v<R>, char, result>>>;

    future_group() = default;

    /// Appends a future. An invalid one throws `std::invalid_argument`.
    void push(future<R> f) {
        if (!f.valid()) {
            fail_argument("a future_group accepts only valid futures");
        }
        futures_.push_back(std::move(f));
    }
    /// Reserves room for `count` futures, so that pushing them does not allocate.
    void reserve(std::size_t count) { futures_.reserve(count); }

    std::size_t size() const noexcept { return futures_.size(); }
    bool empty() const noexcept { return futures_.empty(); }
    /// The i-th of `size()` futures. It may be used or moved out.
    future<R>& operator[](std::size_t i) noexcept { return futures_[i]; }
    const future<R>& operator[](std::size_t i) const noexcept { return futures_[i]; }
    auto begin() noexcept { return futures_.begin(); }
    auto end() noexcept { return futures_.end(); }
    auto begin() const noexcept { return futures_.begin(); }
    auto end() const noexcept { return futures_.end(); }

    /// Whether every future is ready.
    bool ready() const {
        for (const future<R>& f : futures_) {
            if (f.valid() && !f.ready()) {
                return false;
            }
        }
        return true;
    }
    /// Waits until every future is ready.
    void wait() const {
        for (const future<R>& f : futures_) {
            if (f.valid()) {
                f.wait();
            }
        }
    }
    /// Waits for at most that long, as `future::wait_for`. @returns whether every future is ready.
    template<class Rep, class Period>
    bool wait_for(std::chrono::duration<Rep, Period> time) const {
        if (const auto deadline = detail::deadline_after(time)) {
            return wait_until(*deadline);
        }
        wait();
        return true;
    }
    /// Waits until that time at the latest. @returns whether every future is ready.
    template<class Clock, class Duration>
    bool wait_until(std::chrono::time_point<Clock, Duration> time) const {
        bool all = true;
        for (const future<R>& f : futures_) {
            all = (!f.valid() || f.wait_until(time)) && all;
        }
        return all;
    }

    /// Cancels the tasks that have not started. @returns how many it cancelled.
    std::size_t cancel() {
        std::size_t count = 0;
        for (future<R>& f : futures_) {
            count += f.valid() && f.cancel() ? 1u : 0u;
        }
        return count;
    }

    /// Waits until every future is ready, then returns the results in order. If tasks failed or
    /// were cancelled, throws the exception of the first of them in order. Empties the group, which
    /// keeps its room.
    /// Cost: one call of the heap, for the results; none if there are none.
    results get() {
        wait();
        if constexpr (std::is_void_v<R>) {
            const emptying at_end{futures_};
            for (future<R>& f : futures_) {
                f.get();
            }
        } else {
            results all;
            all.reserve(futures_.size()); // If it throws, the group keeps its futures.
            const emptying at_end{futures_};
            for (future<R>& f : futures_) {
                all.push_back(f.get());
            }
            return all;
        }
    }

private:
    /// Empties the group, also where a task has failed.
    struct emptying {
        std::vector<future<R>>& futures;
        ~emptying() { futures.clear(); }
    };

    std::vector<future<R>> futures_;
};

} // namespace regatta
