// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// How a task waits on its worker, which runs other tasks meanwhile.

#include <regatta/base/config.hpp>
#include <regatta/core/detail/fork_help.hpp>
#include <regatta/core/detail/fork_region.hpp>
#include <regatta/sync/backoff.hpp>
#include <regatta/sync/quiescence.hpp>

#include <cstdint>
#include <utility>

namespace regatta::detail {

/// A task that waits on its worker for something else than the pool. Tasks that the worker runs
/// meanwhile lie above it on the same stack: it cannot go on before they end.
template<class Atomics>
struct basic_task_beneath {
    basic_fork_member<Atomics>* root; ///< Of the region in which it waits, or null.
    basic_task_beneath* beneath;      ///< The next one on the same stack, or null.
};

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
    using fork_help = basic_fork_help<Loop>;

public:
    /// Waits in a task of `me` until `settled()` holds. Runs other tasks while it waits.
    /// @param in_task false in a hook, which is no task.
    template<class Settled>
    static void until(Loop& loop, worker& me, bool in_task, Settled&& settled) {
        // Not at work are `on_start` and forks that a resting worker runs: `pause` and `drain` wait
        // for the tasks that these run, and not for them.
        const bool rests = !basic_quiescence<Atomics>::working(me.activity.observe_in_order());
        const beneath_others mine(loop, me, in_task);
        for (basic_backoff<Atomics> pace; !settled();) {
            if (rests) [[unlikely]] {
                me.activity.enter();
            }
            const bool ran = run_aside(loop, me);
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
            if (!late &&
                (run_aside(loop, me) || (loop.forks_.used() && fork_help::run(loop, me)))) {
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

private:
    /// Notes the task that waits, from construction to destruction.
    class beneath_others {
    public:
        beneath_others(Loop& loop, worker& me, bool in_task) noexcept
            : me_(me)
            , entry_{stack::current().region_root(loop.forks_), me.beneath} {
            if (in_task) {
                me.beneath = &entry_;
            }
        }
        beneath_others(const beneath_others&) = delete;
        beneath_others& operator=(const beneath_others&) = delete;
        ~beneath_others() { me_.beneath = entry_.beneath; }

    private:
        worker& me_;
        task_beneath entry_;
    };

    /// Counts a task that waits for all others, from construction to destruction, and those beneath
    /// it on the same stack: it does not wait for them.
    class registration {
    public:
        registration(Loop& loop, worker& w) noexcept
            : loop_(loop)
            , me_(w)
            , root_(stack::current().region_root(loop.forks_))
            , beneath_(std::exchange(w.beneath, nullptr)) {
            begin(root_);
            for (const task_beneath* t = beneath_; t != nullptr; t = t->beneath) {
                begin(t->root);
            }
        }
        registration(const registration&) = delete;
        registration& operator=(const registration&) = delete;
        ~registration() {
            for (const task_beneath* t = beneath_; t != nullptr; t = t->beneath) {
                end(t->root);
            }
            end(root_);
            me_.beneath = beneath_;
            loop_.stop_looking(me_);
        }

    private:
        /// The forks of a task may wait on several threads. They are one task.
        void begin(member* root) noexcept {
            if (root != nullptr) {
                loop_.forks_.begin_wait(*root, counter(*root));
            } else if (loop_.census_.begin_wait() != 0) {
                loop_.gate_.notify_all(); // The pool may now be idle for the others that wait.
            }
        }
        void end(member* root) noexcept {
            if (root != nullptr) {
                loop_.forks_.end_wait(*root, counter(*root));
            } else {
                loop_.census_.end_wait();
            }
        }
        /// Counts the task whose region that is. One that was opened from outside is no task.
        auto counter(const member& root) noexcept {
            const bool is_task = !root.activity.working(root.activity.observe_in_order());
            return [this, is_task](bool waits) noexcept {
                if (!is_task) {
                    return;
                }
                if (waits) {
                    static_cast<void>(loop_.census_.begin_wait());
                } else {
                    loop_.census_.end_wait();
                }
            };
        }

        Loop& loop_;
        worker& me_;
        member* const root_; ///< Of the region in which it waits, or null.
        task_beneath* const beneath_;
    };

    /// Runs a task on top of another one, which may have a region open.
    REGATTA_RARE static bool run_aside(Loop& loop, worker& me) noexcept {
        const typename stack::aside none(stack::current(), true);
        return loop.run_next(me);
    }
};

} // namespace regatta::detail
