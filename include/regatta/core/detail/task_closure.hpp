// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The closures that a pool queues: with arguments, with a stop token, of any size.

#include <regatta/core/detail/task_slot.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <tuple>
#include <type_traits>
#include <utility>

namespace regatta::detail {

/// A callable that takes the stop token of its task as its first argument.
template<class F>
concept takes_stop_token = std::is_invocable_v<F&, std::stop_token>;

/// `F` can be called once with these arguments, as a task; a stop token may precede them.
template<class F, class... Args>
concept callable_task = std::is_invocable_v<std::decay_t<F>, std::decay_t<Args>...> ||
    std::is_invocable_v<std::decay_t<F>, std::stop_token, std::decay_t<Args>...>;
/// The same where no result is asked for: alone, `F` may also be one that is called as an lvalue.
template<class F, class... Args>
concept callable_job = callable_task<F, Args...> ||
    (sizeof...(Args) == 0 &&
     (std::is_invocable_v<std::decay_t<F>&> || takes_stop_token<std::decay_t<F>>));

/// Calls a closure whose result nobody wants; one that takes a stop token gets one that never
/// stops.
template<class F>
void call_as_job(F& closure) {
    if constexpr (takes_stop_token<F>) {
        static_cast<void>(closure(std::stop_token()));
    } else {
        static_cast<void>(closure());
    }
}

/// A callable with its arguments, all stored by value. Use `std::ref` to pass a reference.
///
/// It is called once. Callable and arguments are then rvalues.
template<class F, class... Args>
class bound_closure {
public:
    template<class G, class... Given>
    explicit bound_closure(std::in_place_t, G&& f, Given&&... args)
        : f_(std::forward<G>(f))
        , args_(std::forward<Given>(args)...) {}

    decltype(auto) operator()() requires(std::is_invocable_v<F, Args...>) {
        return std::apply(
            [this](auto&... args) -> decltype(auto) {
                return std::invoke(std::move(f_), std::move(args)...);
            },
            args_);
    }
    /// Passes a stop token as the first argument. Only if the callable takes one.
    decltype(auto)
    operator()(std::stop_token stop) requires(std::is_invocable_v<F, std::stop_token, Args...>) {
        return std::apply(
            [&](auto&... args) -> decltype(auto) {
                return std::invoke(std::move(f_), std::move(stop), std::move(args)...);
            },
            args_);
    }

private:
    F f_;
    std::tuple<Args...> args_;
};

/// A callable that can be called as an rvalue only.
template<class F>
concept called_as_rvalue = !std::is_invocable_v<F&> && !takes_stop_token<F> &&
                           (std::is_invocable_v<F> || std::is_invocable_v<F, std::stop_token>);

/// A `Callable` made of `f`, in a form that is called as an lvalue.
template<class Callable, class F>
auto hold_closure(F&& f) {
    if constexpr (called_as_rvalue<Callable>) {
        return bound_closure<Callable>(std::in_place, std::forward<F>(f));
    } else {
        return Callable(std::forward<F>(f));
    }
}
template<class Callable>
using held_closure = decltype(hold_closure<Callable>(std::declval<Callable>()));

/// `f` with `args`, or `f` itself if there are none.
template<class F, class... Args>
auto bind_closure(F&& f, Args&&... args) {
    using callable = std::decay_t<F>;
    if constexpr (sizeof...(Args) == 0) {
        return hold_closure<callable>(std::forward<F>(f));
    } else {
        return bound_closure<callable, std::decay_t<Args>...>(std::in_place, std::forward<F>(f),
                                                              std::forward<Args>(args)...);
    }
}

/// A closure that is skipped if a stop was requested before its turn comes.
template<class F>
struct stoppable_closure {
    using says_whether_it_ran = void;

    F closure;
    std::stop_token stop;

    bool operator()() {
        if (stop.stop_requested()) {
            return false;
        }
        if constexpr (takes_stop_token<F>) {
            static_cast<void>(closure(stop));
        } else {
            static_cast<void>(closure());
        }
        return true;
    }
};

/// A closure on the heap, because it is too large for a queue or its move may throw.
template<class F>
struct boxed_closure {
    std::unique_ptr<F> closure;

    decltype(auto) operator()() requires(std::is_invocable_v<F&>) { return (*closure)(); }
    decltype(auto) operator()(std::stop_token stop) requires(takes_stop_token<F>) {
        return (*closure)(std::move(stop));
    }
};
/// The same for a closure that is constructed later.
template<class F>
struct boxed_closure<std::optional<F>> {
    std::unique_ptr<std::optional<F>> closure;

    decltype(auto) operator()() { return (**closure)(); }
};
/// The same for a closure that reports whether it ran.
template<class F>
requires(says_whether_it_ran<F>) struct boxed_closure<F> {
    using says_whether_it_ran = void;

    std::unique_ptr<F> closure;

    bool operator()() { return (*closure)(); }
};
template<class F>
requires(says_whether_it_ran<F>) struct boxed_closure<std::optional<F>> {
    using says_whether_it_ran = void;

    std::unique_ptr<std::optional<F>> closure;

    bool operator()() { return (**closure)(); }
};

/// The argument of a call is an rvalue that a queue can hold as it is.
template<class F>
concept queued_as_given =
    std::is_same_v<F, std::decay_t<F>> && !called_as_rvalue<F> && !takes_stop_token<F> &&
    (task_slot::fits_cell<F> || task_slot::fits_room<F>);

/// `closure` in a form that a queue can hold.
template<class F>
auto queueable(F&& closure) {
    static_assert(!std::is_reference_v<F>, "pass the closure as an rvalue");
    if constexpr (task_slot::fits_cell<F> || task_slot::fits_room<F>) {
        return F(std::move(closure));
    } else {
        return boxed_closure<F>{std::make_unique<F>(std::move(closure))};
    }
}

} // namespace regatta::detail
