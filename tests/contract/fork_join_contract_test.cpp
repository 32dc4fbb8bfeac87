// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// join and invoke on every pool: results, exceptions, depth, and who runs what.

#include "support/eventually.hpp"
#include "support/fork_fib.hpp"
#include "support/meeting.hpp"
#include "support/observed_thread.hpp"
#include "support/pool_cases.hpp"

#include <regatta/fork.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using library_test::await;
using library_test::barrier;
using library_test::fork_fib;
using library_test::time_limit;

class fork_join : public library_test::pool_test {};
INSTANTIATE_TEST_SUITE_P(, fork_join, library_test::every_pool(), library_test::pool_name);

/// A chain of nested first halves. @returns its length.
int nest_first(int depth) {
    if (depth == 0) {
        return 0;
    }
    const auto [below, one] =
        regatta::join([depth] { return nest_first(depth - 1); }, [] { return 1; });
    return below + one;
}
int nest_second(int depth) {
    if (depth == 0) {
        return 0;
    }
    const auto [one, below] =
        regatta::join([] { return 1; }, [depth] { return nest_second(depth - 1); });
    return below + one;
}

/// Counts its own objects.
struct counted_result {
    explicit counted_result(std::atomic<int>& number) : alive(&number) { ++*alive; }
    counted_result(counted_result&& other) noexcept : alive(other.alive) { ++*alive; }
    counted_result& operator=(counted_result&&) = delete;
    ~counted_result() { --*alive; }
    std::atomic<int>* alive;
};

/// Forks until a helper must have been there, if there is one.
template<class Leaf>
void fork_tree(int depth, const Leaf& leaf) {
    if (depth == 0) {
        leaf();
        return;
    }
    regatta::join([&] { fork_tree(depth - 1, leaf); }, [&] { fork_tree(depth - 1, leaf); });
}

} // namespace

// "Calls `f` and `g`, which may run at the same time, and returns both results."
/// Counts its calls in itself.
struct counting {
    int calls = 0;
    int operator()() { return ++calls; }
};
int seven() {
    return 7;
}

// "Calls `f` and `g`": each once and as it was passed, whether another thread takes it or not.
TEST_P(fork_join, calls_each_half_once_and_as_it_was_passed) {
    const time_limit limit("joins of callables of each kind");
    auto [pool] = make_pool(3);
    pool.submit([] {
            for (int i = 0; i < 2000; ++i) {
                counting first, second;
                const auto [a, b] = regatta::join(first, second);
                ASSERT_EQ(a + b, 2);
                ASSERT_EQ(first.calls, 1); // Not a copy of it.
                ASSERT_EQ(second.calls, 1);
                const auto [c, d] = regatta::join(counting{}, counting{10});
                ASSERT_EQ(c, 1);
                ASSERT_EQ(d, 11);
                const auto [e, f] =
                    regatta::join(seven, [own = std::make_unique<int>(i)] { return *own; });
                ASSERT_EQ(e, 7);
                ASSERT_EQ(f, i);
                const auto [g, h] = regatta::join([] { return 1; }, seven);
                ASSERT_EQ(g + h, 8);
            }
        })
        .get();
}

TEST_P(fork_join, returns_both_results) {
    auto [pool] = make_pool({.threads = 2});
    EXPECT_EQ(regatta::join(
                  pool, [] { return 1; }, [] { return std::string("two"); }),
              std::make_pair(1, std::string("two")));
    for (int i = 0; i < 200; ++i) {
        EXPECT_EQ(regatta::join(
                      pool, [] { return fork_fib(12); }, [] { return fork_fib(9); }),
                  std::make_pair(144L, 34L));
    }
    EXPECT_EQ(pool.submit([] { return fork_fib(20); }).get(), 6765);
}

// "The type that `join(f, g)` returns: `std::pair` of both results, the only result if the other
// call returns nothing, or `void`."
TEST_P(fork_join, returns_what_there_is) {
    auto [pool] = make_pool({.threads = 2});
    int done = 0;
    static_assert(std::is_void_v<decltype(regatta::join(
                      pool, [] {}, [] {}))>);
    EXPECT_EQ(regatta::join(
                  pool, [] { return 1; }, [&] { ++done; }),
              1);
    EXPECT_EQ(regatta::join(
                  pool, [&] { ++done; }, [] { return 2; }),
              2);
    EXPECT_EQ(done, 2);
    int x = 0;
    int y = 0;
    const auto both = regatta::join(
        pool, [&]() -> int& { return x; }, [&]() -> int& { return y; });
    EXPECT_EQ(&both.first, &x);
    EXPECT_EQ(&both.second, &y);
    const auto owned = regatta::join(
        pool, [p = std::make_unique<int>(3)]() mutable { return std::move(p); },
        [p = std::make_unique<int>(4)]() mutable { return std::move(p); });
    EXPECT_EQ(*owned.first + *owned.second, 7);
    const auto constant = []() -> const std::string { return "what is const"; };
    for (int i = 0; i < 20; ++i) { // Returned by either thread.
        EXPECT_EQ(regatta::join(pool, constant, constant).second, "what is const");
    }
}

// "throws the exception of `f`, otherwise that of `g`"
TEST_P(fork_join, throws_what_a_half_threw) {
    auto [pool] = make_pool({.threads = 2});
    const auto thrown_by = [&](auto&& f, auto&& g) {
        try {
            regatta::join(pool, f, g);
        } catch (int number) {
            return number;
        }
        return 0;
    };
    const auto work = [] { fork_fib(8); };
    for (int i = 0; i < 300; ++i) {
        EXPECT_EQ(thrown_by([&] { work(), throw 1; }, work), 1);
        EXPECT_EQ(thrown_by(work, [&] { work(), throw 2; }), 2);
        EXPECT_EQ(thrown_by([&] { work(), throw 1; }, [&] { work(), throw 2; }), 1);
    }
    pool.wait();
}

// "If `f` throws, `g` is not called unless it has begun; in that case `join` waits for its end."
TEST_P(fork_join, loses_no_result_of_the_other_half) {
    auto [pool] = make_pool({.threads = 2});
    std::atomic<int> alive{0};
    for (int i = 0; i < 300; ++i) {
        bool caught = false;
        try {
            regatta::join(
                pool, [i] { fork_fib(i % 10), throw std::runtime_error("first"); },
                [&] { return counted_result(alive); });
        } catch (const std::runtime_error&) {
            caught = true;
        }
        EXPECT_TRUE(caught);
        EXPECT_EQ(alive, 0);
        std::atomic<bool> begun{false}; // There is a result for sure.
        EXPECT_THROW(regatta::join(
                         pool,
                         [&] {
                             regatta::blocking([&] { await([&] { return begun.load(); }); });
                             throw std::runtime_error("first");
                         },
                         [&] {
                             begun = true;
                             return counted_result(alive);
                         }),
                     std::runtime_error);
        EXPECT_EQ(alive, 0);
    }
}

// "Nesting to any depth": one worker, or none that helps, needs no other.
TEST_P(fork_join, nests_a_thousand_deep_on_one_worker) {
    const time_limit limit("forks on one worker");
    auto [pool] = make_pool({.threads = 1});
    EXPECT_EQ(pool.submit([] { return nest_first(1000) + nest_second(1000); }).get(), 2000);
    EXPECT_EQ(regatta::join(
                  pool, [] { return nest_first(1000); }, [] { return nest_second(1000); }),
              std::make_pair(1000, 1000));
}

// "an idle worker may call `g`": even if it is the only one that there is to give, and at once.
TEST_P(fork_join, shares_the_only_half_there_is) {
    auto [pool] = make_pool({.threads = 2});
    for (int i = 0; i < 20; ++i) {
        barrier both(2);
        regatta::join(
            pool, [&] { both.arrive_and_wait(); }, [&] { both.arrive_and_wait(); });
        pool.submit([&] {
                regatta::join([&] { both.arrive_and_wait(); }, [&] { both.arrive_and_wait(); });
            })
            .get();
    }
}

// "It helps with other forks meanwhile": also with those that the half it waits for makes when the
// waiting thread sleeps already.
TEST_P(fork_join, a_wait_that_sleeps_helps_with_later_forks) {
    auto [pool] = make_pool({.threads = 2});
    const auto fork_late = [] {
        library_test::observed_thread owner;
        owner.announce();
        std::atomic<bool> begun{false};
        barrier both(2);
        regatta::join([&] { await([&] { return begun.load(); }); },
                      [&] {
                          begun = true;
                          owner.await_sleep();
                          regatta::join([&] { both.arrive_and_wait(); },
                                        [&] { both.arrive_and_wait(); });
                      });
    };
    for (int i = 0; i < 20; ++i) {
        regatta::invoke(pool, fork_late);
        pool.submit(fork_late).get();
    }
}

// "In a task the workers are those of its pool"
TEST_P(fork_join, runs_on_the_workers_of_the_pool) {
    auto [pool] = make_pool({.threads = 2});
    std::mutex lock;
    std::set<std::thread::id> workers;
    barrier all(2);
    std::vector<regatta::future<void>> tasks;
    for (int i = 0; i < 2; ++i) {
        tasks.push_back(pool.submit([&] {
            {
                const std::lock_guard guard(lock);
                workers.insert(std::this_thread::get_id());
            }
            all.arrive_and_wait();
        }));
    }
    for (auto& t : tasks) {
        t.get();
    }
    std::set<std::thread::id> seen;
    pool.submit([&] {
            fork_tree(8, [&] {
                fork_fib(10);
                const std::lock_guard guard(lock);
                seen.insert(std::this_thread::get_id());
            });
        })
        .get();
    for (const std::thread::id& id : seen) {
        EXPECT_TRUE(workers.contains(id));
    }
    seen.clear();
    workers.insert(std::this_thread::get_id());
    regatta::join(
        pool, [&] { fork_tree(8, [&] { fork_fib(10); }); },
        [&] {
            const std::lock_guard guard(lock);
            seen.insert(std::this_thread::get_id());
        });
    for (const std::thread::id& id : seen) {
        EXPECT_TRUE(workers.contains(id));
    }
}

// "Calls all of them, possibly at the same time"
TEST_P(fork_join, invokes_all) {
    auto [pool] = make_pool({.threads = 2});
    std::atomic<int> sum{0};
    for (int i = 0; i < 100; ++i) {
        regatta::invoke(
            pool, [&] { sum += 1; }, [&] { sum += 10; }, [&] { sum += 100; },
            [&] { return sum += 1000; });
    }
    EXPECT_EQ(sum, 111100);
    EXPECT_THROW(regatta::invoke(
                     pool, [] {}, [] { throw std::runtime_error("second"); }, [] {}),
                 std::runtime_error);
}

// "The calling thread calls the first." "Throws the exception of the first call in the list that
// threw."
TEST_P(fork_join, invokes_in_the_order_of_the_list) {
    auto [pool] = make_pool({.threads = 2});
    std::thread::id by;
    const auto fails = [](const char* text) { return [text] { throw std::runtime_error(text); }; };
    try {
        regatta::invoke(
            pool, [&] { by = std::this_thread::get_id(); }, fails("second"), fails("third"));
        ADD_FAILURE() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "second");
    }
    EXPECT_EQ(by, std::this_thread::get_id());
}

// "Before that it offers all pending forks of this thread to others": the first half waits for the
// second, which no other thread would see. Also on a pool of one thread, whose worker takes the
// place of the caller that blocks.
TEST_P(fork_join, blocking_offers_what_is_pending) {
    for (int i = 0; i < 20; ++i) {
        auto [pool] = make_pool({.threads = i % 2 == 0 ? 1u : 2u});
        std::atomic<int> done{0};
        regatta::join(
            pool,
            [&] {
                regatta::join(
                    [&] {
                        EXPECT_EQ(
                            regatta::blocking([&] { return await([&] { return done == 2; }), 5; }),
                            5);
                    },
                    [&] { ++done; });
            },
            [&] { ++done; });
    }
    EXPECT_TRUE(regatta::poll());
}

// "Gives a pending fork of this thread to another one that is idle": also within a loop that gives
// none of its own iterations away, and the iterations of a loop in that one.
TEST_P(fork_join, poll_offers_what_is_pending_in_a_loop_that_is_not_divided) {
    const auto while_workers_sleep = [](const auto& test) {
        for (const auto& options :
             {regatta::fork_options{.grain = 100}, regatta::fork_options{.workers = 1}}) {
            library_test::observed_thread workers[2];
            auto [pool] =
                make_pool({.threads = 2, .on_start = [&](unsigned i) { workers[i].announce(); }});
            for (const auto& worker : workers) { // One that is awake would ask for work by itself.
                worker.await_sleep();
            }
            std::atomic<bool> done{false};
            test(pool, options, done);
        }
    };
    while_workers_sleep([](auto& pool, const auto& options, std::atomic<bool>& done) {
        const auto poll_until_done = [&] {
            await([&] {
                regatta::poll();
                return done.load();
            });
        };
        const auto body = [&](int) { regatta::join(poll_until_done, [&] { done = true; }); };
        regatta::parallel_for(pool, 0, 10, body, options);
    });
    while_workers_sleep([](auto& pool, const auto& options, std::atomic<bool>& done) {
        const auto half = [&](int i) {
            i == 1 ? done.store(true) : await([&] { return done.load(); });
        };
        const auto body = [&](int) { regatta::parallel_for(0, 2, half); };
        regatta::parallel_for(pool, 0, 10, body, options);
    });
}

// "It is made at the first use, as `balanced_pool()` is"
TEST(fork_shared_pool, runs_what_names_no_pool) {
    EXPECT_GE(regatta::shared_pool().threads(), 1U);
    EXPECT_EQ(fork_fib(15), 610);
    EXPECT_EQ(&regatta::shared_pool(), &regatta::shared_pool());
}
