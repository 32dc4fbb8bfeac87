// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// How a task waits on its worker, which runs other tasks meanwhile.

#include <regatta/base/config.hpp>
#include <regatta/core/detail/coroutine_depth.hpp>
#include <regatta/core/detail/fork_help.hpp>
#include <regatta/core/detail/fork_region.hpp>
#include <regatta/sync/backoff.hpp>
#include <regatta/sync/quiescence.hpp>

#include <utility>

namespace regatta::detail {

/// The part of a worker loop in which tasks wait. A friend of the loop, with no state of its own.
///
/// Threads: the worker's.
template<class Loop>
class basic_task_wait {
    using Atomics = typename Loop::atomics;
    using worker = typename Loop::worker;
    using clock = typename Loop::clock;
    using stack = basic_fork_stack<Atomics>;
    using member = basic_fork_member<Atomics>;
    using task_beneath = basic_task_beneath<Atomics>;
    using ground = basic_task_ground<Atomics>;
    using fork_help = basic_fork_help<Loop>;

public:
    /// Waits in a task of `me` until `settled()` holds. Runs other tasks while it waits.
    template<class Settled>
    static void until(Loop& loop, worker& me, Settled&& settled) {
        // Not at work is `on_start`: `pause` and `drain` wait for the tasks that it runs, and not
        // for it.
        const bool rests = !basic_quiescence<Atomics>::working(me.activity.observe_in_order());
        const lower mine(loop, me);
        for (basic_backoff<Atomics> pace; !settled();) {
            if (rests) [[unlikely]] {
                me.activity.enter();
            }
            // From all queues: a worker that waits for this very task may have all that are left.
            const bool ran = run_aside(loop, me, loop.reach_in_wait());
            if (rests) [[unlikely]] {
                me.activity.leave();
                loop.progress_.notify_all(); // pause() may wait for the leave().
            }
            if (ran) {
                pace.reset();
            } else {
                pace.pause_or_sleep();
            }
        }
        loop.stop_looking(me);
    }

    /// Waits in a task of `me` until all tasks are done, except those that wait likewise. Runs
    /// other tasks while it waits. @returns false if the deadline passed first.
    static bool until_idle(Loop& loop, worker& me, const typename clock::time_point* deadline) {
        const registration waiting(loop, me);
        basic_backoff<Atomics> pace;
        for (;;) {
            const bool late = deadline != nullptr && clock::now() >= *deadline;
            if (!late && (run_aside(loop, me, loop.reach()) ||
                          (loop.forks_.used() && fork_help::run(loop, me)))) {
                pace.reset();
                continue;
            }
            loop.source_.flush(me.seat);
            if (loop.idle(true)) {
                loop.tell_progress();
                return true;
            }
            if (late) {
                return false;
            }
            if (pace.pause()) {
                continue;
            }
            fork_help::end(loop, me);
            const auto ticket = loop.gate_.prepare_wait(me.search);
            if (loop.idle(true) || loop.source_.ready(me.index, loop.reach()) ||
                fork_help::wanted(loop)) {
                loop.gate_.cancel_wait(me.search);
            } else if (deadline == nullptr) {
                loop.gate_.commit_wait(me.search, ticket);
            } else {
                loop.gate_.commit_wait_until(me.search, ticket, *deadline);
            }
            pace.reset();
        }
    }

    /// Counts the regions in which a thread that is no worker waits, from construction to
    /// destruction: they end only after it.
    class outside {
    public:
        explicit outside(Loop& loop) noexcept : loop_(loop) {
            stack::current().each_region_root(loop.forks_, [this](member& root) noexcept {
                begin_in(loop_, root);
                in_region_ = true;
            });
        }
        outside(const outside&) = delete;
        outside& operator=(const outside&) = delete;
        ~outside() {
            stack::current().each_region_root(
                loop_.forks_, [this](member& root) noexcept { end_in(loop_, root); });
        }
        bool in_region() const noexcept { return in_region_; }

    private:
        Loop& loop_;
        bool in_region_ = false;
    };

private:
    /// Notes the task that waits, from construction to destruction: others run on top of it.
    class lower {
    public:
        lower(Loop& loop, worker& me) noexcept
            : me_(me)
            , before_(me.ground)
            , entry_{stack::current().region_root(loop.forks_), before_.beneath} {
            me.ground = {before_.in_hook ? before_.beneath : &entry_, false};
        }
        lower(const lower&) = delete;
        lower& operator=(const lower&) = delete;
        ~lower() { me_.ground = before_; }

    private:
        worker& me_;
        const ground before_;
        const task_beneath entry_;
    };

    /// Counts a task that waits for all others, from construction to destruction, and those beneath
    /// it on the same stack: it does not wait for them.
    class registration {
    public:
        registration(Loop& loop, worker& me) noexcept
            : loop_(loop)
            , me_(me)
            , mine_{stack::current().region_root(loop.forks_),
                    std::exchange(me.ground.beneath, nullptr)} {
            begin(loop, &mine_);
        }
        registration(const registration&) = delete;
        registration& operator=(const registration&) = delete;
        ~registration() {
            end(loop_, &mine_);
            me_.ground.beneath = mine_.beneath;
            loop_.stop_looking(me_);
        }

    private:
        Loop& loop_;
        worker& me_;
        const task_beneath mine_;
    };

    // The forks of a task may wait on several threads: they are one task, whose region counts it
    // and what is beneath it, once.
    static void begin(Loop& loop, const task_beneath* t) noexcept {
        for (; t != nullptr && t->root == nullptr; t = t->beneath) {
            if (loop.census_.begin_wait() != 0) {
                loop.gate_.notify_all(); // The pool may now be idle for the others that wait.
            }
        }
        if (t != nullptr) {
            begin_in(loop, *t->root);
        }
    }
    static void end(Loop& loop, const task_beneath* t) noexcept {
        for (; t != nullptr && t->root == nullptr; t = t->beneath) {
            loop.census_.end_wait();
        }
        if (t != nullptr) {
            end_in(loop, *t->root);
        }
    }
    static void begin_in(Loop& loop, member& root) noexcept {
        loop.forks_.begin_wait(root, [&](bool waits) noexcept { count(loop, root, waits); });
    }
    static void end_in(Loop& loop, member& root) noexcept {
        loop.forks_.end_wait(root, [&](bool waits) noexcept { count(loop, root, waits); });
    }
    /// The task of a region. What opened it from outside or in a hook is no task.
    static void count(Loop& loop, const member& root, bool waits) noexcept {
        const bool is_task =
            !root.ground.in_hook && !root.activity.working(root.activity.observe_in_order());
        const task_beneath task{nullptr, root.ground.beneath};
        const task_beneath* const first = is_task ? &task : root.ground.beneath;
        if (waits) {
            begin(loop, first);
        } else {
            end(loop, first);
        }
    }

    /// Runs a task on top of another one, which may have a region open.
    REGATTA_RARE static bool run_aside(Loop& loop, worker& me, unsigned reach) noexcept {
        const typename stack::aside none(stack::current(), true);
        const fresh_coroutine_depth depth;
        return loop.run_next(me, reach);
    }
};

} // namespace regatta::detail
