// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// What `strand` promises on every pool; each test quotes the sentence that it checks.

#include "support/pool_cases.hpp"

#include <regatta/core/coroutine.hpp>
#include <regatta/core/strand.hpp>
#include <regatta/core/task_errors.hpp>
#include <regatta/time/timer_scheduler.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace {

using library_test::await;
using library_test::door;
using library_test::hold_worker;
using regatta::strand;

class pool_strand : public library_test::pool_test {};
INSTANTIATE_TEST_SUITE_P(, pool_strand, library_test::every_pool(), library_test::pool_name);

/// Runs at once what it is given, on the thread that gives it.
struct caller_runs {
    template<class F>
    void execute(F&& f) {
        auto mine = std::forward<F>(f);
        mine();
    }
};

} // namespace

// "Runs what it is given one task at a time, in the order of submission"; "what only its tasks
// touch needs no lock".
TEST_P(pool_strand, runs_one_task_at_a_time_in_order) {
    auto [pool] = make_pool({.threads = 3});
    const strand serial(pool);
    constexpr int producers = 4;
    const int each = library_test::rounds(5000);
    std::vector<int> last(producers, -1); // No atomics: the strand orders them.
    long sum = 0;
    bool ordered = true;
    {
        std::vector<std::jthread> threads;
        for (int p = 0; p < producers; ++p) {
            threads.emplace_back([&, p] {
                for (int i = 0; i < each; ++i) {
                    serial.execute([&, p, i] {
                        ordered = ordered && last[p] + 1 == i;
                        last[p] = i;
                        ++sum;
                    });
                }
            });
        }
    }
    EXPECT_EQ(serial.submit([&] { return sum; }).get(), static_cast<long>(producers) * each);
    EXPECT_TRUE(ordered);
}

// "Any number of strands share the threads of the executor"; "Copies are the same strand".
TEST_P(pool_strand, many_share_the_threads) {
    auto [pool] = make_pool({.threads = 2});
    std::vector<strand<regatta::thread_pool>> strands;
    std::vector<int> counts(100);
    for (std::size_t i = 0; i < counts.size(); ++i) {
        strands.emplace_back(pool);
    }
    for (int round = 0; round < 100; ++round) {
        for (std::size_t i = 0; i < counts.size(); ++i) {
            const auto copy = strands[i];
            copy.execute([&counts, i] { ++counts[i]; });
        }
    }
    strands.clear(); // "The tasks that a strand has when its last copy is destroyed still run."
    pool.wait();
    for (const int count : counts) {
        EXPECT_EQ(count, 100);
    }
}

// "each runs a few tasks, then the next has its turn": also where one never ends to have tasks.
TEST_P(pool_strand, gives_others_their_turn) {
    const library_test::time_limit limit("a strand beside one that is never without tasks");
    auto [pool] = make_pool({.threads = 1});
    const strand busy(pool);
    const strand other(pool);
    std::atomic<bool> over{false};
    struct again {
        const strand<regatta::thread_pool>& on;
        std::atomic<bool>& over;
        void operator()() const {
            if (!over) {
                on.execute(*this);
            }
        }
    };
    busy.execute(again{busy, over});
    EXPECT_EQ(other.submit([] { return 1; }).get(), 1);
    over = true;
    pool.wait();
}

// "A task of the executor that waits for a future of `submit` runs the strand's tasks up to it": on
// a pool with one thread, which is the one that waits.
TEST_P(pool_strand, a_task_that_waits_for_it_runs_it) {
    const library_test::time_limit limit("a task that waits for a strand");
    auto [pool] = make_pool({.threads = 1});
    const strand serial(pool);
    std::vector<int> order;
    EXPECT_EQ(pool.submit([&] {
                      for (int i = 0; i < 40; ++i) {
                          serial.execute([&, i] { order.push_back(i); });
                      }
                      auto last = serial.submit([&] { return static_cast<int>(order.size()); });
                      return last.get();
                  })
                  .get(),
              40);
    pool.wait(); // The job whose turn the wait has taken finds nothing.
    EXPECT_EQ(order.size(), 40u);
    EXPECT_EQ(serial.submit([] { return 1; }).get(), 1);
}

// … "one by one": it does not wait for what comes after.
TEST_P(pool_strand, a_task_that_waits_for_it_runs_no_later_one) {
    const library_test::time_limit limit("a task that waits for the first of two");
    auto [pool] = make_pool({.threads = 1});
    const strand serial(pool);
    std::atomic<bool> got{false};
    pool.execute([&] {
        auto first = serial.submit([] {});
        serial.execute([&] { await([&] { return got.load(); }); });
        first.get();
        got = true;
    });
    pool.wait();
    EXPECT_TRUE(got.load());
}

// A turn that a wait has taken leaves its job behind, which serves for the next one.
TEST_P(pool_strand, waits_leave_no_jobs_behind) {
    auto [pool] = make_pool({.threads = 1});
    const strand serial(pool);
    pool.submit([&, &pool = pool] {
            for (int i = 0; i < 1000; ++i) {
                serial.submit([] {}).get();
            }
            EXPECT_LE(pool.queued(), 2u);
        })
        .get();
}

// A worker that sleeps for a task of a strand is woken to take a turn that is queued anew: who has
// queued it may take other work, which waits for that worker.
TEST_P(pool_strand, a_turn_that_is_queued_anew_wakes_who_waits) {
    const library_test::time_limit limit("a strand for which a worker waits");
    auto [pool] = make_pool({.threads = 2});
    const strand serial(pool);
    door d;
    serial.execute([&] { d.pass(); });
    d.await_inside(1);
    std::atomic<bool> waits{false};
    auto waiting = pool.submit([&] {
        for (int i = 0; i < 40; ++i) {
            serial.execute([] {});
        }
        auto last = serial.submit([] { return 7; });
        waits = true;
        return last.get();
    });
    await([&] { return waits.load(); });
    auto other = pool.submit([&] { return waiting.get(); });
    d.open();
    EXPECT_EQ(other.get(), 7);
}

// … also where the one that has queued it anew was a wait itself, for an earlier task.
TEST_P(pool_strand, a_wait_that_is_over_wakes_who_waits_for_more) {
    const library_test::time_limit limit("two workers that wait for a strand");
    auto [pool] = make_pool({.threads = 2});
    const strand serial(pool);
    door other; // Of the other worker, so that the wait runs the strand.
    hold_worker(pool, other);
    auto first = pool.submit([&, &pool = pool] {
        std::atomic<bool> second_waits{false};
        auto early = serial.submit([&] {
            other.open();
            await([&] { return second_waits.load(); });
        });
        auto last = serial.submit([] { return 2; });
        auto second = pool.submit([&] {
            second_waits = true;
            return last.get();
        });
        early.get();         // Runs the first task.
        return second.get(); // Which the other worker has.
    });
    EXPECT_EQ(first.get(), 2);
}

// The task may run at once, and destroy the last copy of the strand.
TEST(strand, its_task_may_own_the_last_of_it) {
    regatta::steady_pool pool(1);
    for (int i = 0; i < library_test::rounds(500); ++i) {
        auto owned = std::make_shared<strand<regatta::steady_pool>>(pool);
        const auto* const raw = owned.get();
        raw->execute([owned = std::move(owned)] {});
    }
    pool.wait();
}

// … "if none is running; otherwise it waits".
TEST_P(pool_strand, a_task_that_waits_for_a_strand_at_work_waits) {
    const library_test::time_limit limit("a strand whose task runs on another thread");
    auto [pool] = make_pool({.threads = 2});
    const strand serial(pool);
    door d;
    serial.execute([&] { d.pass(); });
    d.await_inside(1);
    std::atomic<bool> waits{false};
    auto waiting = pool.submit([&] {
        auto second = serial.submit([] { return 2; });
        waits = true;
        return second.get();
    });
    await([&] { return waits.load(); });
    d.open();
    EXPECT_EQ(waiting.get(), 2);
}

// "A task that waits for a later one of its own strand gets `std::system_error`"; one that waits
// for a time does so.
TEST_P(pool_strand, a_task_cannot_wait_for_a_later_one) {
    const library_test::time_limit limit("a task that waits for a later one");
    auto [pool] = make_pool({.threads = 1});
    const strand serial(pool);
    EXPECT_TRUE(serial
                    .submit([&] {
                        auto later = serial.submit([] {});
                        EXPECT_FALSE(later.wait_for(std::chrono::milliseconds(1)));
                        return library_test::would_deadlock([&] { later.get(); });
                    })
                    .get());
    caller_runs here;
    const strand direct(here);
    EXPECT_TRUE(direct
                    .submit([&] {
                        auto later = direct.submit([] {});
                        return library_test::would_deadlock([&] { later.get(); });
                    })
                    .get());
}

// "An exception of a task of `execute` goes to the error sink; the strand goes on."
TEST_P(pool_strand, an_exception_goes_to_the_sink) {
    auto [pool] = make_pool({.threads = 1});
    std::string text;
    const strand serial(pool, [&](const std::exception_ptr& error) {
        try {
            std::rethrow_exception(error);
        } catch (const std::exception& e) {
            text += e.what();
        }
    });
    serial.execute([] { throw std::runtime_error("first "); });
    serial.execute([](const std::stop_token& token) {
        EXPECT_FALSE(token.stop_possible());
        throw std::runtime_error("second");
    });
    EXPECT_THROW(serial.submit([] { throw std::logic_error("mine"); }).get(), std::logic_error);
    EXPECT_EQ(text, "first second");
    EXPECT_EQ(pool.stats().errors, 0u);
}

// "If the executor refuses the strand's turn … the call throws what it throws, and its task is
// destroyed."
TEST_P(pool_strand, a_closed_pool_refuses_its_turn) {
    auto [pool] = make_pool({.threads = 1});
    const strand serial(pool);
    EXPECT_EQ(serial.submit([] { return 1; }).get(), 1);
    pool.close();
    const auto owned = std::make_shared<int>(1);
    EXPECT_THROW(serial.execute([owned] {}), regatta::task_rejected);
    EXPECT_THROW(static_cast<void>(serial.submit([owned] {})), regatta::task_rejected);
    EXPECT_EQ(owned.use_count(), 1);
}

// "So are those that the executor, having accepted a turn, destroys with it … Their futures are
// cancelled."
TEST_P(pool_strand, tasks_go_with_a_turn_that_is_destroyed) {
    const library_test::time_limit limit("futures of tasks that were destroyed");
    auto [pool] = make_pool({.threads = 1});
    const strand serial(pool);
    door d;
    hold_worker(pool, d);
    const auto owned = std::make_shared<int>(1);
    std::vector<regatta::future<void>> futures;
    for (int i = 0; i < 40; ++i) {
        serial.execute([owned] {});
        futures.push_back(serial.submit([owned] {}));
    }
    std::thread stops([&] { pool.stop(regatta::stop_mode::discard); });
    for (auto& one : futures) {
        EXPECT_THROW(one.get(), regatta::task_cancelled);
    }
    EXPECT_EQ(owned.use_count(), 1);
    d.open();
    stops.join();
}

// A closed pool runs what it has accepted, and so all tasks of a turn that it has.
TEST_P(pool_strand, a_pool_that_closes_runs_its_tasks) {
    std::atomic<int> runs{0};
    {
        auto [pool] = make_pool({.threads = 2});
        const strand serial(pool);
        for (int i = 0; i < 1000; ++i) {
            serial.execute([&] { ++runs; });
        }
    }
    EXPECT_EQ(runs.load(), 1000);
}

// "`then(strand, f)`, `schedule_on(strand)`, `co_spawn(strand, task)` and a `timer_scheduler` take
// it as an executor."
TEST_P(pool_strand, is_an_executor) {
    const library_test::time_limit limit("what runs in a strand");
    auto [pool] = make_pool({.threads = 2});
    const strand serial(pool);
    EXPECT_FALSE(serial.running_in_this_thread());
    EXPECT_TRUE(pool.submit([] { return 1; })
                    .then(serial, [&](int) { return serial.running_in_this_thread(); })
                    .get());
    const auto walk = [](auto& on, const auto& in) -> regatta::co_task<bool> {
        co_await regatta::schedule_on(in);
        const bool inside = in.running_in_this_thread();
        co_await on.schedule();
        co_return inside && !in.running_in_this_thread();
    };
    EXPECT_TRUE(regatta::co_spawn(pool, walk(pool, serial)).get());
    EXPECT_TRUE(regatta::co_spawn(serial, walk(pool, serial)).get());
    std::atomic<int> beats{0};
    regatta::timer_scheduler timers(serial);
    timers.every(std::chrono::milliseconds(1),
                 [&] { beats += serial.running_in_this_thread() ? 1 : 1000; });
    await([&] { return beats.load() > 2; });
    timers.close();
    EXPECT_LT(beats.load(), 1000);
}

// "In a full thread pool a strand's turn keeps its room": the task that fills the pool runs.
TEST(strand, leaves_a_full_pool_to_others) {
    const library_test::time_limit limit("a task beside a strand on a full pool");
    for (const auto policy :
         {regatta::overflow::block, regatta::overflow::reject, regatta::overflow::run_here}) {
        regatta::steady_pool pool({.threads = 1, .capacity = 1, .when_full = policy});
        const strand serial(pool);
        door d;
        std::atomic<bool> other{false};
        serial.execute([&] { d.pass(); });
        d.await_inside(1);
        EXPECT_TRUE(pool.try_execute([&] { other = true; })); // The pool is full.
        std::function<void()> again = [&] {
            if (!other) {
                serial.execute(again);
            }
        };
        serial.execute(again);
        d.open();
        await([&] { return other.load(); });
        pool.wait();
        EXPECT_EQ(pool.stats().refused, 0u);
    }
}

// Nor does the strand wait for room that others have.
TEST(strand, a_full_pool_does_not_stop_it) {
    const library_test::time_limit limit("a strand on a full pool");
    for (const auto policy :
         {regatta::overflow::block, regatta::overflow::reject, regatta::overflow::run_here}) {
        regatta::steady_pool pool({.threads = 1, .capacity = 1, .when_full = policy});
        const strand serial(pool);
        door d;
        std::atomic<int> runs{0};
        serial.execute([&] { d.pass(); });
        d.await_inside(1);
        EXPECT_TRUE(pool.try_execute([] {})); // The pool is full.
        for (int i = 0; i < 100; ++i) {
            serial.execute([&] { ++runs; });
        }
        d.open();
        await([&] { return runs.load() == 100; });
    }
}

// "the pool may then queue one task more a worker than its capacity": whatever runs the turns.
TEST(strand, many_turns_do_not_overfill_a_pool) {
    const library_test::time_limit limit("a thousand strands in a small pool");
    regatta::steady_pool pool(
        {.threads = 1, .capacity = 4, .when_full = regatta::overflow::run_here});
    std::atomic<int> runs{0};
    std::atomic<std::size_t> most{0};
    std::vector<strand<regatta::steady_pool>> all(1000, strand(pool));
    pool.submit([&] {
            for (auto& one : all) {
                one = strand(pool);
                one.execute([&] { // More than a turn runs.
                    for (int i = 0; i < 20; ++i) {
                        one.execute([&] { ++runs; });
                    }
                });
                most = std::max(most.load(), pool.queued());
            }
        })
        .get();
    pool.wait();
    EXPECT_EQ(runs.load(), 20'000);
    EXPECT_LE(most.load(), 5u);
}

namespace {

/// Refuses the first job that it is given, once told to; later ones it runs at once.
struct refuses_first {
    door& at;
    std::atomic<int> calls{0};

    template<class F>
    void execute(F&& f) {
        auto mine = std::forward<F>(f);
        if (calls++ == 0) {
            at.pass();
            throw std::runtime_error("refused");
        }
        mine();
    }
};

} // namespace

// "If the executor refuses … its task is destroyed": no other thread's, which has returned.
TEST(strand, a_refusal_takes_no_other_task_with_it) {
    const library_test::time_limit limit("a strand of two threads");
    door d;
    refuses_first executor{d};
    const strand serial(executor);
    std::atomic<int> runs{0};
    std::atomic<int> refused{0};
    std::thread first([&] {
        try {
            serial.execute([&] { ++runs; });
        } catch (const std::runtime_error&) {
            ++refused;
        }
    });
    d.await_inside(1);
    serial.execute([&] { ++runs; }); // Its own job runs both.
    d.open();
    first.join();
    EXPECT_EQ(runs.load() + refused.load(), 2);
    EXPECT_GE(runs.load(), 1);
    serial.execute([&] { ++runs; });
    EXPECT_EQ(runs.load() + refused.load(), 3);
}

// On an executor that runs things at once its depth does not grow.
TEST(strand, needs_no_deep_stack_on_a_caller_that_runs) {
    caller_runs here;
    const strand serial(here);
    int runs = 0;
    serial.execute([&] {
        for (int i = 0; i < 100'000; ++i) {
            serial.execute([&] { ++runs; });
        }
    });
    EXPECT_EQ(runs, 100'000);
}
