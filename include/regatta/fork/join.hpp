// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Two or more calls that may run at the same time.

#include <regatta/base/config.hpp>
#include <regatta/core/detail/fork_access.hpp>
#include <regatta/fork/detail/fork_result.hpp>
#include <regatta/fork/detail/on_pool.hpp>
#include <regatta/fork/shared_pool.hpp>

#include <concepts>
#include <type_traits>
#include <utility>

namespace regatta {

namespace detail {

/// The second half of a join. It lies on the stack of the thread that runs the first.
template<class G>
class join_frame : public fork_frame {
public:
    using result = std::invoke_result_t<G&&>;

    explicit join_frame(std::remove_reference_t<G>& g) noexcept
        : fork_frame(site)
        , second_(static_cast<G&&>(g)) {}

    /// The result of the half that was not called in place.
    result take() { return result_.take(); }
    /// The first half threw: this one is not called, or its result is destroyed.
    REGATTA_RARE void abandon() noexcept {
        if (fork_stack::current().abandon(*this)) {
            result_.drop();
        }
    }
    /// Calls the half in place.
    /// @param g what the frame was made of. Called itself, not the copy in the frame, unless it was
    /// moved from: what it captured may still be in registers.
    decltype(auto) call(std::remove_reference_t<G>& g) {
        if constexpr (held && !std::is_trivially_copyable_v<closure>) {
            return static_cast<G&&>(second_)();
        } else {
            return static_cast<G&&>(g)();
        }
    }

private:
    static void run(fork_frame& f) noexcept {
        auto& self = static_cast<join_frame&>(f);
        self.result_.fill([&]() -> result { return static_cast<G&&>(self.second_)(); });
    }
    static inline constinit fork_forecast forecast;
    static constexpr fork_site site{&run, nullptr, &shared_pool_owner::team, &forecast};

    using closure = std::remove_cvref_t<G>;
    /// A small closure made for the call lies in the frame itself: one indirection less.
    static constexpr bool held =
        !std::is_lvalue_reference_v<G> && std::is_nothrow_constructible_v<closure, G&&> &&
        sizeof(std::conditional_t<std::is_object_v<closure>, closure, char>) <= 64;

    std::conditional_t<held, std::remove_cv_t<std::remove_reference_t<G>>, G&&> second_;
    fork_result<result> result_;
};

/// The type of both results: a pair, the only one, or nothing.
template<class A, class B>
struct join_types {
    using type = std::pair<A, B>;
};
template<class A>
struct join_types<A, void> {
    using type = A;
};
template<class B>
requires(!std::is_void_v<B>) struct join_types<void, B> {
    using type = B;
};

/// Calls the first half, and abandons the second if it throws. Inlined late, not always: a function
/// that has to clean up after an exception is not split by GCC, and one that forks shall be, so
/// that the end of a recursion is tested before the call.
template<class F, class Frame>
inline auto join_first(F&& f, Frame& frame) -> std::invoke_result_t<F&&> {
    REGATTA_TRY {
        return std::forward<F>(f)(); // Right into its place: no move that could throw.
    }
    REGATTA_CATCH_ALL {
        Frame* at;
        REGATTA_ADDRESS(at, frame);
        at->abandon();
        REGATTA_RETHROW;
    }
}

} // namespace detail

/// The type that `join(f, g)` returns: `std::pair` of both results, the only result if the other
/// call returns nothing, or `void`.
template<class F, class G>
using join_result_t =
    typename detail::join_types<std::invoke_result_t<F&&>, std::invoke_result_t<G&&>>::type;

/// Calls `f` and `g`, which may run at the same time, and returns both results.
///
/// The calling thread calls `f`. Meanwhile an idle worker may call `g`; if none does, the calling
/// thread calls it after `f`. In a task the workers are those of its pool, otherwise those of
/// `shared_pool()`.
///
/// ```cpp
/// long fib(int n) {
///     if (n < 2) return n;
///     const auto [a, b] = regatta::join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
///     return a + b;
/// }
/// ```
///
/// Threads: any.
/// Blocks: until both calls have ended. It helps with other forks meanwhile.
/// Order: what either call did happens before the return.
/// Failure: throws the exception of `f`, otherwise that of `g`. If `f` throws, `g` is not called
/// unless it has begun; in that case `join` waits for its end.
/// Cost: about a nanosecond while no worker is idle: no atomic read-modify-write, no allocation.
template<class F, class G>
REGATTA_INLINE auto join(F&& f, G&& g) -> join_result_t<F, G> {
    using first = std::invoke_result_t<F&&>;
    using second = std::invoke_result_t<G&&>;
    detail::join_frame<G> frame(g);
    detail::fork_stack::current().push(frame);
    if constexpr (std::is_void_v<first>) {
        detail::join_first(std::forward<F>(f), frame);
        if (detail::fork_stack::current().pop(frame)) [[likely]] {
            return frame.call(g);
        }
        return frame.take();
    } else {
        first a = detail::join_first(std::forward<F>(f), frame);
        const bool here = detail::fork_stack::current().pop(frame);
        if constexpr (std::is_void_v<second>) {
            here ? frame.call(g) : frame.take();
            if constexpr (std::is_reference_v<first>) {
                return static_cast<first>(a);
            } else {
                return a;
            }
        } else {
            if (here) [[likely]] {
                return {static_cast<first&&>(a), frame.call(g)};
            }
            return {static_cast<first&&>(a), frame.take()};
        }
    }
}

/// The same on the workers of `pool`.
/// Failure: also `task_rejected` if the pool is closed.
template<detail::forks_on Pool, class F, class G>
auto join(Pool& pool, F&& f, G&& g) -> join_result_t<F, G> {
    const detail::fork_stack::region here(detail::fork_stack::current(),
                                          detail::fork_access::team(pool));
    return regatta::join(std::forward<F>(f), std::forward<G>(g));
}

/// Calls all of them, possibly at the same time; their results are discarded. The calling thread
/// calls the first.
///
/// Threads, Blocks, Order: as `join`.
/// Failure: throws the exception of the first call in the list that threw; calls after it that have
/// not begun are left out, unless another thread has begun with those that follow.
/// Cost: a join for each call but one.
template<std::invocable F, std::invocable... More>
void invoke(F&& f, More&&... more) {
    if constexpr (sizeof...(More) == 0) {
        static_cast<void>(std::forward<F>(f)());
    } else {
        join([&]() { static_cast<void>(std::forward<F>(f)()); },
             [&]() { regatta::invoke(std::forward<More>(more)...); });
    }
}

/// The same on the workers of `pool`.
/// Failure: also `task_rejected` if the pool is closed.
template<detail::forks_on Pool, std::invocable... F>
void invoke(Pool& pool, F&&... f) {
    detail::on_pool(pool, [&] { regatta::invoke(std::forward<F>(f)...); });
}

} // namespace regatta
