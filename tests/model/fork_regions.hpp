// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Scenarios of the counts of a team and of its regions, for the model of forks.

#include "fork_crew.hpp"

using crew = basic_crew<with_kernel<>>;
using stack_type = crew::stack_type;
using work_frame = crew::work_frame;
using member_type = regatta::detail::basic_fork_member<with_kernel<>>;

/// The counts of a team, changed by two threads at once.
struct counts : rl::test_suite<counts, 2> {
    crew c{1};
    member_type* root = nullptr;
    model::atomic<unsigned> helping{0};
    model::atomic<unsigned> napping{0};

    void before() {
        root = &c.team->seat();
        c.team->add_width(-1); // One worker, one helper.
    }
    void after() {
        auto& team = *c.team;
        RL_ASSERT(team.width() == 3);
        RL_ASSERT(team.watching() == 0);
        for (unsigned i = 0; i < 5; ++i) { // Two threads have lent one each.
            RL_ASSERT(team.begin_help());
        }
        RL_ASSERT(!team.begin_help());
        team.let_go(*root);
    }
    void thread(unsigned) {
        auto& team = *c.team;
        if (team.begin_help()) {
            RL_ASSERT(helping.fetch_add(1, relaxed) == 0);
            helping.fetch_sub(1, relaxed);
            team.end_help();
        }
        team.begin_watch();
        if (team.begin_naps(rl::thread_index())) {
            RL_ASSERT(napping.fetch_add(1, relaxed) == 0);
            napping.fetch_sub(1, relaxed);
            team.end_naps();
        }
        team.give_up_watch();
        team.begin_watch();
        team.end_watch();
        team.add_width(1);
        team.lend(true);
    }
};

/// Two threads of one task wait for the pool, one perhaps when the other's wait ends. The task is
/// never counted twice. Who sleeps until it is counted wakes.
struct two_halves_wait : rl::test_suite<two_halves_wait, 2> {
    crew c{1};
    member_type* root = nullptr;
    model::atomic<unsigned> waiting{0};
    rl::var<int> counted; ///< A data race to the checker if two threads count at once.

    void before() {
        counted($) = 0;
        root = &c.team->seat();
    }
    void after() {
        RL_ASSERT(waiting.load(relaxed) == 0 && root->waits.load(relaxed) == 0);
        RL_ASSERT(!c.team->anybody_waits());
        c.team->let_go(*root);
    }
    void thread(unsigned) {
        const auto count = [this](bool waits) noexcept {
            RL_ASSERT(counted($) == (waits ? 0 : 1));
            counted($) = waits ? 1 : 0;
            waiting.store(waits ? 1 : 0, relaxed);
        };
        c.team->begin_wait(*root, count);
        while (waiting.load(relaxed) == 0) {
            const auto ticket = c.bell.prepare_wait();
            if (waiting.load(relaxed) != 0) {
                c.bell.cancel_wait();
            } else {
                c.bell.commit_wait(ticket);
            }
        }
        c.team->end_wait(*root, count);
    }
};

/// What a region did before it waits for the pool is seen by who leaves it out for that; and all it
/// did, by who sees its end.
struct quiet_regions : rl::test_suite<quiet_regions, 2> {
    crew c;
    model::atomic<unsigned> begun{0};
    model::atomic<unsigned> submitted{0};
    rl::var<int> done;

    void before() { done($) = 0; }
    void after() { c.end(); }
    void thread(unsigned index) {
        auto& team = *c.team;
        if (index == 0) {
            const stack_type::region here(c.stacks[0], team);
            begun.store(1, std::memory_order_release);
            submitted.store(1, relaxed);
            const auto no_task = [](bool) noexcept {};
            team.begin_wait(*c.stacks[0].seat(), no_task);
            team.end_wait(*c.stacks[0].seat(), no_task);
            done($) = 1;
            return;
        }
        while (begun.load(std::memory_order_acquire) == 0) {
            model::model_atomics::yield();
        }
        while (!team.quiet(true)) {
            model::model_atomics::yield();
        }
        RL_ASSERT(submitted.load(relaxed) == 1);
        while (!team.quiet(false)) {
            model::model_atomics::yield();
        }
        RL_ASSERT(done($) == 1);
    }
};

/// A thread opens a region in the seat that another one has left.
struct second_hand : rl::test_suite<second_hand, 2> {
    crew c;
    model::atomic<unsigned> left{0};

    void thread(unsigned index) {
        while (index == 1 && left.load(relaxed) == 0) {
            model::model_atomics::yield();
        }
        {
            const stack_type::region here(c.stacks[index], *c.team);
            RL_ASSERT(c.team->open_outside());
        }
        c.stacks[index].leave_home();
        left.store(1, relaxed);
    }
};

/// A team is destroyed as soon as it is quiet, and its pool after it, while the last region ends
/// and its thread as well.
struct destroyed : rl::test_suite<destroyed, 2> {
    crew c;
    model::atomic<unsigned> begun{0};

    void thread(unsigned index) {
        if (index == 0) {
            {
                const stack_type::region here(c.stacks[0], *c.team);
                begun.store(1, std::memory_order_release);
            }
            c.stacks[0].leave_home();
            return;
        }
        while (begun.load(std::memory_order_acquire) == 0 || !c.team->quiet(false)) {
            model::model_atomics::yield();
        }
        c.team.reset();
        c.pool($) = 0;
    }
};
