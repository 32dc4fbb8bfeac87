// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// Model of `task_queues` with segments of two cells: I1 to I3. The queues themselves have a model
/// of their own; here it is what stands around them: which one a task goes to and who looks where.

#include "model_check.hpp"
#include "stalling_atomics.hpp"

#include <regatta/pool/detail/task_queues.hpp>
#include <regatta/sync/event_count.hpp>

using regatta::priority;
using regatta::detail::queue_layout;
using regatta::detail::task_origin;

constexpr auto relaxed = std::memory_order_relaxed;

/// A task that is a number.
struct numbered {
    template<class F>
    static constexpr bool fits_cell = true;

    numbered() = default;
    numbered(unsigned number, void*) : number(number) {}
    /// Those from 8 on have been run in a wait.
    bool over() const { return number >= 8; }
    unsigned number = 0;
};

using queues_type = regatta::detail::basic_task_queues<numbered, model::model_atomics, 2>;
using gate_type = regatta::basic_event_count<model::atomics_without_light_fence>;
constexpr unsigned outside = queues_type::outside;
constexpr unsigned all = ~0u; // As a reach.

inline bool append(queues_type& queues, priority level, unsigned worker, unsigned number) {
    const auto fill = [&](queues_type::cell& into, std::size_t, void* room) {
        into.emplace(number, room);
    };
    return queues.append_one(level, worker, 0, fill, [] { return std::uintptr_t{0}; }).count != 0;
}

/// A worker's own.
struct seat {
    explicit seat(unsigned worker, unsigned reach) : worker(worker), reach(reach) {}
    /// Takes a task. @returns its number, or -1.
    int take(queues_type& queues) {
        const auto b = queues.take(worker, turn++, reach, last, from);
        if (b.size() == 0) {
            mine.flush();
            model::model_atomics::yield();
            return -1;
        }
        RL_ASSERT(from == task_origin::own || reach != 0);
        const auto number = static_cast<int>(b[0].number);
        b.destroy(0);
        mine.finish(b, 1);
        return number;
    }
    const unsigned worker;
    const unsigned reach;
    std::uint32_t turn = 6; ///< So that the next takes are those that look elsewhere first.
    queues_type::theft last;
    task_origin from = task_origin::own;
    queues_type::tally mine;
};

/// The tasks that were taken, each once (I1).
struct taken_tasks {
    void add(unsigned number) {
        RL_ASSERT((seen.fetch_or(1u << number, relaxed) & 1u << number) == 0);
        count.fetch_add(1, relaxed);
    }
    /// A worker takes tasks until `all` have been taken.
    void take(seat& own, queues_type& queues, unsigned all) {
        while (count.load(relaxed) != all) {
            const int number = own.take(queues);
            if (number >= 0) {
                add(static_cast<unsigned>(number));
            }
        }
    }
    /// Of these numbers, as bits; nothing is left.
    void check(const queues_type& queues, unsigned numbers, unsigned all) const {
        RL_ASSERT(seen.load(relaxed) == numbers);
        RL_ASSERT(queues.appended() == all && queues.taken() == all && queues.size() == 0);
        RL_ASSERT(!queues.ready(0, 1) && !queues.coming(0, 1));
    }
    model::atomic<unsigned> seen{0};
    model::atomic<unsigned> count{0};
};

/// Lets the worker's queue count as one that may hold tasks: so that nothing orders what it puts
/// there but its own operations.
inline void fill_once(queues_type& queues, unsigned worker) {
    append(queues, priority::medium, worker, 7);
    RL_ASSERT(seat(worker, 0).take(queues) == 7);
}

/// Tasks of each priority, from outside and from a worker; two workers take all of them, once.
template<queue_layout Layout>
struct each_once : rl::test_suite<each_once<Layout>, 3> {
    queues_type queues{Layout, 2};
    taken_tasks taken;

    void work(unsigned worker) {
        seat own(worker, 1);
        taken.take(own, queues, 5);
    }
    void thread(unsigned index) {
        if (index == 0) {
            append(queues, priority::low, outside, 0);
            append(queues, priority::high, outside, 1);
            append(queues, priority::medium, outside, 2);
            append(queues, priority::medium, outside, 3);
        } else {
            if (index == 1) {
                append(queues, priority::medium, 0, 4);
            }
            work(index - 1);
        }
    }
    void after() { taken.check(queues, 0x1F, 5); }
};

/// One thread, or two, see to a task and ask for sleepers. When one of them has seen none, a worker
/// that then announces its sleep sees the task. (The flag orders nothing.)
struct announcement {
    void ask() {
        if (!gate.has_sleepers()) {
            asked.store(1, relaxed);
        }
    }
    void sleep(const queues_type& queues, unsigned worker, unsigned reach) {
        while (asked.load(relaxed) == 0) {
            model::model_atomics::yield();
        }
        static_cast<void>(gate.announce_wait());
        RL_ASSERT(queues.coming(worker, reach)); // I2
        gate.cancel_wait();
    }
    gate_type gate;
    model::atomic<unsigned> asked{0};
};

/// One or two producers append a task.
template<priority Level, unsigned Producers>
struct announced : rl::test_suite<announced<Level, Producers>, Producers + 1> {
    queues_type queues{queue_layout::per_worker, 2};
    announcement said;

    void thread(unsigned index) {
        if (index < Producers) {
            append(queues, Level, outside, index);
            said.ask();
            return;
        }
        said.sleep(queues, 1, 1);
    }
};

/// Closed while one appends from outside: what was accepted is there, and a worker still appends.
struct closing : rl::test_suite<closing, 3> {
    queues_type queues{queue_layout::both, 1};
    model::atomic<unsigned> accepted{0};

    void thread(unsigned index) {
        if (index == 0) {
            for (const priority level : {priority::medium, priority::high, priority::low}) {
                if (append(queues, level, outside, 0)) {
                    accepted.fetch_add(1, relaxed);
                }
            }
        } else if (index == 1) {
            queues.close();
            const std::uint64_t last = queues.appended();
            RL_ASSERT(!append(queues, priority::high, outside, 0)); // I3
            RL_ASSERT(queues.appended() <= last + 2);
        } else {
            RL_ASSERT(append(queues, priority::medium, 0, 0)); // I3
            RL_ASSERT(append(queues, priority::high, 0, 0));
        }
    }
    void after() {
        RL_ASSERT(queues.appended() == accepted.load(relaxed) + 2u);
        RL_ASSERT(queues.size() == accepted.load(relaxed) + 2u); // I1
    }
};

/// A worker steals two tasks at once, twice; those that wait meanwhile another one takes, or it
/// itself.
struct stolen_together : rl::test_suite<stolen_together, 2> {
    queues_type queues{queue_layout::per_worker, 3};
    taken_tasks taken;

    void before() {
        for (unsigned i = 0; i < 4; ++i) {
            append(queues, priority::medium, 0, i);
        }
    }
    void thread(unsigned index) {
        seat own(index + 1, all);
        own.last.appetite = index == 0 ? 2 : 1;
        taken.take(own, queues, 4);
    }
    void after() { taken.check(queues, 0xF, 4); }
};

/// A worker appends a task, and a second one steals it with the next. A third takes what waits with
/// that one: it sees what the first did before.
struct stolen_twice : rl::test_suite<stolen_twice, 3> {
    queues_type queues{queue_layout::per_worker, 3};
    rl::var<int> written;
    model::atomic<unsigned> count{0};

    void before() {
        written($) = 0;
        fill_once(queues, 1);
        fill_once(queues, 2);
    }
    void thread(unsigned index) {
        if (index == 0) {
            written($) = 1;
            append(queues, priority::medium, 0, 0);
            append(queues, priority::medium, 0, 1);
            return;
        }
        seat own(index, all);
        own.last.appetite = 2;
        while (count.load(relaxed) != 2) {
            if (own.take(queues) >= 0) {
                RL_ASSERT(written($) == 1);
                count.fetch_add(1, relaxed);
            }
        }
    }
};

/// A worker steals two tasks and asks for sleepers. If it saw none, a worker that then announces
/// its sleep sees the one that waits. (The flag orders nothing.)
struct theft_announced : rl::test_suite<theft_announced, 2> {
    queues_type queues{queue_layout::per_worker, 3};
    announcement said;

    void before() {
        append(queues, priority::medium, 0, 0);
        append(queues, priority::medium, 0, 1);
        fill_once(queues, 1);
    }
    void thread(unsigned index) {
        if (index == 0) {
            seat own(1, all);
            own.last.appetite = 2;
            RL_ASSERT(own.take(queues) == 0 && own.from == task_origin::stolen_among_others);
            said.ask();
            return;
        }
        said.sleep(queues, 2, all);
    }
    void after() {
        seat own(2, all);
        RL_ASSERT(own.take(queues) == 1 && own.from == task_origin::stolen);
    }
};

/// A worker sweeps its queue, whose tasks are over but for the first and the last; another one
/// takes. With `Again` the first was set aside before.
template<bool Again>
struct swept : rl::test_suite<swept<Again>, 2> {
    queues_type queues{queue_layout::both, 2};
    taken_tasks taken;

    void sweep(queues_type::tally& mine) {
        std::size_t over = 4;
        queues.sweep(
            0, over, [](const auto&) {}, [] {},
            [&](const queues_type::batch& b) {
                RL_ASSERT(b[0].over());
                taken.add(b[0].number);
                b.destroy(0);
                mine.finish(b, 1);
            });
        mine.flush();
    }
    void before() {
        queues_type::tally mine;
        append(queues, priority::medium, 0, 1);
        append(queues, priority::medium, 0, 8);
        if (Again) {
            sweep(mine);
        }
        append(queues, priority::medium, 0, 9);
        append(queues, priority::medium, 0, 2);
    }
    void thread(unsigned index) {
        seat own(index, 1);
        if (index == 0) {
            sweep(own.mine);
        }
        taken.take(own, queues, 4);
    }
    void after() { taken.check(queues, 0x306, 4); }
};

/// A sweep sets a task aside and asks for sleepers. If it saw none, a worker that then announces
/// its sleep sees the task. (The flag orders nothing.)
struct aside_announced : rl::test_suite<aside_announced, 2> {
    queues_type queues{queue_layout::per_worker, 2};
    announcement said;

    void before() { append(queues, priority::medium, 0, 1); }
    void thread(unsigned index) {
        if (index == 0) {
            std::size_t over = 4;
            RL_ASSERT(queues.sweep(
                0, over, [](const auto&) {}, [] {}, [](const queues_type::batch&) {}));
            said.ask();
            return;
        }
        said.sleep(queues, 1, 1);
    }
    void after() {
        seat own(1, 1);
        RL_ASSERT(own.take(queues) == 1);
    }
};

/// A worker takes what a sweep has set aside, in its order, and finds nothing half made.
struct aside_taken : rl::test_suite<aside_taken, 2> {
    queues_type queues{queue_layout::shared, 2};

    void before() {
        append(queues, priority::medium, 0, 1);
        append(queues, priority::medium, 0, 2);
    }
    void thread(unsigned index) {
        if (index == 0) {
            std::size_t over = 4;
            queues.sweep(
                0, over, [](const auto&) {}, [] {}, [](const queues_type::batch&) {});
            return;
        }
        seat own(1, 1);
        static_cast<void>(queues.ready(1, 1));
        RL_ASSERT(queues.size() <= 4);
        while (own.take(queues) < 0) {
        }
    }
    void after() { RL_ASSERT(queues.size() == 1 && queues.ready(0, 1)); }
};

/// A worker looks, and takes no lock, while a sweep sets the only task aside: it finds nothing half
/// made.
struct aside_seen : rl::test_suite<aside_seen, 2> {
    queues_type queues{queue_layout::shared, 2};

    void before() { append(queues, priority::medium, 0, 1); }
    void thread(unsigned index) {
        if (index == 0) {
            std::size_t over = 4;
            queues.sweep(
                0, over, [](const auto&) {}, [] {}, [](const queues_type::batch&) {});
        } else {
            static_cast<void>(queues.ready(1, 1));
        }
    }
    void after() { RL_ASSERT(queues.size() == 1 && queues.ready(0, 1)); }
};

/// One that counts what was taken stalls between its two looks while a sweep sets tasks aside: the
/// number never goes below zero.
struct stalled_count : rl::test_suite<stalled_count, 2> {
    using queue_type = regatta::detail::basic_task_queue<numbered, model::atomics_that_stall, 2>;
    queue_type queue;
    model::atomic<unsigned> stalled{0};
    model::atomic<unsigned> swept{0};

    void append_and_sweep(unsigned count) {
        for (unsigned i = 0; i < count; ++i) {
            queue.append(true, 1, 0,
                         [&](queue_type::cell& c, std::size_t, void*) { c.emplace(i, nullptr); });
        }
        std::size_t over = 8;
        RL_ASSERT(queue.sweep(
            over, [](const auto&) {}, [] {}, [](const queue_type::batch&) {}));
    }
    void before() {
        append_and_sweep(1);
        model::atomics_that_stall::stalls[0] = {1, model::operation::load, "::set_aside(", &stalled,
                                                &swept};
        model::atomics_that_stall::stalls[1] = {};
    }
    void thread(unsigned index) {
        if (index == 1) {
            RL_ASSERT(queue.taken() <= 4);
            return;
        }
        while (stalled.load(relaxed) == 0) {
            model::model_atomics::yield();
        }
        append_and_sweep(3);
        swept.store(1, relaxed);
    }
    void after() { RL_ASSERT(queue.taken() == 0 && queue.size() == 4); }
};

int main() {
    const char* const order =
        "the checker orders seq_cst stores as they run, so that one that was read comes before";
    const char* const made = "the checker does not see that an atomic itself has to be made before "
                             "another thread uses it, and ready() looks at atomics only";
    const char* const reads = "the checker runs no load after a later operation of its thread";
    return model::check(
        {model::make_scenario<each_once<queue_layout::shared>>("each task once, shared"),
         model::make_scenario<each_once<queue_layout::per_worker>>("each task once, per worker"),
         model::make_scenario<each_once<queue_layout::both>>("each task once, both"),
         model::make_scenario<announced<priority::medium, 1>>("announced, medium"),
         model::make_scenario<announced<priority::high, 1>>("announced, high"),
         model::make_scenario<announced<priority::low, 2>>("announced, two producers, low"),
         model::make_scenario<stolen_together>("stolen together"),
         model::make_scenario<stolen_twice>("stolen twice"),
         model::make_scenario<theft_announced>("announced, stolen"),
         model::make_scenario<swept<false>>("swept"),
         model::make_scenario<swept<true>>("swept again"),
         model::make_scenario<aside_announced>("announced, set aside"),
         model::make_scenario<aside_taken>("taken, set aside"),
         model::make_scenario<aside_seen>("seen, set aside"),
         model::make_scenario<stalled_count>("counted while more is set aside"),
         model::make_scenario<closing>("closing")},
        {"task_queues.hpp", "worker_queues.hpp", "task_queue.hpp", "claimed_run.hpp"},
        {{"load queue_of -> acquire", order},
         {"load queue_of -> relaxed", order},
         {"load ready -> relaxed", made},
         {"load put -> relaxed", reads},
         {"modify take -> relaxed", reads}});
}
