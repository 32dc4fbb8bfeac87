// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The state that a task and its future share, apart from closure and result: the status word, and
/// the waits for it.

#include <regatta/base/config.hpp>
#include <regatta/base/detail/clock.hpp>
#include <regatta/base/error.hpp>
#include <regatta/core/detail/block_cache.hpp>
#include <regatta/core/detail/completion.hpp>
#include <regatta/core/detail/coroutine_depth.hpp>
#include <regatta/core/detail/drop_scope.hpp>
#include <regatta/core/detail/fork_region.hpp>
#include <regatta/core/detail/wait_graph.hpp>
#include <regatta/core/detail/worker_context.hpp>
#include <regatta/sync/atomics.hpp>
#include <regatta/sync/backoff.hpp>

#include <cerrno>
#include <mutex>
#include <stop_token>
#include <utility>

namespace regatta::detail {

/// What the states of real programs live in; a model checker brings another world.
struct future_world {
    using atomics = std_atomics;
    using store = block_store;
    using context = worker_context;
    using stop_token = std::stop_token;
};

/// A worker that waits for a continuation. An entry in the list of `future_links`, where each
/// worker has one at most: the innermost of its waits that has looked there.
template<class World>
struct chain_waiter {
    basic_future_state<World>& target;
    const typename World::context* worker;
    /// The task of the chain where the next look for the first one begins: none before it is left
    /// to run. Null while the entry is not listed. Guarded by the lock on links.
    basic_future_state<World>* first = nullptr;
    chain_waiter* next = nullptr;
};

/// The part of a task that knows neither its closure nor its result. It lives in one block of a
/// `block_store` and has two owners: its job, which a queue holds, and its future.
///
/// Threads: as `completion`. The members are for futures and jobs.
///
/// I1: a worker that waits for a continuation does not sleep while the task that must run next, so
///     that the continuation can end, is one that it may run and nobody has claimed.
/// I2: of workers whose waits for tasks form a circle, one is refused.
/// I3: while a continuation that is waited for has a `source`, the `first` of its waiters is alive:
///     whatever continues that one moves the waiters on before it lets go of it.
template<class World>
class basic_future_state : public wait_target {
    using atomics = typename World::atomics;
    using store_type = typename World::store;
    using context_type = typename World::context;
    using token_type = typename World::stop_token;
    using waiter = chain_waiter<World>;

public:
    using status_word = basic_completion<basic_future_state*, atomics>;
    using outcome = typename status_word::outcome;
    using time_point = std::chrono::steady_clock::time_point;

    basic_future_state(const basic_future_state&) = delete;
    basic_future_state& operator=(const basic_future_state&) = delete;

    bool complete() const noexcept { return status_.complete(); }
    /// Whether the task never ran. Only for a task that is complete, or that was `claimed`.
    bool cancelled() const noexcept { return status_.cancelled(); }
    /// Whether somebody has claimed it, to run it or to cancel it. May be old.
    bool claimed() const noexcept { return status_.claimed(); }
    store_type& store() const noexcept { return store_; }

    /// Runs the task for its job, which leaves. @returns whether the task ran, here or in a wait
    /// for it.
    bool run_as_job() noexcept {
        if (!status_.claim()) {
            const bool ran = !status_.cancelled();
            leave_as_job();
            return ran;
        }
        return run_claimed(true);
    }
    /// Claims the task for the holder of its job, who runs it without `run`: a coroutine, on
    /// several threads perhaps, one after the other. A worker that waits for it is no part of a
    /// circle: no thread is the runner meanwhile.
    /// @returns false if it was cancelled: the job is left to drop.
    [[nodiscard]] bool claim_as_job() noexcept { return status_.claim(); }
    /// Completes the task that `claim_as_job` has claimed, and leaves as its job.
    /// @returns the continuation for `go_on_with`, or null.
    basic_future_state* end_as_job() noexcept { return end(outcome::done, true); }
    /// Runs a continuation, then its continuation, and so on. A loop, so that a long chain needs no
    /// deep stack.
    static void go_on_with(basic_future_state* next) noexcept {
        while (next != nullptr) {
            basic_future_state* after = nullptr;
            if (next->hand_over(after)) { // It may be gone.
                next = after;
                continue;
            }
            if (!next->status_.claim()) {
                return next->leave_as_job();
            }
            next->begin();
            next = next->end(next->run(), true);
        }
    }
    /// The job is destroyed unrun: cancels the task and leaves. @returns true only if a wait for
    /// the task has run it.
    REGATTA_RARE bool drop_as_job() noexcept;

    /// Cancels the task if it has not started. @returns whether this call cancelled it.
    REGATTA_APART bool cancel() noexcept;
    /// The future leaves.
    void leave_as_future() noexcept {
        if (status_.leave_future()) {
            dispose();
        }
    }
    /// Waits until the task is complete. A worker of its pool runs the task itself if it has not
    /// started.
    /// @returns false if the deadline passed first.
    bool wait(const time_point* deadline = nullptr) {
        return status_.complete() || wait_incomplete(deadline);
    }
    /// Makes `next` run when this is complete, at once if it already is. From now on the closure of
    /// `next` owns the future's side of this task, and this task owns the job of `next`.
    void continue_with(basic_future_state& next) noexcept {
        if (!attach(next)) {
            go_on_with(&next);
        }
    }
    /// The same, unless this is complete: then nobody but the caller knows `next`.
    /// @returns whether `next` will run.
    [[nodiscard]] bool attach(basic_future_state& next) noexcept { return status_.attach(&next); }

    REGATTA_RARE const worker_level* runner() const noexcept final;

protected:
    /// How a task that ran ended.
    enum class content : unsigned char { nothing, value, error };

    /// @param chained whether it is a continuation, with a `source`.
    basic_future_state(store_type& store, token_type stop, bool chained) noexcept
        : chained_(chained)
        , store_(store)
        , stop_(std::move(stop)) {}
    ~basic_future_state() = default;

    /// Runs the closure, stores its result or exception, destroys it.
    virtual outcome run() noexcept = 0;
    virtual void drop_closure() noexcept = 0;
    /// Destroys this, except the closure, which is already gone. Returns the block.
    virtual void dispose() noexcept = 0;
    /// The pool whose workers may run the task while they wait for it.
    virtual const void* pool() const noexcept { return store_.pool(); }
    /// The task that this one continues, while the closure owns that task's future; otherwise null.
    /// Requires the lock on links.
    virtual const basic_future_state* source() const noexcept { return nullptr; }
    /// Hands the job of a continuation to its executor. @returns false if it has none: run it here.
    /// @param after set to the continuation of this one if the executor has refused the job.
    virtual bool hand_over(basic_future_state*& after) noexcept {
        after = nullptr;
        return false;
    }
    /// Where to leave the continuation of a job that is destroyed: null, unless the calling thread
    /// is in `hand_over` of this very job. Called by the thread that has the job.
    virtual basic_future_state** place_after_hand_over() noexcept { return nullptr; }
    /// Waits in a thread that is no worker, until the task is complete. A state whose task runs
    /// elsewhere may fetch the result itself. @returns false if the deadline passed first.
    virtual bool wait_outside(const time_point* deadline);

    /// A worker of that pool begins to wait for this, or no longer does.
    virtual void note_wait(const void* pool, bool begins) noexcept {
        static_cast<void>(pool);
        static_cast<void>(begins);
    }
    /// Called by a thread that waits for this and may not run it: runs what has to end before, if
    /// the thread may. @param pool whose worker the thread is; null: of none.
    /// @param forever whether the wait has no deadline: then it throws if it could never end.
    /// @returns whether it ran something.
    virtual bool run_before(const void* pool, bool forever) {
        static_cast<void>(pool);
        static_cast<void>(forever);
        return false;
    }

    /// Called before the job of this continuation is handed over. Wakes the workers that wait for a
    /// continuation: they check whether they can run this one.
    /// @param nothing_to_run called under the lock on links. If it returns true, nobody is woken.
    /// @returns whether the job is to be handed over.
    template<class NothingToRun>
    REGATTA_RARE bool begin_hand_over(NothingToRun&& nothing_to_run) noexcept {
        const std::lock_guard lock(store_.links().lock);
        if (nothing_to_run()) {
            return false;
        }
        for (waiter* w = store_.links().waiting; w != nullptr; w = w->next) {
            w->target.status_.wake_waiters();
        }
        return true;
    }
    /// This continuation is about to let go of its source: waiters that have got there go on here.
    /// Requires the lock on links.
    void move_waiters_from(const basic_future_state& source) noexcept {
        for (waiter* w = store_.links().waiting; w != nullptr; w = w->next) {
            if (w->first == &source) {
                w->first = this;
            }
        }
    }
    const token_type& stop() const noexcept { return stop_; }

private:
    /// Runs the task that this thread has claimed. @returns false if it was cancelled.
    REGATTA_APART bool run_claimed(bool as_job) noexcept;
    /// The calling thread, which has claimed the task, is about to run it or to destroy its
    /// closure: that, too, may wait.
    void begin() noexcept {
        const context_type* const worker = context_type::current();
        // relaxed: see runner_.
        runner_.store(worker != nullptr ? worker->level : nullptr, std::memory_order_relaxed);
    }
    /// Completes this. @returns the continuation to run next, or null. This may be destroyed by
    /// then.
    basic_future_state* end(outcome how, bool as_job) noexcept {
        const auto ending = status_.finish(how, as_job);
        if (ending.last) {
            dispose();
        }
        return ending.next;
    }
    void leave_as_job() noexcept {
        if (status_.leave_task()) {
            dispose();
        }
    }

    const worker_level* own_runner() const noexcept {
        // relaxed: see runner_. In this order: if the task has not ended, the level still exists.
        const worker_level* const level = runner_.load(std::memory_order_relaxed);
        return status_.complete() ? nullptr : level;
    }
    /// The task that must end next so that this one can end: the first of the chain, or this one.
    /// Requires the lock on links.
    const basic_future_state& first_of_chain() const noexcept {
        const basic_future_state* first = this;
        if (source() != nullptr) {
            // From where a waiter has got to: looks at the whole of a long chain would take longer
            // than its tasks.
            for (const waiter* w = store_.links().waiting; w != nullptr; w = w->next) {
                if (&w->target == this) {
                    first = w->first->next_in_chain(*this);
                }
            }
        }
        for (const basic_future_state* s = first->source(); s != nullptr && !s->complete();
             s = s->source()) {
            first = s;
        }
        return *first;
    }
    /// This, or the first of its continuations, `last` at most, that is not complete.
    const basic_future_state* next_in_chain(const basic_future_state& last) noexcept {
        basic_future_state* next = this;
        while (next != &last && next->complete()) {
            next = next->status_.continuation();
        }
        return next;
    }
    bool claim_for(const void* pool_address, bool to_cancel) noexcept {
        return pool() == pool_address && !status_.claimed() &&
               (to_cancel || stop_.stop_requested() ? status_.claim_to_cancel() : status_.claim());
    }
    /// Claims the task that must run next so that this one can end. A claimed task stays alive
    /// until it has run: no owner disposes of an incomplete task.
    /// @param mine listed, if this is a continuation: whoever hands the next task over wakes it.
    REGATTA_RARE basic_future_state* claim_next(const void* pool_address, waiter& mine) noexcept {
        if (!chained_) {
            return claim_for(pool_address, false) ? this : nullptr;
        }
        const std::lock_guard lock(store_.links().lock);
        auto& first = const_cast<basic_future_state&>(first_of_chain());
        if (mine.first == nullptr) {
            enlist(mine);
        }
        mine.first = &first;
        return first.claim_for(pool_address, false) ? &first : nullptr;
    }
    /// Claims the task that must end next, to cancel it, if this thread destroys all tasks of the
    /// pool in which that one waits: perhaps no other thread will. It is no worker of that pool,
    /// but may be one of another.
    REGATTA_RARE basic_future_state* claim_dropped() noexcept {
        const auto claimed = [](basic_future_state& next) noexcept {
            return drop_scope::takes_all(next.pool()) && next.claim_for(next.pool(), true)
                       ? &next
                       : nullptr;
        };
        if (!chained_) {
            return claimed(*this);
        }
        const std::lock_guard lock(store_.links().lock);
        return claimed(const_cast<basic_future_state&>(first_of_chain()));
    }
    /// Lists a waiter in place of those beneath it on its worker's stack.
    void enlist(waiter& mine) noexcept {
        waiter** at = &store_.links().waiting;
        while (*at != nullptr) {
            if ((*at)->worker == mine.worker) {
                take_out(at);
            } else {
                at = &(*at)->next;
            }
        }
        *at = &mine;
    }
    REGATTA_RARE void unlist(waiter& mine) noexcept {
        if (!chained_) {
            return;
        }
        const std::lock_guard lock(store_.links().lock);
        if (mine.first != nullptr) {
            waiter** at = &store_.links().waiting;
            while (*at != &mine) {
                at = &(*at)->next;
            }
            take_out(at);
        }
    }
    static void take_out(waiter** at) noexcept {
        waiter& gone = **at;
        *at = std::exchange(gone.next, nullptr);
        gone.first = nullptr;
    }

    /// Waits for a task that was not complete.
    REGATTA_APART bool wait_incomplete(const time_point* deadline);
    /// Runs a task that this worker has claimed in a wait. It is no part of the worker's region,
    /// but of its task: its job in the queue counts no more as soon as somebody finds it.
    static void run_in_wait(basic_future_state& next) noexcept {
        const typename basic_fork_stack<atomics>::aside none(basic_fork_stack<atomics>::current(),
                                                             false);
        const fresh_coroutine_depth depth;
        next.run_claimed(false);
    }
    REGATTA_RARE bool wait_as_worker(context_type& worker, const time_point* deadline) {
        struct listed : waiter {
            ~listed() {
                this->target.unlist(*this);
                this->target.note_wait(this->worker->pool, false);
            }
        } mine{{*this, &worker}};
        note_wait(worker.pool, true);
        for (basic_backoff<atomics> pace; !status_.complete();) {
            if (deadline != nullptr && std::chrono::steady_clock::now() >= *deadline) {
                return false;
            }
            if (!run_next(worker, mine, deadline) && !pace.pause()) {
                sleep_as_worker(worker, mine, deadline);
            }
        }
        return true;
    }
    /// Runs the task that must run next. @returns false if the worker may not.
    REGATTA_RARE bool run_next(context_type& worker, waiter& mine, const time_point* deadline) {
        if (basic_future_state* const next = claim_next(worker.pool, mine)) {
            run_in_wait(*next);
        } else {
            const typename basic_fork_stack<atomics>::aside none(
                basic_fork_stack<atomics>::current(), false);
            const fresh_coroutine_depth depth;
            if (!run_before(worker.pool, deadline == nullptr)) {
                return false;
            }
        }
        worker.overtake();
        return true;
    }
    /// Sleeps once, unless there is a task to run.
    REGATTA_RARE void sleep_as_worker(context_type& worker, waiter& mine,
                                      const time_point* deadline) {
        const auto ticket = status_.prepare_wait();
        if (status_word::is_complete(ticket) || run_next(worker, mine, deadline)) {
            return;
        }
        // A wait with a deadline ends even in a circle of waits.
        auto* const graph = deadline == nullptr ? worker.graph : nullptr;
        if (graph != nullptr) {
            graph->block(*worker.level, *this);
        }
        status_.commit_wait(ticket, deadline);
        if (graph != nullptr) {
            graph->unblock(*worker.level);
        }
    }

    [[no_unique_address]] status_word status_;

protected:
    /// Written by the thread that runs the task, read by the future's side when the task is
    /// complete.
    content content_ = content::nothing;

private:
    const bool chained_;
    store_type& store_;
    /// The level of the worker that runs the task, or destroys its closure unrun. Written by the
    /// thread that claimed it, read under the lock of the wait graph while a chain is followed.
    /// relaxed: of the workers that wait in a circle, the last to register takes that lock after
    /// all the others. They wrote this before they took it.
    typename atomics::template atomic<worker_level*> runner_{nullptr};
    const token_type stop_;
};

template<class World>
bool basic_future_state<World>::drop_as_job() noexcept {
    if (!status_.claim()) {
        const bool ran = !status_.cancelled();
        leave_as_job();
        return ran;
    }
    basic_future_state** const place = place_after_hand_over();
    begin();
    drop_closure();
    basic_future_state* const next = end(outcome::cancelled, true);
    if (place != nullptr) {
        *place = next; // A chain that is refused link by link needs no deep stack.
    } else {
        go_on_with(next);
    }
    return false;
}
template<class World>
bool basic_future_state<World>::cancel() noexcept {
    // In a fork of the process a thread that does not exist there may hold the lock on links.
    if (store_.elsewhere() || !status_.claim_to_cancel()) {
        return false;
    }
    begin();
    drop_closure();
    go_on_with(end(outcome::cancelled, false));
    return true;
}
template<class World>
const worker_level* basic_future_state<World>::runner() const noexcept {
    if (!chained_) {
        return own_runner();
    }
    const std::lock_guard lock(store_.links().lock);
    return first_of_chain().own_runner();
}
template<class World>
bool basic_future_state<World>::run_claimed(bool as_job) noexcept {
    outcome how = outcome::cancelled;
    // A wait has decided at its claim: the job, which may look meanwhile, counts what it decided.
    const bool cancelled = as_job ? stop_.stop_requested() : status_.cancelled();
    begin();
    if (cancelled) {
        drop_closure();
    } else {
        how = run();
    }
    go_on_with(end(how, as_job));
    return how == outcome::done;
}
template<class World>
bool basic_future_state<World>::wait_incomplete(const time_point* deadline) {
    if (store_.elsewhere()) [[unlikely]] {
        fail_system(ESRCH, "wait for a task in a fork of the process that runs it");
    }
    if (auto& stack = basic_fork_stack<atomics>::current(); stack.in_region()) [[unlikely]] {
        stack.share_all(); // Others may do what this thread leaves.
    }
    context_type* worker = context_type::current();
    if (worker == nullptr && store_.pool() != nullptr) {
        worker = store_.find_worker();
    }
    if (drop_scope::any()) [[unlikely]] {
        while (basic_future_state* const next = claim_dropped()) {
            run_in_wait(*next);
        }
    }
    if (worker == nullptr) {
        static_cast<void>(run_before(nullptr, deadline == nullptr));
        return wait_outside(deadline);
    }
    return wait_as_worker(*worker, deadline);
}
template<class World>
bool basic_future_state<World>::wait_outside(const time_point* deadline) {
    return status_.wait(deadline);
}

/// The state of real programs.
using future_state = basic_future_state<future_world>;

#if REGATTA_POOLS_LIBRARY
REGATTA_POOLS_TEMPLATE class REGATTA_POOLS_EXPORT basic_completion<future_state*, std_atomics>;
REGATTA_POOLS_TEMPLATE class REGATTA_POOLS_EXPORT basic_future_state<future_world>;
#endif

} // namespace regatta::detail
