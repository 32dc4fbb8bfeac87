// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// "Neither calls the heap once the queue has its memory", and "`std::bad_alloc` before anything is
// changed": counted, and brought about, by an operator new of this program's own.

#include "counting_new.hpp"
#include "support/observed_thread.hpp"
#include "support/pool_cases.hpp"

#include <regatta/compat/hipe.hpp>
#include <regatta/core/future_group.hpp>
#include <regatta/core/std_future.hpp>
#include <regatta/core/strand.hpp>
#include <regatta/fork/parallel_for.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <new>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

namespace {

using library_test::allocations_left;
using library_test::count;
using library_test::count_bytes;
using library_test::door;
using library_test::hold_worker;
using regatta::priority;

class pool_allocation : public library_test::pool_test {};
INSTANTIATE_TEST_SUITE_P(, pool_allocation, library_test::every_pool(), library_test::pool_name);

/// A closure of that size, which counts its runs.
template<std::size_t Size>
struct sized {
    std::atomic<int>* runs;
    std::array<char, Size - sizeof(void*)> bytes{};

    explicit sized(std::atomic<int>& r) noexcept : runs(&r) {}
    void operator()() const { ++*runs; }
};
template<>
struct sized<0> {
    explicit sized(std::atomic<int>&) noexcept {}
    void operator()() const {}
};

/// Every way to submit such a closure, as often as makes queues grow, and all of it waiting at
/// once.
template<std::size_t Size, class Pool>
void submit(Pool& pool, std::atomic<int>& runs, std::vector<sized<Size>>& batch,
            std::vector<regatta::future<void>>& futures) {
    door d;
    hold_worker(pool, d);
    hold_worker(pool, d, 1);
    for (int i = 0; i < 100; ++i) {
        pool.execute(sized<Size>(runs));
        pool.execute(static_cast<priority>(i % 3), sized<Size>(runs));
        static_cast<void>(pool.try_execute(sized<Size>(runs)));
        futures.push_back(pool.submit(sized<Size>(runs)));
    }
    pool.execute_batch(batch);
    pool.execute_batch(batch, priority::high);
    d.open();
    for (auto& future : futures) {
        future.get();
    }
    futures.clear();
    pool.execute([&] { // And from a worker.
        for (int i = 0; i < 100; ++i) {
            pool.execute(sized<Size>(runs));
            static_cast<void>(pool.submit(sized<Size>(runs)).ready());
        }
        pool.wait();
    });
    pool.wait();
}

/// Which worker takes what, and so which queue becomes how long, differs from round to round; so do
/// the rounds after which everything has its memory. From some round on there must be so many calls
/// of the heap, and no more.
template<class Round>
void expect_in_the_end(long calls, Round&& round) {
    constexpr int enough = 10;
    int in_a_row = 0;
    for (int i = 0; in_a_row != enough && i < 500; ++i) {
        in_a_row = count(round) == calls ? in_a_row + 1 : 0;
    }
    EXPECT_EQ(in_a_row, enough);
}

template<std::size_t Size, class Pool>
void expect_none(Pool& pool) {
    SCOPED_TRACE(Size);
    std::atomic<int> runs{0};
    std::vector<sized<Size>> batch(50, sized<Size>(runs));
    std::vector<regatta::future<void>> futures;
    futures.reserve(1000);
    expect_in_the_end(0, [&] { submit(pool, runs, batch, futures); });
}

/// By a task for each of the larger part.
template<class Pool>
long fibonacci(Pool& pool, priority level, int n) {
    if (n < 2) {
        return n;
    }
    auto larger = pool.submit(level, [&pool, level, n] { return fibonacci(pool, level, n - 1); });
    const long smaller = fibonacci(pool, level, n - 2);
    return larger.get() + smaller;
}
/// By two tasks, of which the older is waited for first.
template<class Pool>
long fibonacci_of_two(Pool& pool, int n) {
    if (n < 2) {
        return n;
    }
    auto larger = pool.submit([&pool, n] { return fibonacci_of_two(pool, n - 1); });
    auto smaller = pool.submit([&pool, n] { return fibonacci_of_two(pool, n - 2); });
    const long sum = larger.get();
    return sum + smaller.get();
}

} // namespace

// "A task that was run in a wait, or cancelled, gives its memory back while the tasks that wait for
// it still run: a recursion of futures needs memory for its depth, not for all its tasks."
TEST_P(pool_allocation, of_a_recursion_is_for_its_depth) {
    auto [pool] = make_pool({.threads = 1});
    const auto bytes_of = [&](auto&& call, int n, long result) {
        return count_bytes([&] { EXPECT_EQ(pool.submit([&] { return call(n); }).get(), result); });
    };
    const auto expect_no_growth = [&](auto&& call) {
        bytes_of(call, 18, 2584);
        // 43,784 tasks more, each of which has a cell of 64 bytes and a block of 128.
        EXPECT_LE(bytes_of(call, 24, 46368), 100'000);
    };
    expect_no_growth([&](int n) { return fibonacci(pool, priority::medium, n); });
    expect_no_growth([&](int n) { return fibonacci_of_two(pool, n); });
    expect_no_growth([&](int n) { return fibonacci(pool, priority::low, n); });
    pool.wait();
    const auto stats = pool.stats();
    EXPECT_EQ(stats.run, stats.submitted);
    EXPECT_EQ(stats.queued, 0u);
}

// "… and without memory for a moment it loses none."
TEST_P(pool_allocation, that_fails_in_a_recursion_loses_nothing) {
    for (long fails = 0; fails < 4; ++fails) {
        SCOPED_TRACE(fails);
        auto [pool] = make_pool({.threads = 1});
        std::atomic<int> runs{0};
        const auto task = [&runs] { ++runs; };
        pool.submit([&] {
                pool.execute(task); // What a sweep has to set aside.
                static_cast<void>(pool.submit(task).ready());
                allocations_left = fails;
                for (int i = 0; i < 60; ++i) {
                    try {
                        pool.submit(task).get();
                    } catch (const std::bad_alloc&) {
                        allocations_left = -1;
                    }
                }
                allocations_left = -1;
                for (int i = 0; i < 200; ++i) {
                    pool.submit(task).get();
                }
            })
            .get();
        pool.wait();
        const auto stats = pool.stats();
        EXPECT_EQ(stats.run, stats.submitted);
        EXPECT_EQ(static_cast<std::uint64_t>(runs.load()) + 1, stats.run);
    }
}

// "A closure of up to `task_slot::inline_size` bytes lies in the queue's cell, one of up to
// `task_room_size` bytes beside it".
TEST_P(pool_allocation, is_none_in_the_steady_state) {
    auto [pool] = make_pool({.threads = 2});
    expect_none<0>(pool);
    expect_none<8 + 8>(pool);
    expect_none<48>(pool);
    expect_none<56>(pool);
    expect_none<240>(pool);
}

// "two calls of the heap …: for the returned list and for an internal one. None per task in the
// steady state."
TEST_P(pool_allocation, is_two_for_a_batch_with_futures) {
    auto [pool] = make_pool({.threads = 2});
    const std::stop_source source;
    for (const std::size_t length : {10u, 1000u}) {
        SCOPED_TRACE(length);
        std::atomic<int> runs{0};
        const std::vector<sized<48>> batch(length, sized<48>(runs));
        expect_in_the_end(2, [&] {
            auto futures = pool.submit_batch(batch);
            for (auto& future : futures) {
                future.get();
            }
            pool.wait();
        });
        const regatta::task_options stoppable(source.get_token());
        expect_in_the_end(1, [&] {
            pool.execute_batch(batch, stoppable);
            pool.wait();
        });
    }
}

// "futures: for closure and result above 464 bytes, for a closure without a result above 456"
TEST_P(pool_allocation, of_futures_is_none_up_to_464_bytes_of_closure_and_result) {
    std::atomic<int> runs{0};
    auto [pool] = make_pool({.threads = 1});
    expect_in_the_end(0, [&] { pool.submit(sized<456>(runs)).get(); });
    expect_in_the_end(1, [&] { pool.submit(sized<464>(runs)).get(); });
    const std::array<char, 464 - sizeof(void*)> fits{};
    const std::array<char, sizeof fits + 1> exceeds{};
    expect_in_the_end(0, [&] { static_cast<void>(pool.submit([&] { return fits; }).get()); });
    expect_in_the_end(1, [&] { static_cast<void>(pool.submit([&] { return exceeds; }).get()); });
}

// "no heap for closures that fit into a `task` once the queue has had its greatest length": of a
// strand.
TEST_P(pool_allocation, of_a_strand_is_none_in_the_steady_state) {
    std::atomic<int> runs{0};
    auto [pool] = make_pool({.threads = 2});
    const regatta::strand serial(pool);
    expect_in_the_end(0, [&] {
        door d;
        serial.execute([&] { d.pass(); });
        for (int i = 0; i < 200; ++i) {
            serial.execute(sized<48>(runs));
        }
        d.open();
        pool.wait();
    });
}

// "Empties the group, which keeps its room. One call of the heap, for the results; none if there
// are none."
TEST_P(pool_allocation, of_a_group_that_is_used_again_is_for_the_results) {
    std::atomic<int> runs{0};
    auto [pool] = make_pool({.threads = 1});
    regatta::future_group<void> nothing;
    expect_in_the_end(0, [&] {
        for (int i = 0; i < 64; ++i) {
            nothing.push(pool.submit(sized<48>(runs)));
        }
        nothing.get();
    });
    regatta::future_group<int> results;
    expect_in_the_end(1, [&] {
        for (int i = 0; i < 64; ++i) {
            results.push(pool.submit([i] { return i; }));
        }
        static_cast<void>(results.get());
    });
    nothing.push(pool.submit([] { throw 1; }));
    nothing.push(pool.submit([] {}));
    EXPECT_THROW(nothing.get(), int);
    EXPECT_TRUE(nothing.empty());
}

TEST_P(pool_allocation, is_one_for_a_larger_closure) {
    std::atomic<int> runs{0};
    auto [pool] = make_pool({.threads = 1});
    expect_in_the_end(1, [&] {
        pool.execute(sized<500>(runs));
        pool.wait();
    });
}

// "Returns … once no task runs": a pause needs no memory, so that none can end half done.
TEST_P(pool_allocation, is_none_for_a_pause) {
    auto [pool] = make_pool({.threads = 3});
    door d;
    hold_worker(pool, d);
    std::thread opener([&] {
        library_test::await([&] { return pool.paused(); });
        d.open();
    });
    allocations_left = 0; // Also the opener asks for none.
    EXPECT_NO_THROW(pool.pause());
    EXPECT_TRUE(pool.paused());
    allocations_left = -1;
    pool.resume();
    opener.join();
    EXPECT_EQ(pool.submit([] { return 5; }).get(), 5);
}

// A region that a closed pool refuses is not left open, also where there is no memory for the
// error.
TEST_P(pool_allocation, that_fails_for_the_error_of_a_region_leaves_none_open) {
    for (long fails = 0; fails < 4; ++fails) {
        auto [pool] = make_pool({.threads = 1, .name = "a name that is in no string's own memory"});
        regatta::thread_pool& p = pool;
        regatta::parallel_for(p, 0, 10, [](int) {}); // So that there is a place for this thread.
        pool.close();
        allocations_left = fails;
        bool refused = false;
        try {
            regatta::parallel_for(p, 0, 10, [](int) {});
        } catch (const std::bad_alloc&) {
            refused = true;
        } catch (const regatta::task_rejected&) {
            refused = true;
        }
        allocations_left = -1;
        EXPECT_TRUE(refused);
    } // Its end would wait for the region.
}

// The conversion throws `std::bad_alloc`. A standard promise that ends before its future allocates
// an exception, which would end the program here.
TEST(future_without_memory, is_not_converted_and_stays) {
    regatta::dynamic_pool pool(1);
    bool converted = false;
    for (long fails = 0; fails < 20 && !converted; ++fails) {
        regatta::future<int> f = pool.submit([] { return 7; });
        f.wait();
        allocations_left = fails;
        try {
            std::future<int> other(std::move(f));
            allocations_left = -1;
            converted = true;
            EXPECT_EQ(other.get(), 7);
        } catch (const std::bad_alloc&) {
            allocations_left = -1;
            ASSERT_TRUE(f.valid()) << fails;
            EXPECT_EQ(f.get(), 7);
        }
    }
    EXPECT_TRUE(converted);
}

// "`std::bad_alloc` before anything is changed": wherever the heap fails, the caller is told, no
// room is lost, and the pool goes on.
TEST_P(pool_allocation, that_fails_changes_nothing) {
    for (long fails = 0; fails < 12; ++fails) {
        std::atomic<int> runs{0};
        regatta::pool_options options{.threads = 1};
        if (!makes<regatta::dynamic_pool>()) {
            options.capacity = 200;
            options.when_full = regatta::overflow::reject;
        }
        auto [pool] = make_pool(std::move(options));
        door d;
        hold_worker(pool, d);
        std::vector<sized<100>> batch(30, sized<100>(runs));
        std::uint64_t taken = 1;
        const auto try_it = [&](std::uint64_t tasks, auto&& call) {
            allocations_left = fails;
            try {
                call();
                taken += tasks;
                allocations_left = -1;
            } catch (const std::bad_alloc&) {
                allocations_left = -1;
                const auto now = pool.stats().submitted; // Part of a batch may have been taken.
                EXPECT_LE(now, taken + (tasks == 1 ? 0 : tasks));
                taken = now;
            }
        };
        try_it(1, [&] { pool.execute(sized<8 + 8>(runs)); });
        try_it(1, [&] { pool.execute(sized<100>(runs)); });
        try_it(1, [&] { pool.execute(sized<1000>(runs)); });
        try_it(1, [&] { EXPECT_TRUE(pool.try_execute(sized<1000>(runs))); });
        try_it(1, [&] {
            EXPECT_TRUE(pool.try_execute(std::stop_source().get_token(), sized<1000>(runs)));
        });
        try_it(1, [&] { static_cast<void>(pool.submit(sized<100>(runs)).valid()); });
        try_it(1, [&] { static_cast<void>(pool.submit(sized<1000>(runs)).valid()); });
        try_it(30, [&] { pool.execute_batch(batch); });
        try_it(30, [&] { static_cast<void>(pool.submit_batch(batch).size()); });
        EXPECT_EQ(pool.stats().submitted, taken);
        std::uint64_t more = 0;
        if (pool.capacity() != 0) { // Of the room nothing was lost.
            while (pool.try_execute(sized<16>(runs))) {
                ++more;
            }
            EXPECT_EQ(taken + more, 201u);
        }
        d.open();
        pool.wait();
        const auto stats = pool.stats();
        EXPECT_EQ(stats.run + stats.cancelled, taken + more);
        EXPECT_EQ(stats.queued, 0u);
    }
}

// "If all that wait are of a higher priority: `task_rejected`": not if one of those with room is
// less important, and still on its way into its queue.
TEST_P(pool_allocation, of_one_producer_is_waited_for_by_another_that_drops_the_oldest) {
    if (makes<regatta::dynamic_pool>()) {
        return; // It has no limit.
    }
    const library_test::time_limit limit("a producer that drops the oldest to have room");
    auto [pool] =
        make_pool({.threads = 1, .capacity = 2, .when_full = regatta::overflow::drop_oldest});
    std::atomic<int> runs{0};
    door d;
    hold_worker(pool, d);
    pool.execute(priority::high, sized<16>(runs));
    door on_its_way;
    std::thread other([&] {
        library_test::next_stop = &on_its_way;
        pool.execute(sized<100>(runs));
    });
    on_its_way.await_inside(1);
    library_test::observed_thread dropping;
    std::atomic<bool> ended{false};
    bool rejected = false;
    std::thread drops([&] {
        dropping.announce();
        try {
            pool.execute(sized<16>(runs));
        } catch (const regatta::task_rejected&) {
            rejected = true;
        }
        ended = true;
    });
    library_test::await([&] { return ended || dropping.sleeps(); });
    on_its_way.open();
    other.join();
    drops.join();
    EXPECT_FALSE(rejected);
    EXPECT_EQ(pool.stats().cancelled, 1u); // That of the other producer.
    d.open();
    pool.wait();
    EXPECT_EQ(runs.load(), 2);
}

// "Each task that was taken is run": what waits to drop the oldest drops nothing of a closed pool.
TEST_P(pool_allocation, of_a_task_of_a_closed_pool_costs_no_other_one) {
    if (makes<regatta::dynamic_pool>()) {
        return; // It has no limit.
    }
    const library_test::time_limit limit("a producer that drops the oldest of a closed pool");
    auto [pool] =
        make_pool({.threads = 1, .capacity = 1, .when_full = regatta::overflow::drop_oldest});
    std::atomic<int> runs{0};
    door d;
    door on_its_way;
    pool.execute([&, p = &pool] {
        library_test::next_stop = &on_its_way;
        p->execute(sized<100>(runs));
        d.pass();
    });
    on_its_way.await_inside(1);
    library_test::observed_thread dropping;
    std::atomic<bool> ended{false};
    bool closed = false;
    std::thread drops([&] {
        dropping.announce();
        try {
            pool.execute(sized<16>(runs));
        } catch (const regatta::task_rejected& error) {
            closed = error.why() == regatta::task_rejected::reason::closed;
        }
        ended = true;
    });
    library_test::await([&] { return ended || dropping.sleeps(); });
    std::thread closes([&] { pool.close(); });
    library_test::await([&] { return pool.closed(); });
    on_its_way.open();
    drops.join();
    d.open();
    closes.join();
    EXPECT_EQ(runs.load(), 1);
    // Where the close comes after the drop, the new task is taken.
    EXPECT_EQ(pool.stats().cancelled, closed ? 0u : 1u);
}

// "The callback may use the pond": so may the destructor of a refused task for which there is no
// memory.
TEST(hipe_overflow_without_memory, lets_the_destructor_of_a_task_use_the_pond) {
    const library_test::time_limit limit("a refused task without memory");
    door d;
    hipe::SteadyThreadPond pond(1, 1);
    pond.setRefuseCallBack([] {});
    pond.submit([&] { d.pass(); });
    d.await_inside(1); // The worker needs no memory any more.
    bool refused = false;
    for (long fails = 0; fails < 50 && !refused; ++fails) {
        std::atomic<int> used{0};
        std::shared_ptr<void> use(nullptr, [&](void*) {
            static_cast<void>(pond.pullOverFlowTasks());
            ++used;
        });
        std::function<void()> task = [use = std::exchange(use, nullptr)] {};
        allocations_left = fails;
        try {
            pond.submit(std::move(task));
            allocations_left = -1;
            refused = true;
            pond.pullOverFlowTasks().clear();
        } catch (const std::bad_alloc&) {
            allocations_left = -1;
        }
        task = nullptr;
        EXPECT_EQ(used.load(), 1) << fails;
    }
    EXPECT_TRUE(refused);
    d.open();
}

// "The destructors of callbacks may still use the timers": also that of one for which there is no
// memory.
TEST(hipe_timers_without_memory, let_the_destructor_of_a_callback_use_them) {
    const library_test::time_limit limit("a timer without memory");
    hipe::TimerScheduler<hipe::SteadyThreadPond> timers;
    timers.start();
    bool accepted = false;
    for (long fails = 0; fails < 50 && !accepted; ++fails) {
        std::atomic<int> used{0};
        std::shared_ptr<void> use(nullptr, [&](void*) {
            timers.cancel(1);
            ++used;
        });
        std::function<void()> callback = [use = std::exchange(use, nullptr)] {};
        allocations_left = fails;
        try {
            const std::size_t id = timers.submit(std::move(callback), std::chrono::hours(1));
            allocations_left = -1;
            accepted = true;
            EXPECT_TRUE(timers.cancel(id));
        } catch (const std::bad_alloc&) {
            allocations_left = -1;
        }
        callback = nullptr;
        EXPECT_EQ(used.load(), 1) << fails;
    }
    EXPECT_TRUE(accepted);
}
