// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// How a worker that has no task helps with the forks of its pool.

#include <regatta/base/config.hpp>
#include <regatta/base/detail/clock.hpp>
#include <regatta/core/detail/fork_region.hpp>
#include <regatta/core/detail/fork_team.hpp>
#include <regatta/sync/backoff.hpp>

#include <cstdint>

namespace regatta::detail {

/// The part of a worker loop that takes frames and looks for some. A friend of the loop, with no
/// state of its own.
///
/// Threads: the worker's.
template<class Loop>
class basic_fork_help {
    using Atomics = typename Loop::atomics;
    using worker = typename Loop::worker;
    using stack = basic_fork_stack<Atomics>;
    using frame = basic_fork_frame<Atomics>;
    using team = basic_fork_team<Atomics>;

public:
    /// Does a part of the work of a region. @returns false if the worker found none. Afterwards it
    /// counts as a helper, until it calls `end`.
    REGATTA_RARE static bool run(Loop& loop, worker& me) noexcept {
        auto& team = loop.forks_;
        if (!team.offers()) {
            team.ask(Atomics::now_ns());
            return false;
        }
        if (!begin(loop, me)) {
            return false;
        }
        frame* const work = team.take(Atomics::now_ns());
        if (work == nullptr) {
            return false;
        }
        work_off(loop, me, *work);
        return true;
    }

    /// The worker is a helper no longer. It looks once more before it sleeps, or passes on the
    /// watch.
    static void end(Loop& loop, worker& me) noexcept {
        if (me.fork_helper) {
            me.fork_helper = false;
            loop.forks_.end_help();
        }
    }

    /// Whether `run` would find something. A call for a watch may have relied on the worker, which
    /// was awake: it looks once more after it has announced its sleep.
    static bool wanted(Loop& loop) noexcept {
        auto& team = loop.forks_;
        return team.used() && stack::current().may_help() && team.offers() && team.may_help();
    }

    /// Looks for work of a region: first without sleep, as long as the pool's workers are to spin
    /// or longer, then after a nap. Does what it finds.
    /// @returns false if the worker may sleep.
    REGATTA_RARE static bool watch(Loop& loop, worker& me) noexcept {
        auto& team = loop.forks_;
        if (!naps_on(loop, me)) { // To give up a watch would interrupt the CPUs of the process.
            end(loop, me);
            return loop.spin_for_work(me);
        }
        if (!begin(loop, me)) {
            return loop.spin_for_work(me);
        }
        team.begin_watch();
        bool again = false;
        bool early = false;
        frame* work = me.naps == 0 || loop.spins() ? spin(loop, me, again, early) : nullptr;
        if (work == nullptr && !again && !early && naps_on(loop, me) && team.begin_naps(me.index)) {
            do {
                team.ask(Atomics::now_ns());
                end(loop, me); // Another one may help meanwhile.
                nap(loop, me);
                again = !begin(loop, me);
                if (!again) {
                    work = team.take(Atomics::now_ns());
                    again =
                        work == nullptr && loop.to_do(loop.source_.ready(me.index, loop.reach()));
                }
            } while (work == nullptr && !again && naps_on(loop, me));
            team.end_naps();
            again = true;
        }
        if (work != nullptr) {
            team.end_watch();
            // At work, as in the loop: an iteration may run a task while it waits, and drain()
            // waits for that.
            me.activity.enter();
            work_off(loop, me, *work);
            me.activity.leave();
            loop.progress_.notify_all(); // pause() or drain() may wait for the leave().
            return true;
        }
        // In this order: whom it wakes may help.
        end(loop, me);
        team.give_up_watch();
        return again || (early && loop.spin_for_work(me));
    }

private:
    /// The worker counts as a helper from now on, and as one that looks for a task. @returns false
    /// if it may not help.
    static bool begin(Loop& loop, worker& me) noexcept {
        if (!me.fork_helper) {
            if (!stack::current().prepare(loop.forks_) || !loop.forks_.begin_help()) {
                return false;
            }
            me.fork_helper = true;
        }
        loop.gate_.begin(me.search);
        return true;
    }
    /// Does the work of a frame that the worker has taken. It remains a helper: the owner is likely
    /// to publish the next frame before this one looks again, and need wake nobody for that.
    REGATTA_APART static void work_off(Loop& loop, worker& me, frame& work) noexcept {
        me.fork_helper = false;
        loop.end_search_for_tasks(me); // hand_over_watch() does the rest.
        if (me.begin_busy()) {
            loop.rested_.notify_all();
        }
        me.naps = 0;
        loop.forks_.hand_over_watch();
        {
            const basic_fork_helping<Atomics> here(stack::current(), loop.forks_,
                                                   work.shared.get().region);
            stack::current().work_off(work);
        }
        me.fork_helper = true;
        loop.gate_.begin(me.search);
    }
    /// @returns a frame, or null: then `else_to_do` says whether there is something else, and
    /// otherwise `early` whether the worker left because too many help, before its time to spin.
    REGATTA_APART static frame* spin(Loop& loop, worker& me, bool& else_to_do,
                                     bool& early) noexcept {
        auto& team = loop.forks_;
        const std::int64_t begin = Atomics::now_ns();
        // After a long rest the next one is likely to be long, too, unless a region is open.
        const std::int64_t usual =
            me.patience != basic_backoff<Atomics>::none ? team.spin_ns : team.short_spin_ns;
        const std::int64_t asked_for = loop.spin_.count();
        std::int64_t now = begin;
        do {
            team.ask(now);
            for (unsigned i = 0; i < 16; ++i) {
                if (team.offers()) {
                    if (frame* const work = team.take(now)) {
                        return work;
                    }
                }
                if (loop.to_do(loop.source_.ready(me.index, loop.reach()))) {
                    else_to_do = true;
                    return nullptr;
                }
                Atomics::relax();
            }
            now = Atomics::now_ns();
        } while ((now - begin < asked_for && !team.too_many_help()) ||
                 (now - begin < (team.open() ? team.spin_ns : usual) && !is_in_the_way(team)));
        early = now - begin < asked_for;
        return nullptr;
    }
    /// Whether the thread that the worker waits for may itself wait for this CPU. A system that
    /// takes a halted virtual CPU for a busy one puts a woken thread on the CPU of its waker.
    static bool is_in_the_way(const team& t) noexcept { return t.needs(Atomics::this_cpu()); }
    static bool naps_on(Loop& loop, const worker& me) noexcept {
        return me.naps < loop.forks_.most_naps || loop.forks_.open();
    }
    REGATTA_RARE static void nap(Loop& loop, worker& me) noexcept {
        // While no region is open: the thread that opens one wakes the worker if it is worth that.
        const bool may_be_short = me.naps < 5 && !is_in_the_way(loop.forks_);
        const unsigned idle = me.naps < 2 ? 2000u : 4000u;
        const auto length = std::chrono::microseconds(!loop.forks_.open() ? idle
                                                      : may_be_short      ? 50u << me.naps
                                                                          : 1000u);
        ++me.naps;
        me.patience = basic_backoff<Atomics>::none;
        const auto ticket = loop.gate_.announce_wait(me.search);
        if (loop.stays_awake(me) || loop.forks_.offers()) {
            loop.gate_.cancel_wait(me.search);
            return;
        }
        me.count_park();
        if (loop.gate_.commit_wait_until(me.search, ticket, Loop::clock::now() + length)) {
            loop.forks_.note_call();
        }
    }
};

} // namespace regatta::detail
