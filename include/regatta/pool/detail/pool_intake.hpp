// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// How tasks enter a thread pool, and what happens to those for which it has no room.

#include <regatta/base/cache_line.hpp>
#include <regatta/base/config.hpp>
#include <regatta/core/detail/error_tally.hpp>
#include <regatta/core/detail/task_closure.hpp>
#include <regatta/core/detail/worker_context.hpp>
#include <regatta/core/detail/worker_engine.hpp>
#include <regatta/core/pool_options.hpp>
#include <regatta/core/task_errors.hpp>
#include <regatta/core/task_options.hpp>
#include <regatta/pool/detail/queue_source.hpp>
#include <regatta/sync/backoff.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace regatta::detail {

#if REGATTA_POOLS_LIBRARY
REGATTA_POOLS_TEMPLATE class REGATTA_POOLS_EXPORT worker_engine<queue_source>;
#endif

/// Puts closures, one or several, into the queues of a thread pool and follows its overflow policy.
///
/// Threads, Blocks, Failure: as the members of `thread_pool` that call these.
class pool_intake {
public:
    using engine = worker_engine<queue_source>;

    /// @param options outlives this, as do the other arguments.
    pool_intake(const pool_options& options, queue_source& source, engine& workers,
                error_tally& errors) noexcept
        : options_(options)
        , source_(source)
        , engine_(workers)
        , errors_(errors)
        , bounded_(source.room().capacity() != 0) {}

    /// Queues a closure. It is moved once, into its place.
    template<class F>
    void enqueue(priority level, F&& closure) {
        static_assert(!std::is_reference_v<F> && !std::is_const_v<F>);
        if constexpr (task_slot::fits_cell<F>) {
            enqueue_one(level, moved<F>, std::addressof(closure));
        } else if constexpr (task_slot::fits_room<F>) {
            enqueue_beside(level, moved<F>, std::addressof(closure));
        } else {
            enqueue(level, queueable(std::move(closure)));
        }
    }
    /// Queues a closure. If there is a stop token, or if the closure takes one, the closure
    /// observes it.
    template<class F>
    void enqueue_with(task_options&& options, F&& closure) {
        if constexpr (!takes_stop_token<F>) {
            if (!options.stop.stop_possible()) {
                return enqueue(options.level, std::move(closure));
            }
        }
        enqueue(options.level, stoppable_closure<F>{std::move(closure), std::move(options.stop)});
    }
    /// Queues `count` closures of type `F`, each constructed from an element at the iterator.
    template<class F, class Iterator>
    void enqueue_all(priority level, Iterator at, std::size_t count) {
        engine_.refuse_fork(submission);
        for (std::size_t done = 0; done < count;) {
            const std::size_t left = count - done;
            std::size_t room = bounded_ ? source_.room().take(left) : left;
            if (room == 0 && options_.when_full.hands_over()) {
                refuse_if_closed(left, done);
                room = take_swept(left);
                if (room == 0) {
                    return hand_over_all(at, left);
                }
            }
            if (room == 0) {
                F closure(*at);
                ++at;
                place_without_room(level, moved<F>, std::addressof(closure), done, left);
                ++done;
                continue;
            }
            const std::size_t appended = append(
                level, room, room_of<F>(), [&](cell& into, std::size_t, void* beside) noexcept {
                    into.emplace(F(*at++), beside);
                });
            if (appended == 0) {
                refuse(task_rejected::reason::closed, count - done, done);
            }
            done += appended;
        }
    }
    /// Appends the closure that `make()` returns if the pool takes it and has room by `deadline`;
    /// null: now.
    template<class F, class Make>
    bool try_place(priority level, Make&& make,
                   const std::chrono::steady_clock::time_point* deadline) {
        if constexpr (task_slot::fits_cell<F> || task_slot::fits_room<F>) {
            return try_append(level, made<F, std::remove_reference_t<Make>>, &make, deadline);
        } else {
            using box = boxed_closure<std::optional<F>>;
            box large{std::make_unique<std::optional<F>>()}; // Before it takes room: it may throw.
            auto fill_box = [&]() noexcept {
                large.closure->emplace(make());
                return std::move(large);
            };
            return try_append(level, made<box, decltype(fill_box)>, &fill_box, deadline);
        }
    }

    /// Appends what a worker's task leaves for later, in the room that the task had. A pool that is
    /// full may queue one task more than its capacity so for each worker. From another thread: as
    /// `try_place`. @returns whether it did.
    template<class F>
    bool requeue(priority level, F&& rest) {
        static_assert(task_slot::fits_cell<F>);
        if (!engine_.called_by_worker()) {
            auto make = [&]() noexcept { return std::move(rest); };
            return try_place<F>(level, make, nullptr);
        }
        engine_.refuse_fork(submission);
        return source_.room().take_again(engine_.expected()) &&
               append_one<false>(level, moved<F>, std::addressof(rest), engine_.caller());
    }

    /// Tasks that were not accepted.
    std::uint64_t refused() const noexcept { return refused_.load(std::memory_order_relaxed); }

    /// What `refuse_fork` says of a task.
    static constexpr const char* submission = "submit a task to the pool";

private:
    /// A name of the calling thread, for its turn among the queues: where it has its variables.
    static std::uintptr_t this_thread() noexcept {
        return reinterpret_cast<std::uintptr_t>(&worker_context::current());
    }

    void count_refused(std::size_t count) noexcept {
        refused_.fetch_add(count, std::memory_order_relaxed);
    }

    using cell = task_queues::cell;

    /// What a closure needs beside its cell.
    template<class F>
    static constexpr queue_room room_of() noexcept {
        static_assert(task_slot::fits_cell<F> || task_slot::fits_room<F>);
        return task_slot::fits_cell<F> ? 0 : sizeof(F);
    }

    /// What is to be known of the type of one closure before it is in a cell. What handles single
    /// closures is compiled once, and not for each type: a call of `execute` is a few instructions,
    /// and little work for the compiler.
    struct closure_kind {
        queue_room room; ///< As `room_of`.
        /// Puts it into a cell. @param from the closure, or what makes it.
        void (*fill)(cell& into, void* beside, void* from) noexcept;
        task (*box)(void* from); ///< Makes a task of it; or null.
    };
    /// A closure that is moved from.
    template<class F>
    static constexpr closure_kind moved{
        room_of<F>(),
        [](cell& into, void* beside, void* from) noexcept {
            into.emplace(std::move(*static_cast<F*>(from)), beside);
        },
        [](void* from) { return task(std::move(*static_cast<F*>(from))); }};
    /// The closure of type `F` that a function of type `Make` returns, which must not throw.
    template<class F, class Make>
    static constexpr closure_kind made{room_of<F>(),
                                       [](cell& into, void* beside, void* from) noexcept {
                                           into.emplace((*static_cast<Make*>(from))(), beside);
                                       },
                                       nullptr};

    /// As `enqueue`.
    REGATTA_APART REGATTA_POOLS_API void enqueue_one(priority level, const closure_kind& kind,
                                                     void* from);
    /// The same for a closure that needs bytes beside its cell.
    REGATTA_APART REGATTA_POOLS_API void enqueue_beside(priority level, const closure_kind& kind,
                                                        void* from);
    /// Either of the two. @tparam Beside whether the closure needs bytes beside its cell.
    template<bool Beside>
    REGATTA_INLINE void enqueue_kind(priority level, const closure_kind& kind, void* from) {
        engine_.refuse_fork(submission);
        if (bounded_ && source_.room().take(1) == 0) [[unlikely]] {
            place_without_room(level, kind, from, 0, 1);
        } else if (!append_one<Beside>(level, kind, from, engine_.caller())) [[unlikely]] {
            refuse(task_rejected::reason::closed, 1, 0);
        }
    }
    /// As `try_place`.
    REGATTA_APART REGATTA_POOLS_API bool
    try_append(priority level, const closure_kind& kind, void* from,
               const std::chrono::steady_clock::time_point* deadline);
    /// As `append`, one closure. @returns whether it did.
    bool append_one(priority level, const closure_kind& kind, void* from) {
        // Each compiled for itself: most closures need no room.
        return !kind.room.any() ? append_one<false>(level, kind, from, engine_.caller())
                                : append_one<true>(level, kind, from, engine_.caller());
    }
    template<bool Beside>
    REGATTA_INLINE bool append_one(priority level, const closure_kind& kind, void* from,
                                   unsigned caller) {
        REGATTA_TRY {
            const auto appended = source_.queues().append_one(
                level, caller, Beside ? kind.room : queue_room(0),
                [&kind, from](cell& into, std::size_t, void* beside) noexcept {
                    kind.fill(into, beside, from);
                },
                this_thread);
            if (appended.count != 0) [[likely]] {
                engine_.wake(appended.worker);
                return true;
            }
        }
        REGATTA_CATCH_ALL {
            source_.room().give(1);
            REGATTA_RETHROW;
        }
        if (bounded_) {
            source_.room().give(1);
        }
        return false;
    }

    /// Appends up to `count` closures, which `fill` puts into their cells, and wakes workers for
    /// them. In a bounded pool the caller holds room for all of them. Gives back the unused room if
    /// the pool is closed or if this throws. @returns how many it appended; 0 only if the pool is
    /// closed.
    template<class Fill>
    std::size_t append(priority level, std::size_t count, queue_room room, Fill&& fill) {
        std::size_t appended = 0;
        REGATTA_TRY {
            while (appended != count) {
                const auto more = source_.queues().append(level, engine_.caller(), count - appended,
                                                          room, fill, this_thread());
                if (more.count == 0) {
                    break;
                }
                appended += more.count;
                engine_.wake(more.worker);
            }
        }
        REGATTA_CATCH_ALL {
            source_.room().give(count - appended);
            REGATTA_RETHROW;
        }
        if (bounded_) {
            source_.room().give(count - appended);
        }
        return appended;
    }

    /// Takes room for up to `count` tasks once a worker that calls has ended those in its queues
    /// that waits have run. @returns for how many.
    REGATTA_RARE REGATTA_POOLS_API std::size_t take_swept(std::size_t count) noexcept;
    /// Waits for room for a task, at most until `deadline` (null: none). A worker of the pool runs
    /// tasks while it waits. Within too many other waits it throws, but with a deadline does not
    /// wait.
    /// @returns whether the caller holds room; without a deadline false only if the pool is closed.
    REGATTA_RARE REGATTA_POOLS_API bool
    wait_for_room(const std::chrono::steady_clock::time_point* deadline);
    /// What one submission has dropped. Until this ends it counts as unfinished, as does a task
    /// that submits another: so a pool that is closed meanwhile takes the new task, for which an
    /// accepted one was dropped.
    class dropped_tasks {
    public:
        explicit dropped_tasks(engine& of) noexcept : engine_(of) {}
        dropped_tasks(const dropped_tasks&) = delete;
        dropped_tasks& operator=(const dropped_tasks&) = delete;
        ~dropped_tasks() {
            for (finished_.flush(); count_ != 0; --count_) {
                engine_.count_dropped();
            }
        }
        bool any() const noexcept { return count_ != 0; }
        /// Drops the oldest task of that priority. @returns whether there was one.
        bool add_from(queue_source& source, priority level) noexcept {
            const bool dropped =
                engine_.drop_one([&]() noexcept { return source.drop_oldest(level, finished_); });
            count_ += dropped ? 1 : 0;
            return dropped;
        }

    private:
        engine& engine_;
        task_queues::tally finished_;
        unsigned count_ = 0;
    };

    /// Gets room for a task of that priority: takes free room, or drops the oldest queued task of
    /// the lowest priority. @returns whether the caller holds room; false if tasks of a higher
    /// priority have all of it. Refuses as `refuse_if_closed`.
    REGATTA_RARE REGATTA_POOLS_API bool make_room(priority level, std::size_t accepted,
                                                  std::size_t count, dropped_tasks& dropped);

    /// Refuses the closure if the pool is closed; otherwise follows the overflow policy.
    /// @param accepted how many tasks of its batch were accepted before.
    /// @param count how many tasks of its batch are refused if this one is.
    REGATTA_RARE REGATTA_POOLS_API void place_without_room(priority level, const closure_kind& kind,
                                                           void* from, std::size_t accepted,
                                                           std::size_t count);
    /// @returns whether the caller has room now; if not, the task goes to `divert`.
    REGATTA_RARE REGATTA_POOLS_API bool find_room(priority level, std::size_t accepted,
                                                  std::size_t count, dropped_tasks& dropped);
    /// Appends a closure for which others were dropped.
    REGATTA_RARE REGATTA_POOLS_API void place_instead(priority level, const closure_kind& kind,
                                                      void* from);
    /// Gives a task that found no room to the sink, or runs it here.
    REGATTA_RARE REGATTA_POOLS_API void divert(task refused);
    /// Waits for room. If the wait throws, counts `count` tasks as refused.
    REGATTA_RARE REGATTA_POOLS_API bool await_room(std::size_t count);
    REGATTA_RARE REGATTA_POOLS_API void refuse_if_closed(std::size_t count, std::size_t accepted);
    REGATTA_RARE [[noreturn]] REGATTA_POOLS_API void
    refuse(task_rejected::reason why, std::size_t count, std::size_t accepted);
    template<class Iterator>
    REGATTA_RARE void hand_over_all(Iterator at, std::size_t count) {
        count_refused(count);
        std::vector<task> refused;
        refused.reserve(count);
        for (; count != 0; --count) {
            refused.emplace_back(*at);
            ++at;
        }
        options_.when_full.give(refused);
    }

    const pool_options& options_;
    queue_source& source_;
    engine& engine_;
    error_tally& errors_;
    /// Whether tasks need room. Beside what every submission reads.
    const bool bounded_;
    /// Written by producers, read by `stats`. Relaxed: a counter.
    alignas(destructive_alignment) std::atomic<std::uint64_t> refused_{0};
};

#if REGATTA_POOLS_DEFINITIONS

void pool_intake::enqueue_one(priority level, const closure_kind& kind, void* from) {
    enqueue_kind<false>(level, kind, from);
}
void pool_intake::enqueue_beside(priority level, const closure_kind& kind, void* from) {
    enqueue_kind<true>(level, kind, from);
}
void pool_intake::place_without_room(priority level, const closure_kind& kind, void* from,
                                     std::size_t accepted, std::size_t count) {
    dropped_tasks dropped(engine_);
    if (!find_room(level, accepted, count, dropped)) {
        divert(kind.box(from));
    } else if (!append_one(level, kind, from)) {
        if (!dropped.any()) {
            refuse(task_rejected::reason::closed, count, accepted);
        }
        place_instead(level, kind, from);
    }
}
void pool_intake::place_instead(priority level, const closure_kind& kind, void* from) {
    for (backoff pace; source_.room().take(1) == 0;) {
        pace.pause_or_sleep(); // The workers of the closed pool make room.
    }
    // As a worker: a task of the pool is unfinished, so none of them has left.
    append_one<true>(level, kind, from, 0);
}
bool pool_intake::try_append(priority level, const closure_kind& kind, void* from,
                             const std::chrono::steady_clock::time_point* deadline) {
    engine_.refuse_fork(submission);
    const bool appended = (source_.room().take(1) != 0 || take_swept(1) != 0 ||
                           (deadline != nullptr && wait_for_room(deadline))) &&
                          append_one(level, kind, from);
    if (!appended) {
        count_refused(1);
    }
    return appended;
}
std::size_t pool_intake::take_swept(std::size_t count) noexcept {
    engine_.sweep(); // Waits may have run all of a short queue: too little to sweep it then.
    return source_.room().take(count);
}
bool pool_intake::wait_for_room(const std::chrono::steady_clock::time_point* deadline) {
    if (!engine_.called_by_worker()) {
        return source_.room().wait([this] { return engine_.closed(); }, deadline);
    }
    bool taken = false;
    if (deadline == nullptr || !engine_.helps_deepest()) {
        // A worker that only waited could keep the queues full.
        engine_.help_until("wait for room in a task", [&] {
            taken = source_.room().take(1) != 0;
            return taken || (deadline != nullptr && std::chrono::steady_clock::now() >= *deadline);
        });
    }
    return taken;
}
bool pool_intake::make_room(priority level, std::size_t accepted, std::size_t count,
                            dropped_tasks& dropped) {
    for (backoff pace; source_.room().take(1) == 0;) {
        // A closed pool runs what it has taken.
        if (dropped.any() && engine_.closed() && engine_.caller() == outside) {
            pace.pause_or_sleep();
            continue;
        }
        refuse_if_closed(count, accepted);
        bool one = dropped.add_from(source_, priority::low);
        for (const priority lower : {priority::medium, priority::high}) {
            one = one || (level >= lower && dropped.add_from(source_, lower));
        }
        if (one) {
            continue;
        }
        std::size_t above = 0;
        for (const priority higher : {priority::medium, priority::high}) {
            above += higher > level ? source_.queues().size(higher) : 0;
        }
        if (above >= source_.room().capacity()) {
            return false;
        }
        // The other tasks that have room are in no queue for a moment: their producers are about to
        // append them, or a sweep is about to set them aside.
        pace.pause_or_sleep();
    }
    return true;
}
bool pool_intake::find_room(priority level, std::size_t accepted, std::size_t count,
                            dropped_tasks& dropped) {
    refuse_if_closed(count, accepted);
    if (take_swept(1) != 0) {
        return true;
    }
    const overflow what = options_.when_full.what();
    if (options_.when_full.hands_over() || what == overflow::run_here) {
        return false;
    }
    if (what == overflow::block
            ? await_room(count)
            : what == overflow::drop_oldest && make_room(level, accepted, count, dropped)) {
        return true;
    }
    refuse(what == overflow::block ? task_rejected::reason::closed : task_rejected::reason::full,
           count, accepted);
}
void pool_intake::divert(task refused) {
    count_refused(1);
    if (options_.when_full.hands_over()) {
        options_.when_full.give(std::span<task>(&refused, 1));
        return;
    }
    const fresh_coroutine_depth depth;
    REGATTA_TRY {
        refused();
    }
    REGATTA_CATCH_ALL {
        errors_.report(std::current_exception());
    }
}
bool pool_intake::await_room(std::size_t count) {
    REGATTA_TRY {
        return wait_for_room(nullptr);
    }
    REGATTA_CATCH_ALL { // Too many of the worker's tasks wait within each other.
        count_refused(count);
        REGATTA_RETHROW;
    }
}
void pool_intake::refuse_if_closed(std::size_t count, std::size_t accepted) {
    if (engine_.closed() && engine_.caller() == outside) {
        refuse(task_rejected::reason::closed, count, accepted);
    }
}
void pool_intake::refuse(task_rejected::reason why, std::size_t count, std::size_t accepted) {
    count_refused(count);
    fail_rejected(options_.name, why, accepted);
}

#endif

} // namespace regatta::detail
