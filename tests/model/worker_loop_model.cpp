// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// Model of the worker loop itself, over a queue of numbers: looking, sleeping, waking, helping,
/// pausing, draining, leaving and closing. I1 to I4 of `basic_worker_loop`, I1 and I2 of
/// `basic_task_census`, I1 of `basic_wake_marks`. A worker that sleeps forever is a deadlock to the
/// checker; a task that runs where none may is a data race.

#include "model_check.hpp"

#include <regatta/core/detail/segment_queue.hpp>
#include <regatta/core/detail/worker_loop.hpp>

#include <chrono>
#include <cstdint>

/// A policy whose clock stands still, so that a run can be repeated.
struct loop_atomics : model::model_atomics {
    static std::int64_t now_ns() { return 1; }
};

struct small_pool;

/// Tasks are numbers.
struct number_source {
    using queue_type = regatta::detail::basic_segment_queue<unsigned, loop_atomics, 2>;
    struct seat {
        queue_type::tally tally;
    };

    small_pool& pool;
    queue_type queue;

    template<class Found>
    regatta::detail::worker_turn run_next(seat& mine, unsigned worker, unsigned, Found&& found);
    void flush(seat& mine) { mine.tally.flush(); }
    bool ready(unsigned, unsigned) { return queue.ready(); }
    bool coming(unsigned, unsigned) { return queue.coming(); }
    std::uint64_t appended() { return queue.appended(); }
    std::uint64_t taken() { return queue.taken(); }
    void close() { queue.close(); }
};

using worker_type = regatta::detail::basic_worker<number_source::seat, loop_atomics>;
using loop_type = regatta::detail::basic_worker_loop<number_source, worker_type, loop_atomics>;

/// A pool of two workers: task n has been run once result n is set. Task 0 submits task 2; tasks 3
/// and 4 wait for the pool.
struct small_pool {
    number_source source{*this, {}};
    loop_type loop{source, true, std::chrono::nanoseconds(0)};
    worker_type* workers[2];
    rl::var<int> results[5];

    small_pool() {
        for (auto& r : results) {
            r($) = 0;
        }
        for (unsigned i = 0; i < 2; ++i) {
            workers[i] = &loop.members().add(i);
        }
    }

    void submit(unsigned task) {
        source.queue.append(
            true, 1, 0,
            [&](number_source::queue_type::cell& c, std::size_t, void*) { c.emplace(task); });
        loop.wake();
    }
    void run(unsigned task, unsigned worker) {
        results[task]($) = 1;
        if (task == 0) {
            submit(2);
        } else if (task >= 3) {
            loop.help_until_idle(*workers[worker], nullptr);
        }
    }
    struct no_hooks {
        void on_start(worker_type&) {}
        void on_stop(worker_type&) {}
        void gone(worker_type&) {}
    };
    /// Submits task 1 when the worker stops.
    struct late_hooks : no_hooks {
        small_pool& pool;
        explicit late_hooks(small_pool& p) : pool(p) {}
        void on_stop(worker_type&) { pool.submit(1); }
    };
    void work(unsigned worker) { loop.work(*workers[worker], no_hooks{}); }
    void close() {
        loop.close(false);
        loop.wake_all();
    }
    bool has_run(unsigned task) { return results[task]($) == 1; }
};

template<class Found>
regatta::detail::worker_turn number_source::run_next(seat& mine, unsigned worker, unsigned,
                                                     Found&& found) {
    const auto b = queue.take(1);
    if (b.size() == 0) {
        return regatta::detail::worker_turn::none;
    }
    const bool discard = found(regatta::detail::task_origin::own);
    if (!discard) {
        pool.run(b[0], worker);
    }
    b.destroy(0);
    mine.tally.finish(b, 1);
    return discard ? regatta::detail::worker_turn::called_off : regatta::detail::worker_turn::ran;
}

/// Two tasks run; the second submits a third and then waits for the others, as the first does.
/// No worker runs the third: neither may think that all is done.
struct submitted_before_waiting : rl::test_suite<submitted_before_waiting, 2> {
    regatta::detail::basic_task_census<loop_atomics> census;
    model::atomic<unsigned> appended{2};

    void thread(unsigned index) {
        if (index == 0) {
            appended.fetch_add(1, std::memory_order_relaxed);
        }
        census.begin_wait();
        RL_ASSERT(!census.idle(
            true, [] { return 0u; },
            [&] { return appended.load(std::memory_order_relaxed); })); // I1 of the census
    }
};

/// A queue accepts a task or is closed first. A thread that then finds that all has ended knows of
/// the task.
struct accepted_before_closing : rl::test_suite<accepted_before_closing, 3> {
    static constexpr unsigned closed = 0x100;
    regatta::detail::basic_task_census<loop_atomics> census;
    model::atomic<unsigned> queue{0};
    bool accepted = false;
    bool ended = false;

    void thread(unsigned index) {
        if (index == 0) {
            unsigned before = 0;
            accepted = queue.compare_exchange_weak(before, 1, std::memory_order_relaxed,
                                                   std::memory_order_relaxed);
        } else if (index == 1) {
            queue.fetch_or(closed, std::memory_order_relaxed);
            census.close();
            census.seal();
        } else {
            ended = census.ended([&] {
                return census.idle(
                    false, [] { return 0u; },
                    [&] { return queue.load(std::memory_order_relaxed) & ~closed; });
            });
        }
    }
    void after() { RL_ASSERT(!accepted || !ended); } // I2 of the census
};

/// A thread that finds that all has ended sees what the tasks did, also if another thread has found
/// it before.
struct ended_for_all : rl::test_suite<ended_for_all, 3> {
    regatta::detail::basic_task_census<loop_atomics> census;
    regatta::detail::basic_task_count<loop_atomics> done;
    rl::var<int> result;

    void before() {
        result($) = 0;
        census.seal();
    }
    bool has_ended() const {
        return census.ended([this] {
            return census.idle(
                false, [this] { return done.get(); }, [] { return 1u; });
        });
    }
    void thread(unsigned index) {
        if (index == 0) {
            result($) = 1;
            done.add();
        } else if (has_ended()) {
            RL_ASSERT(result($) == 1); // I2 of the census
        }
    }
    void after() { RL_ASSERT(has_ended()); }
};

/// Two workers and a producer that closes: every accepted task is run, also the one that a task
/// submits, and both workers end.
struct closing : rl::test_suite<closing, 3> {
    small_pool pool;

    void thread(unsigned index) {
        if (index < 2) {
            pool.work(index);
        } else {
            pool.submit(1);
            pool.submit(0);
            pool.close();
        }
    }
    void after() {
        RL_ASSERT(pool.has_run(0) && pool.has_run(1) && pool.has_run(2)); // I3
        RL_ASSERT(pool.loop.idle(false) && pool.loop.finished());
    }
};

/// One thread submits while another closes: the task comes in time and is run, or is refused.
struct closing_meanwhile : rl::test_suite<closing_meanwhile, 3> {
    small_pool pool;
    model::atomic<unsigned> accepted{0};

    void thread(unsigned index) {
        if (index == 0) {
            pool.work(0);
        } else if (index == 1) {
            if (pool.source.queue.emplace(1u)) {
                pool.loop.wake();
                accepted.store(1, std::memory_order_relaxed);
            }
        } else {
            pool.close();
        }
    }
    void after() {
        RL_ASSERT(pool.has_run(1) == (accepted.load(std::memory_order_relaxed) == 1)); // I3
    }
};

/// A wait from outside sees what the tasks did, and what the tasks did that they submitted.
struct waiting : rl::test_suite<waiting, 3> {
    small_pool pool;

    void thread(unsigned index) {
        if (index < 2) {
            pool.work(index);
        } else {
            pool.submit(0);
            pool.loop.wait_idle(nullptr);
            RL_ASSERT(pool.has_run(0) && pool.has_run(2)); // I2
            pool.close();
        }
    }
};

/// Two tasks wait for the pool, on one worker or on two, and a third is run by one of them or by a
/// free worker: no task waits forever, and each sees what the third did.
struct waiting_inside : rl::test_suite<waiting_inside, 3> {
    small_pool pool;

    void thread(unsigned index) {
        if (index < 2) {
            pool.work(index);
        } else {
            pool.submit(3);
            pool.submit(4);
            pool.submit(1);
            pool.loop.wait_idle(nullptr);
            RL_ASSERT(pool.has_run(1) && pool.has_run(3) && pool.has_run(4)); // I2
            pool.close();
        }
    }
};

/// Between the return of a pause and the resume no task runs: reading what tasks write is no race.
/// Another hold that begins and ends meanwhile changes nothing.
struct pausing : rl::test_suite<pausing, 3> {
    small_pool pool;
    model::atomic<unsigned> submitted{0};

    void thread(unsigned index) {
        if (index == 0) {
            pool.work(0);
        } else if (index == 1) {
            pool.loop.hold(loop_type::starting);
            pool.submit(1);
            pool.loop.release(loop_type::starting);
            submitted.store(1, std::memory_order_release);
        } else {
            pool.loop.hold(loop_type::paused);
            pool.loop.await_rest();
            static_cast<void>(pool.has_run(1)); // I4
            pool.loop.release(loop_type::paused);
            while (submitted.load(std::memory_order_acquire) == 0) {
                loop_atomics::yield();
            }
            pool.loop.wait_idle(nullptr);
            RL_ASSERT(pool.has_run(1));
            pool.close();
        }
    }
};

/// A task waits for the pool while another is submitted and the pool is paused: its wait ends all
/// the same, because it runs the other itself.
struct waiting_in_a_pause : rl::test_suite<waiting_in_a_pause, 3> {
    small_pool pool;

    void thread(unsigned index) {
        if (index < 2) {
            pool.work(index);
        } else {
            pool.submit(3);
            while (pool.source.taken() == 0) {
                loop_atomics::yield();
            }
            pool.submit(1);
            pool.loop.hold(loop_type::paused);
            // Task 3 ends. (Task 1 may have come after its wait.) A lost wake-up is a deadlock.
            pool.loop.progress().wait([&] { return pool.loop.members().completed() != 0; }); // I4
            pool.loop.release(loop_type::paused);
            pool.loop.wait_idle(nullptr);
            RL_ASSERT(pool.has_run(1) && pool.has_run(3));
            pool.close();
        }
    }
};

/// One of two workers leaves, whichever; the other runs what is there.
struct leaving : rl::test_suite<leaving, 3> {
    small_pool pool;

    void thread(unsigned index) {
        if (index < 2) {
            pool.work(index);
        } else {
            pool.submit(1);
            pool.loop.members().ask_to_leave(1);
            pool.loop.wake_all();
            pool.loop.progress().wait([&] { return pool.loop.members().all_left(); });
            RL_ASSERT(pool.loop.members().running() == 1);
            pool.submit(2);
            pool.close();
        }
    }
    void after() { RL_ASSERT(pool.has_run(1) && pool.has_run(2)); } // I1, I3
};

/// The hook of a worker that leaves submits a task while the loop is closed: the worker sees that
/// it is closed and runs it, or the closing thread sees the task and finds it a worker.
struct leaving_late : rl::test_suite<leaving_late, 2> {
    small_pool pool;

    leaving_late() { pool.loop.members().remove(*pool.workers[1]); }
    void thread(unsigned index) {
        if (index == 0) {
            pool.loop.work(*pool.workers[0], small_pool::late_hooks(pool));
            return;
        }
        pool.loop.members().ask_to_leave(1);
        pool.loop.wake_all();
        while (pool.loop.members().expected() != 0 || pool.loop.members().surplus() != 0) {
            loop_atomics::yield();
        }
        pool.loop.close(false);
        if (!pool.loop.idle(false)) {
            pool.workers[1] = &pool.loop.members().add(1);
            pool.work(1);
        }
    }
    void after() { RL_ASSERT(pool.has_run(1)); } // I3
};

/// A drain sees what the tasks did that came before it, while others come.
struct draining : rl::test_suite<draining, 3> {
    small_pool pool;

    void thread(unsigned index) {
        if (index < 2) {
            pool.work(index);
        } else {
            pool.submit(1);
            pool.submit(0);
            pool.loop.drain();
            RL_ASSERT(pool.has_run(0) && pool.has_run(1)); // I1 of the marks
            pool.close();
        }
    }
};

/// A dropped task does not stand for one that runs.
struct dropping : rl::test_suite<dropping, 4> {
    small_pool pool;

    void before() { pool.submit(1); }
    void thread(unsigned index) {
        number_source::queue_type::tally mine;
        if (index == 0) {
            if (pool.loop.idle(false)) {
                RL_ASSERT(pool.has_run(1)); // I2
            }
        } else if (index == 1) {
            pool.submit(2);
        } else {
            for (;;) {
                const auto b = pool.source.queue.take(1);
                if (b.size() == 0) {
                    loop_atomics::yield();
                    continue;
                }
                const unsigned task = b[0];
                b.destroy(0);
                mine.finish(b, 1);
                if (task == 1) {
                    pool.results[1]($) = 1;
                    pool.workers[0]->count(regatta::detail::worker_turn::ran);
                } else {
                    pool.loop.count_dropped();
                }
                return;
            }
        }
    }
};

/// Why the checker takes some mutants for sound.
const char* const hidden_fence = "another fence of this thread stands beside it, a full one in the "
                                 "model, light in real programs";

int main() {
    return model::check({model::make_scenario<submitted_before_waiting>("submitted before waiting"),
                         model::make_scenario<accepted_before_closing>("accepted before closing"),
                         model::make_scenario<ended_for_all>("ended for all"),
                         model::make_scenario<closing>("closing"),
                         model::make_scenario<closing_meanwhile>("closing meanwhile"),
                         model::make_scenario<waiting>("waiting"),
                         model::make_scenario<waiting_inside>("waiting inside"),
                         model::make_scenario<pausing>("pausing"),
                         model::make_scenario<waiting_in_a_pause>("waiting in a pause"),
                         model::make_scenario<leaving>("leaving"),
                         model::make_scenario<leaving_late>("leaving late"),
                         model::make_scenario<draining>("draining"),
                         model::make_scenario<dropping>("dropping")},
                        {"task_census.hpp", "worker_loop.hpp", "task_wait.hpp"},
                        {{"fence work", hidden_fence},
                         {"fence await_rest", hidden_fence},
                         {"modify release -> relaxed", hidden_fence},
                         {"load wake -> acquire", hidden_fence},
                         {"load wake -> relaxed", hidden_fence},
                         {"load held -> relaxed", hidden_fence}});
}
