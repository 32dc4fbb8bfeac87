// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// `task_graph` on every pool; each test quotes the sentence that it checks.

#include "support/eventually.hpp"
#include "support/fork_fib.hpp"
#include "support/meeting.hpp"
#include "support/pool_cases.hpp"

#include <regatta/fork.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <random>
#include <stdexcept>
#include <stop_token>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace {

using library_test::await;
using library_test::barrier;
using library_test::fork_fib;
using regatta::task_graph;

class fork_graph : public library_test::pool_test {};
INSTANTIATE_TEST_SUITE_P(, fork_graph, library_test::every_pool(), library_test::pool_name);

/// A graph whose task i writes, without an atomic, one more than the greatest of those before it.
struct levels {
    explicit levels(unsigned seed, std::size_t count) : level(count), before(count) {
        std::mt19937 random(seed);
        std::vector<task_graph::task> tasks;
        for (std::size_t i = 0; i < count; ++i) {
            std::vector<task_graph::task> after;
            for (std::size_t edges = i == 0 ? 0 : random() % 4; edges != 0; --edges) {
                before[i].push_back(random() % i); // Perhaps one twice.
                after.push_back(tasks[before[i].back()]);
            }
            tasks.push_back(graph.add([this, i] { level[i] = expected(i); }, after));
        }
    }
    int expected(std::size_t i) const {
        int most = 0;
        for (const std::size_t earlier : before[i]) {
            most = std::max(most, level[earlier]);
        }
        return most + 1;
    }

    task_graph graph;
    std::vector<int> level;
    std::vector<std::vector<std::size_t>> before;
};

} // namespace

// "Each begins when those that it comes after have ended"; "It is made once and runs again and
// again"; "The end of a task happens before the begin of those that come after it, and the end of
// all before `run` returns."
TEST_P(fork_graph, runs_each_task_after_those_before_it) {
    auto [pool] = make_pool({.threads = 3});
    for (unsigned seed = 0; seed < 5; ++seed) {
        levels all(seed, 300);
        ASSERT_EQ(all.graph.size(), 300u);
        for (int round = library_test::rounds(50); round > 0; --round) {
            std::fill(all.level.begin(), all.level.end(), 0);
            all.graph.run(pool);
            for (std::size_t i = 0; i < all.level.size(); ++i) {
                ASSERT_EQ(all.level[i], all.expected(i)) << "task " << i << ", seed " << seed;
                ASSERT_NE(all.level[i], 0);
            }
        }
    }
}

// "Tasks between which there is no order run at the same time."
TEST_P(fork_graph, runs_tasks_without_an_order_at_the_same_time) {
    auto [pool] = make_pool({.threads = 2});
    task_graph graph;
    barrier both(2);
    const auto first = graph.add([] {});
    graph.add([&] { regatta::blocking([&] { both.arrive_and_wait(); }); }, first);
    graph.add([&] { regatta::blocking([&] { both.arrive_and_wait(); }); }, first);
    for (int i = 0; i < 20; ++i) {
        graph.run(pool);
    }
}

// "It is called once a run, and destroyed with the graph."
TEST_P(fork_graph, keeps_what_its_tasks_hold) {
    auto [pool] = make_pool({.threads = 2});
    const auto held = std::make_shared<int>(0);
    {
        task_graph graph;
        const auto first = graph.add([held, own = std::make_unique<int>(0)] { *held = ++*own; });
        graph.add(
            [held] {
                *held += 10;
                return *held; // "What it returns is dropped."
            },
            first);
        for (int round = 1; round <= 3; ++round) {
            graph.run(pool);
            EXPECT_EQ(*held, round + 10);
        }
        task_graph moved = std::move(graph);
        moved.run(pool);
        EXPECT_EQ(*held, 14);
        EXPECT_EQ(held.use_count(), 3);
    }
    EXPECT_EQ(held.use_count(), 1);
}

// "The first exception of a task; tasks that have not begun by then are left out. The graph may run
// again."
TEST_P(fork_graph, ends_with_the_first_exception) {
    auto [pool] = make_pool({.threads = 2});
    task_graph graph;
    bool fails = true;
    std::array<int, 4> ran{};
    const auto a = graph.add([&] { ++ran[0]; });
    const auto b = graph.add(
        [&] {
            ++ran[1];
            if (fails) {
                throw std::runtime_error("b");
            }
        },
        a);
    const auto c = graph.add([&] { ++ran[2]; }, b);
    graph.add([&] { ++ran[3]; }, a, c);
    for (int round = 0; round < 20; ++round) {
        ran = {};
        fails = round % 2 == 0;
        if (fails) {
            EXPECT_THROW(graph.run(pool), std::runtime_error);
            EXPECT_EQ(ran, (std::array{1, 1, 0, 0}));
        } else {
            graph.run(pool);
            EXPECT_EQ(ran, (std::array{1, 1, 1, 1}));
        }
    }
}

// "When it is stopped, tasks that have not begun are left out"; "`task_cancelled` where stop has
// left tasks out".
TEST_P(fork_graph, ends_when_it_is_stopped) {
    auto [pool] = make_pool({.threads = 2});
    std::stop_source stop;
    task_graph graph;
    int ran = 0;
    const auto first = graph.add([&] {
        ++ran;
        stop.request_stop();
    });
    graph.run(pool, stop.get_token()); // It has left nothing out.
    EXPECT_EQ(ran, 1);
    stop = std::stop_source();
    graph.add([&] { ++ran; }, first);
    EXPECT_THROW(graph.run(pool, stop.get_token()), regatta::task_cancelled);
    EXPECT_EQ(ran, 2);
    EXPECT_THROW(graph.run(pool, stop.get_token()), regatta::task_cancelled);
    EXPECT_EQ(ran, 2);
    graph.run(pool);
    EXPECT_EQ(ran, 4);
}

// "They may use loops and other forks, and run other graphs"; on one thread, too.
TEST_P(fork_graph, runs_within_tasks_and_other_graphs) {
    for (const unsigned threads : {1u, 3u}) {
        auto [pool] = make_pool({.threads = threads});
        std::atomic<int> sum{0};
        task_graph inner;
        const auto first = inner.add([&] { regatta::parallel_for(0, 100, [&](int) { ++sum; }); });
        inner.add([&] { EXPECT_EQ(fork_fib(10), 55); }, first);
        task_graph outer;
        const auto begin = outer.add([] {});
        const auto middle = outer.add([&] { inner.run(); }, begin);
        outer.add([&] { pool.submit([&] { ++sum; }).get(); }, middle);
        for (int round = 0; round < 10; ++round) {
            sum = 0;
            pool.submit([&] { outer.run(pool); }).get();
            EXPECT_EQ(sum, 101);
            outer.run(pool);
            EXPECT_EQ(sum, 202);
        }
    }
}

// Several threads run graphs of their own on one pool.
TEST_P(fork_graph, runs_beside_others) {
    auto [pool] = make_pool({.threads = 2});
    std::vector<std::jthread> threads;
    for (unsigned t = 0; t < 3; ++t) {
        threads.emplace_back([t, p = std::ref(pool)] {
            levels all(t, 100);
            for (int round = library_test::rounds(100); round > 0; --round) {
                std::fill(all.level.begin(), all.level.end(), 0);
                all.graph.run(p.get());
                for (std::size_t i = 0; i < all.level.size(); ++i) {
                    ASSERT_EQ(all.level[i], all.expected(i));
                }
            }
        });
    }
}

// "`add_edge`: lets `later` begin only when `earlier` has ended, too."
TEST_P(fork_graph, grows_between_runs) {
    auto [pool] = make_pool({.threads = 2});
    task_graph graph;
    graph.run(pool); // Without a task.
    EXPECT_TRUE(graph.empty());
    std::vector<int> order;
    const auto a = graph.add([&] { order.push_back(1); });
    graph.run(pool);
    const auto b = graph.add([&] { order.push_back(2); });
    graph.add_edge(a, b);
    graph.add_edge(a, b); // Once more changes nothing.
    order.clear();
    graph.run(pool);
    EXPECT_EQ(order, (std::vector{1, 2}));
    const auto c = graph.add([&] { order.push_back(3); }, a);
    graph.add_edge(b, c);
    order.clear();
    graph.run(pool);
    EXPECT_EQ(order, (std::vector{1, 2, 3}));
}

// "`std::invalid_argument` if one is no task of this graph, or `earlier` was not added before
// `later`; `std::logic_error` while the graph runs."
TEST_P(fork_graph, refuses_misuse) {
    auto [pool] = make_pool({.threads = 1});
    task_graph graph;
    task_graph other;
    const auto foreign = other.add([] {});
    const auto a = graph.add([] {});
    const auto b = graph.add([] {}, a);
    EXPECT_THROW(graph.add([] {}, foreign), std::invalid_argument);
    EXPECT_THROW(graph.add([] {}, a, task_graph::task()), std::invalid_argument);
    EXPECT_THROW(graph.add_edge(b, a), std::invalid_argument);
    EXPECT_THROW(graph.add_edge(a, a), std::invalid_argument);
    EXPECT_THROW(graph.add_edge(a, foreign), std::invalid_argument);
    EXPECT_EQ(graph.size(), 2u);

    int refused = 0;
    const auto refuses = [&](auto call) {
        try {
            call();
        } catch (const std::invalid_argument&) {
        } catch (const std::logic_error&) {
            ++refused;
        }
    };
    graph.add([&] {
        refuses([&] { graph.run(pool); });
        refuses([&] { graph.run(); });
        refuses([&] { graph.add([] {}); });
        refuses([&] { graph.add_edge(a, b); });
    });
    graph.run(pool);
    EXPECT_EQ(refused, 4);
    EXPECT_EQ(graph.size(), 3u);
    pool.close();
    EXPECT_THROW(graph.run(pool), regatta::task_rejected);
    other.run();
}
