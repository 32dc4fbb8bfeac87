// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// task_scope on every pool: who waits for whom, exceptions, stops, and who runs the children.

#include "support/eventually.hpp"
#include "support/fork_fib.hpp"
#include "support/meeting.hpp"
#include "support/observed_thread.hpp"
#include "support/pool_cases.hpp"

#include <regatta/fork.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <thread>

namespace {

using library_test::await;
using library_test::barrier;
using library_test::fork_fib;

class fork_scope : public library_test::pool_test {};
INSTANTIATE_TEST_SUITE_P(, fork_scope, library_test::every_pool(), library_test::pool_name);

} // namespace

TEST_P(fork_scope, that_sleeps_runs_later_children) {
    auto [pool] = make_pool({.threads = 2});
    for (int i = 0; i < 20; ++i) {
        library_test::observed_thread owner;
        owner.announce();
        std::atomic<bool> begun{false};
        barrier both(2);
        regatta::task_scope scope(pool);
        scope.spawn([&] {
            begun = true;
            owner.await_sleep();
            scope.spawn([&] { both.arrive_and_wait(); });
            scope.spawn([&] { both.arrive_and_wait(); });
        });
        await([&] { return begun.load(); });
        scope.wait();
    }
}

// "Waits until all children have ended, those included that children spawn."
TEST_P(fork_scope, waits_for_all_children) {
    auto [pool] = make_pool({.threads = 2});
    for (int round = 0; round < 50; ++round) {
        std::atomic<int> sum{0};
        regatta::task_scope scope(pool);
        for (int i = 0; i < 100; ++i) {
            scope.spawn([&] {
                fork_fib(5);
                scope.spawn([&] { ++sum; });
            });
        }
        scope.wait();
        EXPECT_EQ(sum, 100);
        scope.spawn([&] { ++sum; });
        scope.wait();
        EXPECT_EQ(sum, 101);
    }
}

// "`wait` throws the first exception of a child. Children that have not begun by then are destroyed
// unrun."
TEST_P(fork_scope, ends_with_the_first_exception) {
    auto [pool] = make_pool({.threads = 2});
    const auto held = std::make_shared<int>(0);
    for (int round = 0; round < 50; ++round) {
        regatta::task_scope scope(pool);
        for (int i = 0; i < 100; ++i) {
            scope.spawn([held, i] {
                if (i == 50) {
                    throw std::runtime_error("a child");
                }
            });
        }
        EXPECT_THROW(scope.wait(), std::runtime_error);
        EXPECT_TRUE(scope.over());
        EXPECT_EQ(held.use_count(), 1);
    }
    std::stop_source stop;
    stop.request_stop();
    regatta::task_scope scope(pool, stop.get_token());
    scope.spawn([] { FAIL() << "a child of a stopped scope"; });
    scope.wait();
    pool.submit([&] {
            regatta::task_scope own(stop.get_token());
            own.spawn([] { FAIL() << "a child of a stopped scope of a task"; });
            own.wait();
        })
        .get();
}

// "Later loops and scopes of the maker are no part of it": neither after an exception nor a stop.
TEST_P(fork_scope, its_maker_goes_on_after_the_wait) {
    auto [pool] = make_pool({.threads = 2});
    const auto runs_all = [&pool = pool] {
        std::atomic<int> ran{0};
        regatta::parallel_for(0, 100, [&](int) { ++ran; });
        regatta::task_scope inner(pool);
        inner.spawn([&] { ++ran; });
        inner.wait();
        return ran.load();
    };
    const auto goes_on = [&, &pool = pool] {
        regatta::task_scope failed(pool);
        failed.spawn([] { throw std::runtime_error("a child"); });
        EXPECT_THROW(failed.wait(), std::runtime_error);
        EXPECT_EQ(runs_all(), 101);
        failed.spawn([] { ADD_FAILURE() << "a child of a scope that is over"; });
        EXPECT_THROW(failed.wait(), std::runtime_error);
        std::stop_source stop;
        regatta::task_scope stopped(pool, stop.get_token());
        stop.request_stop();
        stopped.wait();
        EXPECT_TRUE(stopped.over());
        EXPECT_EQ(runs_all(), 101);
    };
    goes_on();
    pool.submit(goes_on).get();
}

// The same of the half of a join that another thread takes.
TEST_P(fork_scope, its_maker_forks_outside_of_it_after_the_wait) {
    auto [pool] = make_pool({.threads = 2});
    for (int round = 0; round < 20; ++round) {
        regatta::join(
            pool,
            [&, &pool = pool] {
                regatta::task_scope failed(pool);
                failed.spawn([] { throw std::runtime_error("a child"); });
                EXPECT_THROW(failed.wait(), std::runtime_error);
                std::atomic<int> ran{0};
                std::atomic<bool> taken{false};
                const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(1);
                regatta::join(
                    [&] { // Until another thread has the second half.
                        while (!taken && std::chrono::steady_clock::now() < until) {
                            regatta::poll();
                        }
                    },
                    [&] {
                        taken = true;
                        regatta::parallel_for(0, 100, [&](int) { ++ran; });
                    });
                EXPECT_EQ(ran, 100);
            },
            [] {});
    }
}

// A child is part of its own scope, whatever the thread that waits has made since.
TEST_P(fork_scope, a_child_is_run_in_its_own_scope) {
    auto [pool] = make_pool({.threads = 2});
    std::atomic<int> ran{0};
    regatta::task_scope outer(pool);
    {
        regatta::task_scope inner(pool);
        inner.spawn([] { throw std::runtime_error("a child"); });
        library_test::await([&] { return inner.over(); });
        for (int i = 0; i < 10; ++i) {
            outer.spawn([&] { regatta::parallel_for(0, 100, [&](int) { ++ran; }); });
        }
        outer.wait();
        EXPECT_EQ(ran, 1000);
        EXPECT_THROW(inner.wait(), std::runtime_error);
    }
}

// "Later loops and scopes of the maker are no part of it": also if it is stopped only then.
TEST_P(fork_scope, a_stop_after_the_wait_is_nothing_to_its_maker) {
    auto [pool] = make_pool({.threads = 2});
    std::stop_source stop;
    regatta::task_scope scope(pool, stop.get_token());
    scope.wait();
    stop.request_stop();
    std::atomic<int> ran{0};
    regatta::parallel_for(0, 100, [&](int) { ++ran; });
    EXPECT_EQ(ran, 100);
}

// "The destructor waits, and drops an exception that no `wait` has thrown."
TEST_P(fork_scope, ends_with_its_block) {
    auto [pool] = make_pool({.threads = 2});
    std::atomic<int> sum{0};
    {
        regatta::task_scope scope(pool);
        for (int i = 0; i < 10; ++i) {
            scope.spawn([&] { ++sum; });
        }
    }
    EXPECT_EQ(sum, 10);
    regatta::task_scope scope(pool);
    scope.spawn([] { throw 1; });
}

// "offers all pending forks of this thread", "Gives a pending fork of this thread to another one":
// children of a scope, too, whenever they were spawned.
TEST_P(fork_scope, blocking_and_poll_offer_children) {
    auto [pool] = make_pool({.threads = 2});
    std::atomic<int> ran{0};
    const auto count = [&] { ++ran; };
    const auto spawn_twice = [&](regatta::task_scope& scope, const auto& let_run) {
        for (int i = 0; i < 200; ++i) {
            const int before = ran;
            scope.spawn(count);
            let_run(before + 1);
            scope.spawn(count); // Right after the other thread has found no more.
            scope.spawn(count);
            let_run(before + 3);
        }
    };
    const auto block = [&](int until) {
        regatta::blocking([&] { await([&] { return ran == until; }); });
    };
    const auto poll = [&](int until) { await([&] { return regatta::poll() && ran == until; }); };
    const auto in_a_scope = [&] {
        regatta::task_scope scope;
        spawn_twice(scope, block);
        spawn_twice(scope, poll);
        scope.spawn([&] { // On either thread.
            spawn_twice(scope, block);
            spawn_twice(scope, poll);
        });
    };
    regatta::invoke(pool, in_a_scope);
    pool.submit(in_a_scope).get();
    EXPECT_EQ(ran, 2 * 2400);
}

/// How many of 100 iterations run.
int count_iterations() {
    std::atomic<int> ran{0};
    regatta::parallel_for(0, 100, [&](int) { ++ran; });
    return ran;
}

// "Later loops and scopes of the maker are no part of it": wherever the maker has waited, and
// whatever was made within it and lasted longer.
TEST_P(fork_scope, what_the_maker_begins_later_is_no_part_of_a_scope) {
    auto [pool] = make_pool({.threads = 2});
    regatta::balanced_pool other(2);
    const auto self = std::this_thread::get_id();
    const auto check = [&](const auto& run) {
        regatta::task_scope scope(pool);
        std::atomic<bool> fails{false};
        bool waited = false;
        scope.spawn([&] {
            await([&] { return fails.load(); });
            throw 1;
        });
        run([&] {
            if (std::this_thread::get_id() == self) {
                fails = true;
                EXPECT_THROW(scope.wait(), int);
                waited = true;
            }
        });
        fails = true;
        EXPECT_TRUE(!waited || count_iterations() == 100);
        EXPECT_TRUE(!waited || regatta::poll());
    };
    check([&](const auto& wait) {
        regatta::parallel_for(0, 2, [&](int i) { i == 0 ? wait() : void(); });
    });
    check([&](const auto& wait) { regatta::parallel_for(other, 0, 1, [&](int) { wait(); }); });
    check([&](const auto& wait) { regatta::join(wait, [] {}); });
    check([&](const auto& wait) {
        regatta::task_scope within(pool);
        within.spawn(wait);
    });
    check([&](const auto& wait) {
        const regatta::task_scope within(other);
        wait();
    });
    check([&](const auto& wait) {
        const regatta::task_scope within;
        const regatta::task_scope innermost;
        wait();
    });
}

// The same for halves of the maker's joins that another thread runs, where a region or scope was
// opened before the wait.
TEST_P(fork_scope, halves_that_the_maker_forks_later_are_no_part_of_a_scope) {
    auto [pool] = make_pool({.threads = 2});
    regatta::balanced_pool other(2);
    for (const bool in_region : {true, false}) {
        regatta::task_scope scope(pool);
        scope.spawn([] { throw 1; });
        int ran = 0;
        const auto wait_and_fork = [&] {
            EXPECT_THROW(scope.wait(), int);
            std::atomic<bool> taken{false};
            regatta::join([&] { regatta::blocking([&] { await([&] { return taken.load(); }); }); },
                          [&] {
                              taken = true;
                              ran = count_iterations();
                          });
        };
        if (in_region) {
            regatta::join(other, wait_and_fork, [] {});
        } else {
            regatta::task_scope within(pool);
            EXPECT_NO_THROW(within.wait());
            wait_and_fork();
        }
        EXPECT_EQ(ran, 100);
    }
}

// "`task_cancelled` if the loop or scope around it ended early": also if its maker has waited for
// that scope meanwhile.
TEST_P(fork_scope, a_reduction_in_what_was_made_within_a_scope_that_failed_is_cancelled) {
    auto [pool] = make_pool({.threads = 4});
    for (const bool deterministic : {false, true}) {
        regatta::task_scope first(pool);
        regatta::task_scope within(pool);
        std::atomic<bool> begun{false};
        std::atomic<bool> failed{false};
        std::atomic<bool> waited{false};
        bool cancelled = false;
        within.spawn([&] {
            try {
                const int sum = regatta::parallel_transform_reduce(
                    0, 1000, 0, std::plus<>(),
                    [&](int i) {
                        if (i == 0) {
                            regatta::blocking([&] { await([&] { return failed.load(); }); });
                        } else if (i == 999) {
                            begun = true;
                            regatta::blocking([&] { await([&] { return waited.load(); }); });
                        }
                        return 1;
                    },
                    {.deterministic = deterministic});
                EXPECT_EQ(sum, 1000);
            } catch (const regatta::task_cancelled&) {
                cancelled = true;
            }
        });
        await([&] { return regatta::poll(), begun.load(); });
        first.spawn([] { throw 1; });
        await([&] { return regatta::poll(), first.over(); });
        failed = true;
        EXPECT_THROW(first.wait(), int);
        waited = true;
        within.wait();
        EXPECT_TRUE(cancelled);
    }
}

// A thread that was asked in leaves nothing behind in its places.
TEST_P(fork_scope, a_thread_that_ran_children_forks_anew) {
    auto [pool] = make_pool({.threads = 2});
    for (int i = 0; i < 100; ++i) {
        std::atomic<bool> begun{false};
        regatta::task_scope scope(pool);
        scope.spawn([&] {
            begun = true;
            for (int k = 0; k < 20; ++k) {
                scope.spawn([] {});
            }
            regatta::blocking([] {});
        });
        await([&] { return begun.load(); });
        auto tree = pool.submit([] { return fork_fib(10); });
        scope.wait();
        EXPECT_EQ(tree.get(), 55);
    }
}
