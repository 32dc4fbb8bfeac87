// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "support/meeting.hpp"
#include "support/queue_executor.hpp"

#include "support/threads.hpp"

#include <regatta/core/detail/wait_graph.hpp>
#include <regatta/core/future.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <stdexcept>
#include <system_error>
#include <thread>

namespace {

using library_test::queue_executor;
using regatta::future;
using regatta::detail::wait_graph;
using regatta::detail::worker_context;
using regatta::detail::worker_level;
using namespace std::chrono_literals;

/// Whether a call is refused as one that could never end.
template<class F>
bool refused(F&& f) {
    try {
        f();
        return false;
    } catch (const std::system_error& e) {
        EXPECT_EQ(e.code(), std::errc::resource_deadlock_would_occur);
        return true;
    }
}

/// A task that is run on a level, or not yet.
struct fake_task final : regatta::detail::wait_target {
    explicit fake_task(const worker_level* level = nullptr) : level_(level) {}
    const worker_level* runner() const noexcept override { return level_; }
    const worker_level* level_;
};

} // namespace

TEST(wait_graph, refuses_the_wait_that_closes_a_circle) {
    wait_graph graph;
    worker_level a, b, c;
    const fake_task on_a(&a), on_b(&b), on_c(&c), queued;
    EXPECT_TRUE(refused([&] { graph.block(a, on_a); })) << "its own";
    graph.block(a, on_b);
    graph.block(b, on_c);
    EXPECT_TRUE(refused([&] { graph.block(c, on_a); }));
    EXPECT_TRUE(refused([&] { graph.block(c, on_b); }));
    graph.block(c, queued);
    graph.unblock(c);
    graph.unblock(b);
    graph.block(c, on_a);
    graph.unblock(a);
    graph.unblock(c);
    graph.block(a, on_b);
    graph.unblock(a);
}

// A level that has waited for a task, and then waits for the whole pool, no longer waits for it.
TEST(wait_graph, forgets_what_a_level_has_waited_for) {
    const int pool = 0;
    wait_graph graph;
    std::thread([&] {
        worker_context waiting(&pool, 0, &graph);
        worker_level other, free;
        const fake_task under(waiting.level);
        {
            const fake_task ended(&free);
            graph.block(*waiting.level, ended);
            graph.unblock(*waiting.level);
        }
        const wait_graph::pool_wait all(waiting);
        EXPECT_TRUE(refused([&] { graph.block(other, under); }));
    }).join();
}

// "A worker that waits for the whole pool waits for every task that does not do so itself."
TEST(wait_graph, takes_a_wait_for_the_pool_for_a_wait_for_all) {
    const int pool = 0;
    wait_graph graph;
    std::thread([&] {
        worker_context waiting(&pool, 0, &graph);
        worker_level other;
        const fake_task under(waiting.level);
        const fake_task on_other(&other);
        {
            const wait_graph::pool_wait wait(waiting);
            EXPECT_TRUE(refused([&] { graph.block(other, under); })) << "it waits for the other";
            const fake_task meanwhile(waiting.level);
            graph.block(other, meanwhile);
            EXPECT_TRUE(refused([&] { graph.block(*waiting.level, on_other); }));
            graph.unblock(other);
            const wait_graph::pool_wait again(waiting);
            EXPECT_TRUE(refused([&] { graph.block(other, meanwhile); }));
        }
        graph.block(other, under);
        EXPECT_TRUE(refused([&] { const wait_graph::pool_wait wait(waiting); }));
        EXPECT_EQ(waiting.level, &waiting.base);
        graph.unblock(other);
        {
            const wait_graph::pool_wait limited(waiting, true);
            graph.block(other, under);
            graph.unblock(other);
        }
        const wait_graph::pool_wait wait(waiting);
    }).join();
}

// "If the wait for the pool has a deadline, it depends only on the tasks that run on top of it".
TEST(wait_graph, takes_a_limited_wait_for_one_for_what_runs_on_top) {
    const int pool = 0;
    wait_graph graph;
    std::thread([&] {
        worker_context waiting(&pool, 0, &graph);
        worker_level other;
        const fake_task under(waiting.level);
        const fake_task on_other(&other);
        const wait_graph::pool_wait limited(waiting, true);
        EXPECT_TRUE(refused([&] { graph.block(*waiting.level, under); })) << "on top of it";
        graph.block(other, under);
        EXPECT_TRUE(refused([&] { graph.block(*waiting.level, on_other); }));
        EXPECT_TRUE(refused([&] { const wait_graph::pool_wait all(waiting); }));
        const wait_graph::pool_wait limited_too(waiting, true);
        graph.unblock(other);
        EXPECT_TRUE(refused([&] { graph.block(*waiting.level, under); })) << "two levels above";
        graph.block(*waiting.level, on_other);
        EXPECT_TRUE(refused([&] { graph.block(other, under); }));
        graph.unblock(*waiting.level);
    }).join();
}

TEST(worker_context, is_the_calling_thread_s_own) {
    const int pool = 0;
    const int another = 0;
    EXPECT_EQ(worker_context::current(), nullptr);
    EXPECT_FALSE(worker_context::is_worker_of(&pool));
    {
        const worker_context context(&pool, 3);
        EXPECT_EQ(worker_context::current(), &context);
        EXPECT_TRUE(worker_context::is_worker_of(&pool));
        EXPECT_FALSE(worker_context::is_worker_of(&another));
        EXPECT_THROW(worker_context(&another, 0), std::logic_error);
        std::thread([] { EXPECT_EQ(worker_context::current(), nullptr); }).join();
    }
    EXPECT_EQ(worker_context::current(), nullptr);
}

// "A worker of the task's own pool that waits runs the task itself if it has not started."
TEST(future_wait, in_a_task_runs_what_it_waits_for) {
    queue_executor executor(1);
    std::function<int(int)> sum_to = [&](int n) -> int {
        return n == 0 ? 0 : n + executor.submit([&sum_to, n] { return sum_to(n - 1); }).get();
    };
    EXPECT_EQ(executor.submit([&] { return sum_to(100); }).get(), 5050);
}

TEST(future_wait, in_a_task_runs_what_its_continuation_needs) {
    queue_executor executor(1);
    const auto nested = [&] {
        return executor.submit([] { return 1; })
            .then([](int i) { return i + 1; })
            .then(executor, [](int i) { return i + 1; })
            .then(executor, [](int i) { return i + 1; })
            .then([](int i) { return i + 1; })
            .get();
    };
    EXPECT_EQ(executor.submit(nested).get(), 5);
}

// The only worker of one pool sleeps for a continuation that another pool sends back to it.
TEST(future_wait, wakes_for_a_continuation_that_comes_back) {
    const library_test::time_limit limit("a wait that is woken for a continuation");
    queue_executor mine(1);
    queue_executor other(1);
    for (int i = 0; i < 100; ++i) {
        library_test::observed_thread waiting;
        const auto nested = [&] {
            waiting.announce();
            auto f = other
                         .submit([&] {
                             waiting.await_sleep();
                             return 1;
                         })
                         .then(mine, [](int n) { return n + 1; })
                         .then([](int n) { return n + 1; });
            return f.get();
        };
        EXPECT_EQ(mine.submit(nested).get(), 3);
    }
}

TEST(future_wait, in_a_task_waits_at_most_so_long_for_what_runs_elsewhere) {
    queue_executor executor(2);
    library_test::latch started(1);
    library_test::latch go(1);
    const auto slow = executor.submit([&] {
        started.count_down();
        go.wait();
    });
    started.wait();
    EXPECT_FALSE(executor.submit([&] { return slow.wait_for(1ms); }).get());
    go.count_down();
    EXPECT_TRUE(executor.submit([&] { return slow.wait_for(1h); }).get());
}

TEST(future_wait, in_a_task_without_time_only_looks) {
    queue_executor executor(1);
    EXPECT_FALSE(executor.submit([&] { return executor.submit([] {}).wait_for(0s); }).get());
    EXPECT_TRUE(executor.submit([&] { return executor.submit([] {}).wait_for(1h); }).get());
}

TEST(future_wait, of_a_task_for_itself_is_refused) {
    queue_executor executor(1);
    library_test::latch known(1);
    future<bool> self;
    self = executor.submit([&] {
        known.wait();
        return refused([&] { self.wait(); }) && refused([&] { self.wait(); });
    });
    known.count_down();
    EXPECT_TRUE(self.get());
}

TEST(future_wait, of_a_task_inside_one_that_waits_for_it_is_refused) {
    queue_executor executor(1);
    library_test::latch known(1);
    future<bool> outer;
    outer = executor.submit([&] {
        known.wait();
        return executor.submit([&] { return refused([&] { outer.wait(); }); }).get();
    });
    known.count_down();
    EXPECT_TRUE(outer.get());
}

TEST(future_wait, of_two_tasks_for_each_other_is_refused_to_one) {
    queue_executor executor(2);
    for (int i = 0; i < 100; ++i) {
        library_test::latch both(3);
        std::atomic<int> refusals{0};
        future<void> tasks[2];
        for (int t : {0, 1}) {
            tasks[t] = executor.submit([&, t] {
                both.arrive_and_wait();
                refusals += refused([&] { tasks[1 - t].wait(); }) ? 1 : 0;
            });
        }
        both.arrive_and_wait();
        tasks[0].wait(); // `get` would end the future that the other task still waits for.
        tasks[1].wait();
        EXPECT_EQ(refusals.load(), 1);
    }
}

// A task waits for the continuation of a task that waits for it.
TEST(future_wait, is_refused_through_continuations) {
    queue_executor executor(2);
    for (int i = 0; i < 100; ++i) {
        library_test::latch both(3);
        std::atomic<int> refusals{0};
        future<void> first;
        future<void> last;
        first = executor.submit([&] {
            both.arrive_and_wait();
            refusals += refused([&] { last.wait(); }) ? 1 : 0;
        });
        last = executor
                   .submit([&] {
                       both.arrive_and_wait();
                       refusals += refused([&] { first.wait(); }) ? 1 : 0;
                   })
                   .then([] {})
                   .then([] {});
        both.arrive_and_wait();
        first.wait();
        last.wait();
        EXPECT_EQ(refusals.load(), 1);
    }
}
