// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// Model of forks: publication, taking, taking back, the end, an exception in the first half, the
/// sleep of the worker that watches, the end of a team. I1 to I3 of `basic_fork_frame`, I1 and I2
/// of `basic_fork_member`, I1 of `basic_fork_team`. Work that is done twice or read too early is a
/// data race to the checker; a frame that nobody does is a deadlock.

#include "fork_regions.hpp"

/// The outermost fork of a thread, and another one whose first half throws: the second half is done
/// once, or never and then not after.
struct one_fork : rl::test_suite<one_fork, 2> {
    crew c;
    work_frame f;

    void after() { c.end(); }
    void thread(unsigned index) {
        if (index == 1) {
            c.help_once(1);
            return;
        }
        f.begin(1);
        c.stacks[0].push(f);
        RL_ASSERT(!c.stacks[0].pop(f));
        f.end(1);

        f.begin(2);
        c.stacks[0].push(f);
        const bool done = c.stacks[0].abandon(f);
        f.end(done ? 2 : 0);
        c.over.store(1, relaxed);
    }
};

/// Two forks, of which the second half of the older forks again, on whichever of three threads.
/// Who waits helps the others, in particular the one that has taken its frame.
struct nested_forks : rl::test_suite<nested_forks, 3> {
    using crew_type = basic_crew<with_kernel<3>>;
    struct older_frame : crew_type::work_frame {
        void work() override {
            const unsigned me = rl::thread_index();
            inner.begin(1);
            c->fork(me, inner);
            c->join(me, inner);
            inner.end(1);
            crew_type::work_frame::work();
        }
        crew_type* c = nullptr;
        crew_type::work_frame inner;
    };
    crew_type c{2};
    older_frame older;
    crew_type::work_frame newer;

    void before() { older.c = &c; }
    void after() { c.end(); }
    void thread(unsigned index) {
        if (index != 0) {
            c.help_once(index);
            return;
        }
        const crew_type::stack_type::region here(c.stacks[0], *c.team);
        older.begin(1);
        newer.begin(1);
        c.stacks[0].push(older);
        c.stacks[0].push(newer);
        c.stacks[0].share();
        RL_ASSERT(older.older == nullptr); // I1
        c.join(0, newer);
        newer.end(1);
        c.join(0, older);
        older.end(1);
        c.over.store(1, relaxed);
    }
};

/// The same frame in the same place again: who has seen the first and takes the second sees what
/// the owner did in between.
struct published_again : rl::test_suite<published_again, 2> {
    member_type m;
    work_frame f;

    void publish(int what) {
        f.begin(what);
        m.publish(f, 0, this, nullptr);
    }
    void thread(unsigned index) {
        if (index == 1) {
            if (auto* const taken = m.take(nullptr)) {
                f.run(*taken);
            }
            return;
        }
        publish(1);
        if (m.reclaim(f)) {
            f.run(f);
            f.end(1);
            publish(2);
            if (m.reclaim(f)) {
                f.run(f);
                f.end(2);
            }
        }
    }
};

/// A thread that waits in a region takes no frame of another region.
template<bool Filters>
struct other_region : rl::test_suite<other_region<Filters>, 2> {
    member_type m;
    work_frame f;
    int regions[2];

    void thread(unsigned index) {
        if (index == 1) {
            RL_ASSERT(m.take(Filters ? &regions[0] : nullptr) == nullptr);
            return;
        }
        m.begin(&regions[0]);
        m.begin(&regions[1]);
        m.publish(f, m.free_place(), m.region(), nullptr);
    }
};

/// A thread that waits in a region may take a frame that its owner has published again, for another
/// region: then it works for that one.
struct moved_on : rl::test_suite<moved_on, 2> {
    struct frame_type : work_frame {
        void work() override {
            RL_ASSERT(c->stacks[1].region_root(*c->team) == shared.get().region);
        }
        crew* c = nullptr;
    };
    crew c;
    member_type* m = nullptr;
    member_type regions[2];
    frame_type f;

    void before() {
        m = &c.team->seat();
        f.c = &c;
        for (member_type& r : regions) {
            r.root = &r;
        }
    }
    void after() {
        c.team->let_go(*m);
        c.end();
    }
    void publish(unsigned region) {
        m->begin(&regions[region]);
        m->publish(f, 0, &regions[region], nullptr);
    }
    void thread(unsigned index) {
        if (index == 1) {
            const stack_type::helping here(c.stacks[1], *c.team, &regions[0]);
            c.stacks[1].help();
            return;
        }
        publish(0);
        if (m->reclaim(f)) {
            f.shared.destroy();
            publish(1);
        }
    }
};

/// A worker that may help, until a thread opens a region from outside: then that is one too many.
struct one_too_many : rl::test_suite<one_too_many, 2> {
    crew c{0};
    work_frame f;
    model::atomic<unsigned> published{0};
    model::atomic<unsigned> looked{0};

    void after() { c.end(); }
    void thread(unsigned index) {
        if (index == 1) {
            if (c.team->begin_help()) {
                while (published.load(relaxed) == 0) {
                    model::model_atomics::yield();
                }
                RL_ASSERT(c.team->take(with_kernel<>::now_ns()) == nullptr);
                c.team->end_help();
            }
            looked.store(1, relaxed);
            return;
        }
        const stack_type::region here(c.stacks[0], *c.team);
        f.begin(1);
        c.fork(0, f);
        published.store(1, relaxed);
        while (looked.load(relaxed) == 0) {
            model::model_atomics::yield();
        }
        c.join(0, f);
        f.end(1);
    }
};

/// Workers that sleep as a pool's do, but for the naps: each takes one frame. The owner does none.
template<class Atomics, int Workers>
struct sleepers {
    using crew_type = basic_crew<Atomics>;
    struct frame_type : crew_type::work_frame {
        void work() override {
            crew_type::work_frame::work();
            if (all->begun.fetch_add(1, relaxed) == Workers - 1) {
                all->all_begun.open();
            }
            all->all_begun.await();
        }
        sleepers* all = nullptr;
    };
    crew_type c{Workers};
    frame_type frames[Workers];
    model::atomic<unsigned> begun{0};
    basic_latch<Atomics> all_begun;

    sleepers() {
        for (frame_type& f : frames) {
            f.all = this;
        }
    }
    /// As `basic_fork_help::watch`, without the naps. @returns whether it has taken a frame.
    template<bool HandsOver = true>
    bool watch(unsigned thread) {
        auto& team = *c.team;
        if (!team.begin_help()) {
            return false;
        }
        team.begin_watch();
        auto* const f = team.take(Atomics::now_ns());
        if (f != nullptr) {
            team.end_watch();
            if (HandsOver) {
                team.hand_over_watch();
            }
            const typename crew_type::stack_type::helping here(c.stacks[thread], team,
                                                               f->shared.get().region);
            c.stacks[thread].work_off(*f);
            team.end_help();
            return true;
        }
        team.end_help();
        team.give_up_watch();
        return false;
    }
    template<bool HandsOver = true, bool LooksAgain = true>
    void work(unsigned thread) {
        while (!watch<HandsOver>(thread)) {
            const auto ticket = c.bell.announce_wait();
            if (LooksAgain && c.team->wants_help()) {
                c.bell.cancel_wait();
            } else {
                c.bell.commit_wait(ticket);
            }
        }
    }
    /// @param block waits for the workers.
    template<class Block>
    void fork(Block&& block) {
        const typename crew_type::stack_type::region here(c.stacks[0], *c.team);
        for (frame_type& f : frames) {
            f.begin(1);
            c.fork(0, f);
        }
        block();
        for (unsigned i = Workers; i-- != 0;) {
            c.join(0, frames[i]);
            frames[i].end(1);
        }
    }
};

/// A worker falls asleep while a region is opened: somebody sees its frame.
template<class Atomics, bool LooksAgain = true>
struct sleeping_watch : rl::test_suite<sleeping_watch<Atomics, LooksAgain>, 2> {
    sleepers<Atomics, 1> s;

    void after() { s.c.end(); }
    void thread(unsigned index) {
        if (index == 0) {
            s.fork([this] { s.all_begun.await(); });
        } else {
            s.template work<true, LooksAgain>(index);
        }
    }
};

/// Two frames that need a worker each, of which one may sleep.
template<class Atomics, bool HandsOver = true>
struct two_sleepers : rl::test_suite<two_sleepers<Atomics, HandsOver>, 3> {
    sleepers<Atomics, 2> s;

    void after() { s.c.end(); }
    void thread(unsigned index) {
        if (index == 0) {
            s.fork([this] { s.all_begun.await(); });
        } else {
            s.template work<HandsOver>(index);
        }
    }
};

/// The only worker may not help, until the owner blocks and lends it its place.
template<class Atomics, bool LendsFirst = true>
struct lent_place : rl::test_suite<lent_place<Atomics, LendsFirst>, 2> {
    sleepers<Atomics, 1> s;

    void before() { s.c.team->add_width(-1); }
    void after() { s.c.end(); }
    void block() {
        auto& stack = s.c.stacks[0];
        if (!LendsFirst) {
            stack.share_all();
        }
        s.c.team->lend(true);
        if (LendsFirst) {
            stack.share_all();
        }
        s.all_begun.await();
        s.c.team->lend(false);
    }
    void thread(unsigned index) {
        if (index == 0) {
            s.fork([this] { block(); });
        } else {
            s.work(index);
        }
    }
};

/// The worker that watches, or looks once in vain, finds something else to do: the other one, which
/// sleeps, sees the frame, though only one may help.
template<class Atomics, bool Watches, bool PassesOn = true>
struct other_task : rl::test_suite<other_task<Atomics, Watches, PassesOn>, 3> {
    sleepers<Atomics, 1> s;

    void after() { s.c.end(); }
    void thread(unsigned index) {
        auto& team = *s.c.team;
        if (index == 0) {
            s.fork([this] { s.all_begun.await(); });
        } else if (index == 1) {
            s.work(index);
        } else {
            if (team.begin_help()) {
                if (Watches) {
                    team.begin_watch();
                }
                team.end_help();
                if (Watches) {
                    team.give_up_watch();
                }
            }
            // Also if it could not begin: for a moment it has counted as a helper, and the other
            // one may have seen that.
            if (PassesOn) {
                team.pass_on_watch();
            }
            s.all_begun.await();
        }
    }
};

/// A thread that is to wake workers on another CPU calls the last one that took naps, which has
/// just risen and finds something else to do: the other one, which sleeps, sees the frame.
template<class Atomics, bool PassesOn = true>
struct call_elsewhere : rl::test_suite<call_elsewhere<Atomics, PassesOn>, 3> {
    sleepers<Atomics, 1> s;

    void before() {
        auto& team = *s.c.team;
        RL_ASSERT(team.begin_naps(2));
        s.c.rising.store(2, relaxed);
        team.call_sleeper();
        team.note_call();
        team.end_naps();
    }
    void after() { s.c.end(); }
    void thread(unsigned index) {
        if (index == 0) {
            s.fork([this] { s.all_begun.await(); });
        } else if (index == 1) {
            s.work(index);
        } else {
            s.c.rising.store(~0u, relaxed);
            if (PassesOn) {
                s.c.team->pass_on_watch();
            }
            s.all_begun.await();
        }
    }
};

/// A worker takes naps that do not end by themselves: a long region wakes it.
template<class Atomics>
struct long_nap : rl::test_suite<long_nap<Atomics>, 2> {
    sleepers<Atomics, 1> s;

    void after() { s.c.end(); }
    void thread(unsigned index) {
        auto& c = s.c;
        auto& team = *c.team;
        if (index == 0) {
            const typename sleepers<Atomics, 1>::crew_type::stack_type::region here(c.stacks[0],
                                                                                    team);
            s.frames[0].begin(1);
            c.stacks[0].push(s.frames[0]);
            c.stacks[0].share_early(1e9F);
            s.all_begun.await();
            c.join(0, s.frames[0]);
            s.frames[0].end(1);
            return;
        }
        team.begin_watch();
        RL_ASSERT(team.begin_naps(index));
        const auto ticket = c.bell.announce_wait();
        if (team.offers()) {
            c.bell.cancel_wait();
        } else {
            c.bell.commit_wait(ticket);
        }
        team.end_naps();
        team.give_up_watch();
        s.work(index);
    }
};

int main() {
    return model::check(
        {model::make_scenario<one_fork>("a fork and an idle worker"),
         model::make_scenario<nested_forks>("forks within a fork"),
         model::make_scenario<published_again>("a frame that is published again"),
         model::make_scenario<other_region<true>>("a frame of another region"),
         model::make_scenario<moved_on>("a frame that is published again for another region"),
         model::make_scenario<one_too_many>("a worker too many"),
         model::make_scenario<sleeping_watch<with_kernel<>>>("a watch that falls asleep"),
         model::make_scenario<sleeping_watch<without_kernel>>(
             "a watch that falls asleep, without the kernel's fence"),
         model::make_scenario<two_sleepers<with_kernel<3>>>("two that sleep"),
         model::make_scenario<other_task<with_kernel<3>, true>>(
             "a watch with something else to do"),
         model::make_scenario<other_task<with_kernel<3>, false>>("a look in vain"),
         model::make_scenario<call_elsewhere<with_kernel<3>>>("a call of one that has risen"),
         model::make_scenario<long_nap<with_kernel<>>>("a nap"),
         model::make_scenario<lent_place<with_kernel<>>>("a place that is lent"),
         model::make_scenario<lent_place<without_kernel>>(
             "a place that is lent, without the kernel's fence"),
         model::make_scenario<counts>("counts"),
         model::make_scenario<two_halves_wait>("two halves of a task wait"),
         model::make_scenario<quiet_regions>("the end of a region"),
         model::make_scenario<second_hand>("a seat that was another thread's"),
         model::make_scenario<destroyed>("the end of a team")},
        {"fork_member.hpp", "fork_team.hpp", "fork_stack.hpp"}, {},
        {model::make_scenario<other_region<false>>("frames of all regions are taken"),
         model::make_scenario<sleeping_watch<with_kernel<>, false>>(
             "a worker that sleeps without a last look"),
         model::make_scenario<two_sleepers<with_kernel<3>, false>>(
             "a watch that is not handed over"),
         model::make_scenario<other_task<with_kernel<3>, true, false>>(
             "a watch that is not passed on"),
         model::make_scenario<call_elsewhere<with_kernel<3>, false>>(
             "one that has risen does not pass on the watch"),
         model::make_scenario<lent_place<with_kernel<>, false>>(
             "a place that is lent after the wake-up")});
}
