// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The handlers of a worker pool, one for each message type.

#include <regatta/base/detail/text_parts.hpp>
#include <regatta/base/error.hpp>
#include <regatta/base/inline_task.hpp>
#include <regatta/bus/message_set.hpp>
#include <regatta/message/detail/task_message.hpp>
#include <regatta/message/worker_pool_options.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

namespace regatta::detail {

/// One handler for each type of a message set.
///
/// Threads: one thread sets them; after that any number of threads call them.
/// Failure: an exception of a handler propagates.
/// Cost: a call is a switch on the type and an indirect call.
template<class... Messages>
class message_handlers {
public:
    using set = message_set<Messages...>;
    /// An element of the pool's queue: a message of any of the types, or a task.
    using message = std::variant<Messages..., task_message>;

    /// Sets the handler of a type: callable as `void(T&)`, `void(T&, unsigned)` or
    /// `void(T&, const message_context&)`.
    template<class T, class Handler>
    void assign(Handler&& handler) {
        using function = std::decay_t<Handler>;
        constexpr bool numbered = std::is_invocable_v<function&, T&, unsigned>;
        constexpr bool informed = std::is_invocable_v<function&, T&, const message_context&>;
        static_assert(numbered || informed || std::is_invocable_v<function&, T&>,
                      "the handler must be callable with a reference to the message, or with that "
                      "and the number of the worker, or with that and a message_context");
        auto& call = std::get<handler_of<T>>(handlers_).call;
        if constexpr (numbered) {
            call = [own = function(std::forward<Handler>(handler))](
                       T& m, const message_context& c) mutable {
                static_cast<void>(std::invoke(own, m, c.worker));
            };
        } else if constexpr (informed) {
            call = std::forward<Handler>(handler);
            timed_ = true;
        } else {
            call = [own = function(std::forward<Handler>(handler))](
                       T& m, const message_context&) mutable {
                static_cast<void>(std::invoke(own, m));
            };
        }
    }
    /// Whether a handler takes a context, so that submit times are recorded.
    bool timed() const noexcept { return timed_; }

    /// Throws `std::logic_error` if a type has no handler.
    void check_complete() const {
        const bool given[] = {static_cast<bool>(std::get<handler_of<Messages>>(handlers_).call)...};
        for (std::size_t i = 0; i < sizeof...(Messages); ++i) {
            if (!given[i]) {
                fail_state(text_of({"worker_pool::start: message type number ",
                                    decimal(static_cast<std::int64_t>(i)),
                                    " of the pool's list has no handler; set it with on<T>()"}));
            }
        }
    }

    /// Calls the handler of the message, or `run_task(task_message&)` if it is a task.
    template<class RunTask>
    void dispatch(message& m, const message_context& context, RunTask&& run_task) {
        const auto call = [&]<class T>(T& value) {
            if constexpr (std::is_same_v<T, task_message>) {
                run_task(value);
            } else {
                std::get<handler_of<T>>(handlers_).call(value, context);
            }
        };
        if constexpr (sizeof...(Messages) == 1) {
            if (auto* const value = std::get_if<0>(&m)) [[likely]] {
                call(*value);
            } else {
                call(*std::get_if<1>(&m));
            }
        } else {
            std::visit(call, m);
        }
    }

private:
    template<class T>
    struct handler_of {
        inline_task<void(T&, const message_context&)> call;
    };

    std::tuple<handler_of<Messages>...> handlers_;
    bool timed_ = false;
};

} // namespace regatta::detail
