// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Tasks that run one at a time on the threads of a pool.

#include <regatta/base/config.hpp>
#include <regatta/core/detail/future_job.hpp>
#include <regatta/core/detail/result_state.hpp>
#include <regatta/core/detail/strand_core.hpp>
#include <regatta/core/detail/task_closure.hpp>
#include <regatta/core/error_sink.hpp>
#include <regatta/core/future.hpp>

#include <memory>
#include <stop_token>
#include <type_traits>
#include <utility>

namespace regatta {

namespace detail {

/// The state of a task of a strand that has a future. It counts as the end of a chain, so that the
/// workers which wait for it are listed, and can be woken, in the strand's store.
template<class F, class Core>
class strand_state final : public closure_state<F>, private strand_waiter {
public:
    template<class G>
    strand_state(block_store& store, std::shared_ptr<Core> core, G&& closure)
        : closure_state<F>(store, std::stop_token(), true, std::forward<G>(closure))
        , core_(std::move(core)) {}

private:
    void dispose() noexcept override {
        const std::shared_ptr<Core> last = core_; // It has the store.
        destroy_in_block(this, this->store());
    }
    void note_wait(const void* pool, bool begins) noexcept override {
        core_->note_wait(*this, pool, begins);
    }
    bool run_before(const void* pool, bool forever) override {
        return core_->run_before(pool, forever);
    }
    void wake_all() noexcept override {
        static_cast<void>(this->begin_hand_over([] { return false; }));
    }

    const std::shared_ptr<Core> core_;
};

} // namespace detail

/// A serial executor: runs what it is given one task at a time, in the order of submission, on the
/// threads of another executor. So what only its tasks touch needs no lock.
///
/// ```cpp
/// regatta::steady_pool pool(4);
/// regatta::strand orders(pool); // one for each connection, account or player
/// orders.execute([&] { book.add(order); });
/// auto best = orders.submit([&] { return book.best(); });
/// ```
///
/// A strand has no thread, and uses no CPU while it has no task. Copies are the same strand. Any
/// number of strands share the threads of the executor; each runs a few tasks, then the next has
/// its turn. The tasks that a strand has when its last copy is destroyed still run.
///
/// `then(strand, f)`, `schedule_on(strand)`, `co_spawn(strand, task)` and a `timer_scheduler` take
/// it as an executor. A coroutine leaves the strand where it waits for something else, and comes
/// back by `co_await schedule_on(strand)`.
///
/// A task of the pool that waits for a future of `submit` runs the strand's tasks before it, and
/// it, one by one, while no other thread does. Other waits for what runs in a strand only wait, as
/// those for a continuation of such a future, or for one in the strand: do not make them in a task
/// of a pool whose workers may all do so. In a
/// full thread pool a strand's turn keeps its room: the pool may then queue one task more a worker
/// than its capacity. Where a full `worker_pool`, or an executor of another kind, refuses the turn,
/// the thread that has run some tasks goes on with later ones.
///
/// Threads: any. The executor must outlive the last call, and run or destroy what it has before it
/// is destroyed, as pools do.
/// Blocks: `execute` and `submit` as the executor's `execute`, but only if the strand has no turn
/// with the executor.
/// Order: tasks begin in the order of submission, each after the end of the one before. What that
/// one did happens before.
/// Failure: an exception of a task of `execute` goes to the error sink; the strand goes on. If the
/// executor refuses the strand's turn, as one that is closed, the call throws what it throws, and
/// its task is destroyed. Where the executor destroys a turn that it has accepted, all tasks that
/// wait in the strand are destroyed with it: with `stop_mode::discard`, or if the turn is the
/// oldest task of a full pool with `overflow::drop_oldest`. Their futures are cancelled. A task
/// that waits for a future of `submit` of its own strand, or what runs on top of it and does, gets
/// `std::system_error` (`resource_deadlock_would_occur`). In a fork of the process the calls throw
/// one (`no_such_process`).
/// Cost: a short lock a task, and a job of the executor for up to 16 of them; no heap for closures
/// that fit into a `task` once the queue has had its greatest length. A future takes a block, as
/// those of a pool do.
template<class Executor>
class strand {
    using core = detail::strand_core<Executor>;

public:
    /// @param on_error receives exceptions of tasks of `execute`.
    explicit strand(Executor& executor, error_sink on_error = {})
        : core_(std::make_shared<core>(executor, std::move(on_error))) {}

    /// Appends a call of `f(args...)`. The arguments are held by value; `std::ref` passes a
    /// reference.
    template<class F, class... Args>
    void execute(F&& f, Args&&... args) const {
        if constexpr (detail::callable_job<F, Args...>) {
            core_->add([closure = detail::bind_closure(std::forward<F>(f),
                                                       std::forward<Args>(args)...)]() mutable {
                detail::call_as_job(closure);
            });
        } else {
            static_assert(detail::callable_job<F, Args...>,
                          "the argument of execute is not callable with these arguments");
        }
    }

    /// The same. @returns the future of its result or exception.
    template<class F, class... Args>
    auto submit(F&& f, Args&&... args) const {
        if constexpr (detail::callable_task<F, Args...>) {
            using closure =
                decltype(detail::bind_closure(std::forward<F>(f), std::forward<Args>(args)...));
            using state = detail::strand_state<closure, core>;
            state* const made = detail::make_in_block<state>(
                core_->blocks(), core_,
                detail::bind_closure(std::forward<F>(f), std::forward<Args>(args)...));
            future<typename state::result> result(*made);
            core_->add([job = detail::future_job(*made)]() mutable { job(); });
            return result;
        } else {
            static_assert(detail::callable_task<F, Args...>,
                          "the argument of submit is not callable with these arguments");
        }
    }

    /// Whether the calling thread runs a task of this strand.
    bool running_in_this_thread() const noexcept { return core_->runs_here(); }

    /// Names the strand to continuations: no worker runs them but in the strand's turn.
    const void* home() const noexcept { return core_.get(); }

private:
    std::shared_ptr<core> core_;
};

} // namespace regatta
