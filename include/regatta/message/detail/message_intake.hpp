// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// How messages and tasks go into the ring of a worker pool.

#include <regatta/base/cache_line.hpp>
#include <regatta/base/config.hpp>
#include <regatta/base/detail/clock.hpp>
#include <regatta/core/detail/error_tally.hpp>
#include <regatta/core/detail/future_job.hpp>
#include <regatta/core/detail/result_state.hpp>
#include <regatta/core/detail/task_closure.hpp>
#include <regatta/core/detail/worker_engine.hpp>
#include <regatta/core/future.hpp>
#include <regatta/core/task_errors.hpp>
#include <regatta/message/detail/message_source.hpp>
#include <regatta/message/detail/task_message.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <stop_token>
#include <string>
#include <type_traits>
#include <utility>

namespace regatta::detail {

/// Puts messages and tasks into the ring of a worker pool, waits for room, wakes workers and counts
/// what is refused.
///
/// Threads, Blocks, Failure: as the members of `worker_pool` that call these.
template<class... Messages>
class message_intake {
public:
    using source = message_source<Messages...>;
    using engine = worker_engine<source>;

    /// @param name the pool's. It outlives this, as do the other arguments.
    message_intake(const std::string& name, source& messages, engine& workers,
                   error_tally& errors) noexcept
        : name_(name)
        , source_(messages)
        , engine_(workers)
        , errors_(errors) {}

    // --- messages --------------------------------------------------------------------------------

    /// Submits a message if fewer than `limit` are queued; in a fork of the process it refuses.
    template<class T>
    bool try_submit(std::size_t limit, T&& m) noexcept {
        return count(!engine_.elsewhere() && source_.try_append(limit, std::move(m)));
    }
    /// Submits once fewer than `limit` messages are queued.
    /// @param refused how many count as refused if this one is.
    template<class T>
    bool submit_below(std::size_t limit, T&& m, std::size_t refused = 1) {
        engine_.refuse_fork("submit to the pool");
        if (source_.try_append(limit, std::move(m))) [[likely]] {
            return count(true);
        }
        return submit_later(limit, std::move(m), refused);
    }
    /// Submits a message once there is room, at most until `deadline`; a refused one is unchanged.
    template<class T>
    REGATTA_APART bool submit_until(T& m, std::chrono::steady_clock::time_point deadline) {
        const auto append = [&] { return source_.try_append(source_.capacity(), std::move(m)); };
        return count(!engine_.elsewhere() && append_until(append, &deadline));
    }

    // --- tasks -----------------------------------------------------------------------------------

    /// Queues a closure whose exception goes to the error sink.
    template<class Closure>
    void execute(Closure closure) {
        enqueue(make_task(reported<Closure>{errors_, std::move(closure)}).second);
    }
    /// @returns the future of the closure's result and the job that brings it about.
    template<class F>
    auto make_task(F&& closure) {
        engine_.refuse_fork(submission);
        return make_future_task(engine_.blocks(), std::stop_token(), std::forward<F>(closure));
    }
    /// Queues a call of `f`, unchanged if refused, if there is room by `deadline`; null: now.
    template<class F>
    bool place(F&& f, const std::chrono::steady_clock::time_point* deadline);
    /// The same with a future.
    template<class F>
    auto place_task(F&& f, const std::chrono::steady_clock::time_point* deadline)
        -> try_submit_result_t<std::decay_t<F>>;
    /// Queues a job, waits for room. Throws `task_rejected` if the pool is closed.
    /// @param accepted how many tasks of its batch the pool accepted before.
    /// @param count how many tasks of its batch are refused if this one is.
    void enqueue(future_job job, std::size_t accepted = 0, std::size_t count = 1) {
        if (!submit_below(source_.capacity(), task_message(job), count)) {
            fail_rejected(name_, task_rejected::reason::closed, accepted);
        }
        job.release();
    }

    /// Messages and tasks that were refused.
    std::uint64_t refused() const noexcept { return refused_.load(std::memory_order_relaxed); }

private:
    /// Queues the task of `hold(f)`, which is called when there is room. @returns its future; one
    /// that is not valid if the pool refused it: then `f` is unchanged, unless its move may throw.
    template<class Closure, class F, class Hold>
    auto make_and_place(F&& f, Hold&& hold, const std::chrono::steady_clock::time_point* deadline)
        -> future<task_result_t<Closure>>;
    /// The task of a closure whose exception goes to the error sink.
    template<class Closure>
    struct reported {
        error_tally& errors;
        Closure closure;

        void operator()() {
            REGATTA_TRY {
                call_as_job(closure);
            }
            REGATTA_CATCH_ALL {
                errors.report(std::current_exception());
            }
        }
    };

    /// Wakes a worker for an accepted message, or counts what is refused.
    bool count(bool accepted, std::size_t refused = 1) noexcept {
        if (accepted) {
            engine_.wake();
        } else {
            refused_.fetch_add(refused, std::memory_order_relaxed);
        }
        return accepted;
    }
    /// Submits a message that found no room at first. Takes it by value, so that the caller's
    /// message stays in registers.
    template<class T>
    REGATTA_RARE bool submit_later(std::size_t limit, T m, std::size_t refused) {
        bool accepted = false;
        const auto settled = [&] {
            accepted = accepted || source_.try_append(limit, std::move(m));
            return accepted || source_.closed();
        };
        REGATTA_TRY {
            if (!engine_.called_by_worker()) {
                source_.wait_for_room(settled);
            } else if (!settled()) { // A handler that only waited could keep the ring full.
                if constexpr (std::is_same_v<T, task_message>) {
                    if (engine_.helps_deepest()) {
                        engine_.run_here(waiting, [&](auto& seat) { source_.run_here(seat, m); });
                        return true;
                    }
                }
                engine_.help_until(waiting, settled);
            }
        }
        REGATTA_CATCH_ALL { // Too many wait within each other.
            count(false, refused);
            REGATTA_RETHROW;
        }
        return count(accepted, refused);
    }

    /// Repeats `append()` until it succeeds, the pool is closed or `deadline` has passed; null: one
    /// attempt. @returns whether it succeeded.
    template<class Append>
    bool append_until(Append&& append, const std::chrono::steady_clock::time_point* deadline) {
        bool accepted = append();
        if (accepted || deadline == nullptr) {
            return accepted;
        }
        const auto settled = [&] {
            accepted = accepted || append();
            return accepted || source_.closed();
        };
        if (!engine_.called_by_worker()) {
            source_.wait_for_room(settled, deadline);
        } else if (!engine_.helps_deepest()) {
            engine_.help_until(waiting, [&] {
                return settled() || std::chrono::steady_clock::now() >= *deadline;
            });
        }
        return accepted;
    }
    /// What the error says of a wait for room within too many others.
    static constexpr const char* waiting = "wait for room in a handler or task";
    /// What `refuse_fork` says of a task.
    static constexpr const char* submission = "submit a task to the pool";

    const std::string& name_;
    source& source_;
    engine& engine_;
    error_tally& errors_;
    /// Written by producers, read by `stats`. Relaxed: a counter that publishes nothing else.
    alignas(destructive_alignment) std::atomic<std::uint64_t> refused_{0};
};

template<class... Messages>
template<class Closure, class F, class Hold>
auto message_intake<Messages...>::make_and_place(
    F&& f, Hold&& hold, const std::chrono::steady_clock::time_point* deadline)
    -> future<task_result_t<Closure>> {
    using state = task_state<Closure>;
    if constexpr (!std::is_nothrow_move_constructible_v<F>) {
        auto made = make_task(hold(std::move(f)));
        const auto append = [&] {
            return source_.try_append(source_.capacity(), task_message(made.second));
        };
        if (!count(append_until(append, deadline))) {
            return {};
        }
        made.second.release();
        return std::move(made.first);
    } else { // Moves `f` only into its place.
        engine_.refuse_fork(submission);
        spare_block<state> block(engine_.blocks().store()); // It may throw: before.
        state* made = nullptr;
        const auto make = [&]() noexcept {
            made = block.make(std::stop_token(), hold(std::move(f)));
            future_job half(*made);
            const task_message m(half);
            half.release();
            return m;
        };
        const auto append = [&] { return source_.try_append_made(source_.capacity(), make); };
        if (!append_until(append, deadline)) {
            count(false);
            return {};
        }
        future<task_result_t<Closure>> result(*made);
        count(true);
        return result;
    }
}

template<class... Messages>
template<class F>
bool message_intake<Messages...>::place(F&& f,
                                        const std::chrono::steady_clock::time_point* deadline) {
    using closure = std::decay_t<F>;
    if constexpr (!std::is_same_v<F, closure>) {
        return place(closure(std::forward<F>(f)), deadline);
    } else {
        using job = reported<held_closure<closure>>;
        const auto hold = [this](F&& given) {
            return job{errors_, hold_closure<closure>(std::move(given))};
        };
        // Nobody asks for its result.
        return make_and_place<job>(std::move(f), hold, deadline).valid();
    }
}

template<class... Messages>
template<class F>
auto message_intake<Messages...>::place_task(F&& f,
                                             const std::chrono::steady_clock::time_point* deadline)
    -> try_submit_result_t<std::decay_t<F>> {
    using closure = std::decay_t<F>;
    if constexpr (!std::is_same_v<F, closure>) {
        return place_task(closure(std::forward<F>(f)), deadline);
    } else {
        const auto hold = [](F&& given) { return hold_closure<closure>(std::move(given)); };
        auto result = make_and_place<held_closure<closure>>(std::move(f), hold, deadline);
        return result.valid() ? try_submit_result_t<closure>(std::move(result)) : std::nullopt;
    }
}

} // namespace regatta::detail
