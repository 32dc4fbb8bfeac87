// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// Model of forks: publication, taking, taking back, the end, an exception in the first half, the
/// sleep of the worker that watches. I1 to I3 of `basic_fork_frame`, I1 and I2 of
/// `basic_fork_member`, I1 of `basic_fork_team`. Work that is done twice or read too early is a
/// data race to the checker; a frame that nobody does is a deadlock.

#include "model_check.hpp"

#include <regatta/core/detail/fork_region.hpp>
#include <regatta/sync/event_count.hpp>

#include <cstdint>

/// A policy whose clock runs fast: every wait soon goes to sleep.
struct fork_atomics : model::model_atomics {
    static std::int64_t now_ns() { return 1'000'000 * ++ticks(); }
    static std::int64_t& ticks() {
        static std::int64_t n = 0;
        return n;
    }
};

using frame_type = regatta::detail::basic_fork_frame<fork_atomics>;
using site_type = regatta::detail::basic_fork_site<fork_atomics>;
using stack_type = regatta::detail::basic_fork_stack<fork_atomics>;
using team_type = regatta::detail::basic_fork_team<fork_atomics>;

struct work_frame : frame_type {
    explicit work_frame(rl::var<int>& r) : frame_type(site), result(r) {}
    static void run(frame_type& f) noexcept {
        auto& mine = static_cast<work_frame&>(f);
        mine.result($) = mine.result($) + mine.input;
    }
    static constexpr site_type site{&run, nullptr, nullptr};
    rl::var<int>& result;
    int input = 1;
};

/// Two threads and what they share.
struct pair_of_threads {
    regatta::basic_event_count<fork_atomics> bell;
    team_type team{{this,
                    [](void* p) noexcept { static_cast<pair_of_threads*>(p)->bell.notify_one(); },
                    [](void* p) noexcept { static_cast<pair_of_threads*>(p)->bell.notify_all(); },
                    [](void*) noexcept { return false; }}};
    stack_type stacks[3];
    rl::var<int> results[3];

    pair_of_threads() {
        for (auto& r : results) {
            r($) = 0;
        }
        fork_atomics::ticks() = 0;
    }
    /// The end of all threads.
    void end() {
        for (stack_type& stack : stacks) {
            stack.leave_home();
        }
    }
    /// One look of an idle worker.
    bool help(unsigned thread) {
        frame_type* const f = team.take(fork_atomics::now_ns());
        if (f == nullptr) {
            return false;
        }
        const stack_type::helping here(stacks[thread], team, f->shared.get().region);
        stacks[thread].work_off(*f);
        return true;
    }
};

/// A fork, and an idle worker that looks twice.
struct one_fork : rl::test_suite<one_fork, 2> {
    pair_of_threads t;

    void after() { t.end(); }
    void thread(unsigned index) {
        if (index == 1) {
            t.help(1);
            t.help(1);
            return;
        }
        stack_type& stack = t.stacks[0];
        const stack_type::region here(stack, t.team);
        work_frame f(t.results[0]);
        stack.push(f);
        stack.share();
        if (stack.pop(f)) {
            f.run(f);
        }
        RL_ASSERT(t.results[0]($) == 1);
    }
};

/// Forks within a fork: each is done once, by whichever of three threads.
struct nested_forks : rl::test_suite<nested_forks, 3> {
    pair_of_threads t;

    void after() { t.end(); }
    void thread(unsigned index) {
        if (index != 0) {
            t.help(index);
            return;
        }
        stack_type& stack = t.stacks[0];
        const stack_type::region here(stack, t.team);
        work_frame outer(t.results[0]);
        stack.push(outer);
        work_frame inner(t.results[1]);
        stack.push(inner);
        stack.share();
        stack.share();
        if (stack.pop(inner)) {
            inner.run(inner);
        }
        RL_ASSERT(t.results[1]($) == 1);
        if (stack.pop(outer)) {
            outer.run(outer);
        }
        RL_ASSERT(t.results[0]($) == 1);
    }
};

/// The first half throws: the second is done once or never, and not after.
struct abandoned : rl::test_suite<abandoned, 2> {
    pair_of_threads t;

    void after() { t.end(); }
    void thread(unsigned index) {
        if (index == 1) {
            t.help(1);
            return;
        }
        stack_type& stack = t.stacks[0];
        const stack_type::region here(stack, t.team);
        work_frame f(t.results[0]);
        stack.push(f);
        stack.share();
        const bool done = stack.abandon(f);
        RL_ASSERT(t.results[0]($) == (done ? 1 : 0));
    }
};

/// A worker stops to watch and sleeps while a region is opened: somebody sees its frame.
struct sleeping_watch : rl::test_suite<sleeping_watch, 2> {
    pair_of_threads t;
    model::atomic<unsigned> taken{0};

    void after() { t.end(); }
    void thread(unsigned index) {
        if (index == 1) {
            t.team.begin_watch();
            while (!t.help(1)) {
                t.team.give_up_watch(false);
                const auto ticket = t.bell.announce_wait();
                if (t.team.offers()) {
                    t.bell.cancel_wait();
                } else {
                    t.bell.commit_wait(ticket);
                }
                t.team.begin_watch();
            }
            t.team.give_up_watch(false);
            return;
        }
        stack_type& stack = t.stacks[0];
        const stack_type::region here(stack, t.team);
        work_frame f(t.results[0]);
        stack.push(f);
        stack.share();
        using shared = regatta::detail::basic_shared_frame<fork_atomics>;
        // It does not do it itself: the worker has to come.
        while (f.shared.get().state.load(std::memory_order_acquire) != shared::done) {
            fork_atomics::yield();
        }
        RL_ASSERT(t.results[0]($) == 1);
    }
};

/// A region ends before `quiet` says so, and what it did is seen.
struct quiet_after_region : rl::test_suite<quiet_after_region, 2> {
    pair_of_threads t;
    model::atomic<unsigned> begun{0};

    void after() { t.end(); }
    void thread(unsigned index) {
        if (index == 0) {
            const stack_type::region here(t.stacks[0], t.team);
            begun.store(1, std::memory_order_release);
            t.results[0]($) = 1;
            return;
        }
        while (begun.load(std::memory_order_acquire) == 0) {
            fork_atomics::yield();
        }
        while (!t.team.quiet(false)) {
            fork_atomics::yield();
        }
        RL_ASSERT(t.results[0]($) == 1);
    }
};

int main() {
    return model::check({model::make_scenario<one_fork>("a fork and an idle worker"),
                         model::make_scenario<nested_forks>("forks within a fork"),
                         model::make_scenario<abandoned>("a first half that throws"),
                         model::make_scenario<sleeping_watch>("a watch that falls asleep"),
                         model::make_scenario<quiet_after_region>("the end of a region")},
                        {});
}
