// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// Model of how a thread pool ends and is waited for: `task_census` with the queue and the gate
/// that it is used with, and the loops of `pool_workers` and `pool_engine` written out. I1 and I2
/// of the census; a worker that sleeps for ever is a deadlock to the checker.

#include "model_check.hpp"

#include <regatta/core/detail/task_census.hpp>
#include <regatta/core/detail/segment_queue.hpp>
#include <regatta/sync/event_count.hpp>
#include <regatta/core/detail/worker_gate.hpp>

using queue_type = regatta::detail::basic_segment_queue<unsigned, model::model_atomics, 2>;
using gate_type = regatta::detail::basic_worker_gate<model::model_atomics>;

/// What is a worker's own.
struct seat {
    explicit seat(unsigned worker) : search(worker) {}
    queue_type::tally tally;
    gate_type::search search;
};

/// A pool of two workers whose tasks are numbers: task n has been run once result n is set, and
/// task 0 submits task 2.
struct small_pool {
    queue_type queue;
    gate_type gate;
    regatta::basic_event_count<model::model_atomics> progress;
    regatta::detail::basic_task_census<model::model_atomics> census;
    regatta::detail::basic_task_count<model::model_atomics> counts[2];
    rl::var<int> results[3];

    small_pool() {
        for (auto& r : results) {
            r($) = 0;
        }
    }

    bool idle(bool but_for_waiting) {
        return census.idle(
            but_for_waiting, [&] { return counts[0].get() + counts[1].get(); },
            [&] { return queue.appended(); });
    }
    bool ended() {
        return census.ended([&] { return counts[0].get() + counts[1].get(); },
                            [&] { return queue.appended(); });
    }
    void submit(unsigned task) {
        queue.append<true, 0>(1, [&](queue_type::cell& c, std::size_t, void*) { c.emplace(task); });
        gate.notify_one();
    }
    bool run_next(unsigned worker, seat& mine) {
        const auto b = queue.take(1);
        if (b.size() == 0) {
            return false;
        }
        stop_looking(mine);
        const unsigned task = b[0];
        results[task]($) = 1;
        if (task == 0) {
            submit(2);
        }
        b.destroy(0);
        mine.tally.finish(b, 1);
        counts[worker].add();
        return true;
    }
    void stop_looking(seat& mine) {
        if (gate.end(mine.search, [&] { return queue.coming(); })) {
            gate.notify_one();
        }
    }
    void tell_progress() {
        progress.notify_all();
        if (census.anybody_waits()) {
            gate.notify_all();
        }
    }
    void work(unsigned worker) {
        seat mine(worker);
        for (;;) {
            if (run_next(worker, mine)) {
                continue;
            }
            if (ended()) {
                break;
            }
            gate.begin(mine.search);
            mine.tally.flush();
            tell_progress();
            const auto ticket = gate.announce_wait(mine.search);
            if (queue.coming() || ended()) {
                gate.settle();
                if (queue.ready() || ended()) {
                    gate.cancel_wait(mine.search);
                    continue;
                }
            }
            gate.commit_wait(mine.search, ticket);
        }
        mine.tally.flush();
        tell_progress();
        stop_looking(mine);
        gate.notify_all();
    }
    void close() {
        queue.close();
        census.close();
        gate.notify_all();
    }
    void wait() {
        while (!idle(false)) {
            const auto ticket = progress.prepare_wait();
            if (idle(false)) {
                progress.cancel_wait();
                return;
            }
            progress.commit_wait(ticket);
        }
    }
    void wait_in_task(unsigned worker, seat& mine) {
        if (census.begin_wait() != 0) {
            gate.notify_all();
        }
        for (;;) {
            if (run_next(worker, mine)) {
                continue;
            }
            mine.tally.flush();
            if (idle(true)) {
                break;
            }
            const auto ticket = gate.prepare_wait(mine.search);
            if (idle(true) || queue.ready()) {
                gate.cancel_wait(mine.search);
            } else {
                gate.commit_wait(mine.search, ticket);
            }
        }
        tell_progress();
        census.end_wait();
    }
};

/// Two tasks run; the second submits a third and then waits for the others, as the first does.
/// Nobody runs the third: nobody may think that all is done.
struct submitted_before_waiting : rl::test_suite<submitted_before_waiting, 2> {
    regatta::detail::basic_task_census<model::model_atomics> census;
    model::atomic<unsigned> appended{2};

    void thread(unsigned index) {
        if (index == 0) {
            appended.fetch_add(1, std::memory_order_relaxed);
        }
        census.begin_wait();
        RL_ASSERT(!census.idle(
            true, [] { return 0u; },
            [&] { return appended.load(std::memory_order_relaxed); })); // I1
    }
};

/// Two workers, a producer that closes: what was accepted is run, also what that submits, and both
/// workers end.
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
        for (auto& r : pool.results) {
            RL_ASSERT(r($) == 1);
        }
        RL_ASSERT(pool.idle(false) && pool.ended());
    }
};

/// Whoever closes need not be who submits: a task comes in time and is run, or is refused.
struct closing_meanwhile : rl::test_suite<closing_meanwhile, 3> {
    small_pool pool;
    model::atomic<unsigned> accepted{0};

    void thread(unsigned index) {
        if (index == 0) {
            pool.work(0);
        } else if (index == 1) {
            if (pool.queue.emplace(1u)) {
                pool.gate.notify_one();
                accepted.store(1, std::memory_order_relaxed);
            }
        } else {
            pool.close();
        }
    }
    void after() {
        RL_ASSERT(pool.results[1]($) == static_cast<int>(accepted.load(std::memory_order_relaxed)));
    }
};

/// Who waits from outside sees what the tasks did, those included that they submitted.
struct waiting : rl::test_suite<waiting, 3> {
    small_pool pool;

    void thread(unsigned index) {
        if (index < 2) {
            pool.work(index);
        } else {
            pool.submit(0);
            pool.wait();
            RL_ASSERT(pool.results[0]($) == 1 && pool.results[2]($) == 1); // I1
            pool.close();
        }
    }
};

/// Two tasks wait for the pool, each on its worker, and a third is to be run by one of them.
struct waiting_inside : rl::test_suite<waiting_inside, 2> {
    small_pool pool;

    void before() {
        // The two that wait: appended, and taken by their workers.
        for (int i = 0; i < 2; ++i) {
            pool.submit(1);
            queue_type::tally mine;
            const auto b = pool.queue.take(1);
            b.destroy(0);
            mine.finish(b, 1);
        }
    }
    void thread(unsigned index) {
        seat mine(index);
        if (index == 0) {
            pool.submit(2);
        }
        pool.wait_in_task(index, mine);
        RL_ASSERT(pool.results[2]($) == 1); // I1: also for the one that did not submit it
        pool.counts[index].add();
        pool.tell_progress(); // It finds nothing else.
    }
    void after() { RL_ASSERT(pool.results[2]($) == 1 && pool.idle(false)); }
};

/// A task that was dropped does not stand for one that runs.
struct dropping : rl::test_suite<dropping, 4> {
    small_pool pool;

    void before() { pool.submit(1); }
    void thread(unsigned index) {
        queue_type::tally mine;
        if (index == 0) {
            if (pool.idle(false)) {
                RL_ASSERT(pool.results[1]($) == 1); // I1
            }
        } else if (index == 1) {
            pool.submit(2);
        } else {
            for (;;) {
                const auto b = pool.queue.take(1);
                if (b.size() == 0) {
                    model::model_atomics::yield();
                    continue;
                }
                const unsigned task = b[0];
                b.destroy(0);
                mine.finish(b, 1);
                if (task == 1) {
                    pool.results[1]($) = 1;
                    pool.counts[0].add();
                } else {
                    pool.census.add_dropped();
                }
                return;
            }
        }
    }
};

int main() {
    return model::check({model::make_scenario<submitted_before_waiting>("submitted before waiting"),
                         model::make_scenario<closing>("closing"),
                         model::make_scenario<closing_meanwhile>("closing meanwhile"),
                         model::make_scenario<waiting>("waiting"),
                         model::make_scenario<waiting_inside>("waiting inside"),
                         model::make_scenario<dropping>("dropping")},
                        {"task_census.hpp"});
}
