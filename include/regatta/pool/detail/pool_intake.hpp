// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// How tasks get into a thread pool, and what becomes of those for which there is no room.

#include <regatta/base/config.hpp>
#include <regatta/core/detail/task_closure.hpp>
#include <regatta/core/overflow.hpp>
#include <regatta/core/task.hpp>
#include <regatta/core/task_options.hpp>
#include <regatta/core/task_rejected.hpp>
#include <regatta/pool/detail/pool_engine.hpp>

#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace regatta::detail {

/// The engine of a thread pool with its overflow policy: takes closures, one or several.
///
/// Threads, Blocks, Failure: as the members of `thread_pool` that call these.
class pool_intake : public pool_engine {
public:
    using pool_engine::pool_engine;

    /// Queues a closure as `queueable` gives it.
    template<class F>
    void enqueue(priority level, F closure) {
        if (take_room(1) == 0) [[unlikely]] {
            place_without_room(level, closure);
        } else {
            place(level, closure);
        }
    }
    /// Queues a closure that observes a stop token if there is one, or if it takes one.
    template<class F>
    void enqueue_with(task_options&& options, F&& closure) {
        if constexpr (!takes_stop_token<F>) {
            if (!options.stop.stop_possible()) {
                return enqueue(options.level, queueable(std::move(closure)));
            }
        }
        enqueue(options.level,
                queueable(stoppable_closure<F>{std::move(closure), std::move(options.stop)}));
    }
    /// Enqueues `count` closures of type F, each made from what the iterator refers to.
    template<class F, class Iterator>
    void enqueue_all(priority level, Iterator at, std::size_t count) {
        for (std::size_t done = 0; done < count;) {
            const std::size_t room = take_room(count - done);
            if (room == 0) {
                if (options().when_full.hands_over()) {
                    refuse_if_closed(count - done, done);
                    return hand_over_all(at, count - done);
                }
                F closure(*at);
                ++at;
                place_without_room(level, closure, done, count - done);
                ++done;
                continue;
            }
            const std::size_t appended =
                append<F>(level, room, [&](std::size_t) noexcept { return F(*at++); });
            if (appended == 0) {
                refuse(task_rejected::reason::closed, count - done, done);
            }
            done += appended;
        }
    }
    /// Appends the closure that `make()` gives, if that is possible at once.
    template<class F, class Make>
    bool try_place(priority level, Make&& make) {
        if constexpr (task_slot::fits_cell<F> || task_slot::fits_room<F>) {
            return try_append<F>(level, make);
        } else {
            using box = boxed_closure<std::optional<F>>;
            box large{std::make_unique<std::optional<F>>()}; // Before it has room: it may throw.
            return try_append<box>(level, [&]() noexcept {
                large.closure->emplace(make());
                return std::move(large);
            });
        }
    }

private:
    /// Appends a closure for which there is room.
    /// @param accepted how many of its batch were taken before. @param count how many of it are
    /// refused if this one is.
    template<class F>
    void place(priority level, F& closure, std::size_t accepted = 0, std::size_t count = 1) {
        if (append<F>(level, 1, [&](std::size_t) noexcept -> F&& { return std::move(closure); }) ==
            0) [[unlikely]] {
            refuse(task_rejected::reason::closed, count, accepted);
        }
    }
    /// Does what the overflow policy says, unless the pool is closed.
    template<class F>
    REGATTA_RARE void place_without_room(priority level, F& closure, std::size_t accepted = 0,
                                         std::size_t count = 1) {
        refuse_if_closed(count, accepted);
        const overflow_policy& policy = options().when_full;
        if (policy.hands_over()) {
            count_refused(1);
            task refused(std::move(closure));
            policy.give(std::span<task>(&refused, 1));
            return;
        }
        switch (policy.what()) {
        case overflow::run_here:
            count_refused(1);
            REGATTA_TRY {
                closure();
            }
            REGATTA_CATCH_ALL {
                report(std::current_exception());
            }
            return;
        case overflow::reject:
            refuse(task_rejected::reason::full, count, accepted);
        case overflow::drop_oldest:
            if (!make_room(level)) {
                refuse(task_rejected::reason::full, count, accepted);
            }
            break;
        case overflow::block:
            if (!await_room(count)) {
                refuse(task_rejected::reason::closed, count, accepted);
            }
            break;
        }
        place(level, closure, accepted, count);
    }
    /// Waits for room; counts those as refused that may not.
    bool await_room(std::size_t count) {
        REGATTA_TRY {
            return wait_for_room();
        }
        REGATTA_CATCH_ALL { // Its waits are too deep.
            count_refused(count);
            REGATTA_RETHROW;
        }
    }
    void refuse_if_closed(std::size_t count, std::size_t accepted) {
        if (closed() && caller() == outside) {
            refuse(task_rejected::reason::closed, count, accepted);
        }
    }
    [[noreturn]] void refuse(task_rejected::reason why, std::size_t count, std::size_t accepted) {
        count_refused(count);
        fail_rejected(options().name, why, accepted);
    }
    template<class Iterator>
    REGATTA_RARE void hand_over_all(Iterator at, std::size_t count) {
        count_refused(count);
        std::vector<task> refused;
        refused.reserve(count);
        for (; count != 0; --count) {
            refused.emplace_back(*at);
            ++at;
        }
        options().when_full.give(refused);
    }
    template<class F, class Make>
    bool try_append(priority level, Make&& make) {
        std::size_t appended = 0;
        if (take_room(1) != 0) {
            appended =
                append<F>(level, 1, [&](std::size_t) noexcept -> decltype(auto) { return make(); });
        }
        count_refused(1 - appended);
        return appended != 0;
    }
};

} // namespace regatta::detail
