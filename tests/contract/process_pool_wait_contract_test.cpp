// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// Threads that wait for jobs and futures: who completes them, and which of them stays awake.

#include "support/observed_thread.hpp"
#include "support/pool_functions.hpp"
#include "support/process_peer.hpp"

#include <regatta/cpu/affinity.hpp>
#include <regatta/cpu/available_cpus.hpp>
#include <regatta/pool/steady_pool.hpp>
#include <regatta/process/process_pool.hpp>

#include <gtest/gtest.h>

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <span>
#include <thread>

namespace awaited_calls {

constexpr int begun_descriptor = 16;
constexpr int go_descriptor = 17;

/// Says that it has begun, and ends when it may.
int hold(int x) {
    static_cast<void>(!::write(begun_descriptor, "begun\n", 6));
    char byte = 0;
    while (::read(go_descriptor, &byte, 1) < 0 && errno == EINTR) {
    }
    return x;
}
void hold_task(const regatta::process_task&, std::span<const int>, std::span<int>) {
    hold(0);
}
int twice(int x) {
    return 2 * x;
}

} // namespace awaited_calls

using pool_test::process_pool;
using namespace awaited_calls;

namespace {

/// A pool of one worker, whose `hold` ends as it is told.
struct held_pool {
    process_test::pipe_ends begun;
    process_test::pipe_ends go;
    regatta::process_pool pool{
        {.workers = 1,
         .descriptors = {{begun.write.get(), begun_descriptor}, {go.read.get(), go_descriptor}}}};

    void await_begin() { EXPECT_EQ(begun.read_line(), "begun"); }
    void let_go() { EXPECT_EQ(::write(go.write.get(), "x", 1), 1); }
};

/// A thread that waits for something, known to sleep in that wait.
template<class Wait>
class sleeping_wait {
public:
    explicit sleeping_wait(Wait wait)
        : thread_([this, wait] {
            seen_.announce();
            wait();
        }) {
        seen_.await_sleep();
    }
    ~sleeping_wait() { thread_.join(); }

private:
    library_test::observed_thread seen_;
    std::thread thread_;
};

} // namespace

TEST_F(process_pool, threads_that_wait_for_one_future_all_return) {
    held_pool held;
    auto result = held.pool.submit<hold>(5);
    held.await_begin();
    {
        const sleeping_wait first([&] { result.wait(); });
        const sleeping_wait second([&] { EXPECT_TRUE(result.wait_for(library_test::patience())); });
        const sleeping_wait all([&] { held.pool.wait(); });
        held.let_go();
    }
    EXPECT_EQ(result.get(), 5);
}

TEST_F(process_pool, threads_that_wait_for_one_job_all_return) {
    held_pool held;
    const auto job = held.pool.map<hold_task>({}, {}, 1);
    held.await_begin();
    {
        const sleeping_wait first([&] { job.wait(); });
        const sleeping_wait second([&] { EXPECT_TRUE(job.wait_for(library_test::patience())); });
        const sleeping_wait all([&] { held.pool.wait(); });
        held.let_go();
    }
    EXPECT_TRUE(job.done());
}

TEST_F(process_pool, a_wait_that_timed_out_leaves_the_future_to_the_pool) {
    held_pool held;
    auto result = held.pool.submit<hold>(5);
    held.await_begin();
    EXPECT_FALSE(result.wait_for(std::chrono::milliseconds(1)));
    held.let_go();
    library_test::eventually("a future that no thread waits for", [&] { return result.ready(); });
    EXPECT_EQ(result.get(), 5);
    // Also where the end of the wait and that of the task meet.
    for (int i = 0; i < 500; ++i) {
        auto one = held.pool.submit<twice>(i);
        static_cast<void>(one.wait_for(std::chrono::microseconds(i % 50)));
        library_test::eventually("a future whose wait may have timed out",
                                 [&] { return one.ready(); });
        ASSERT_EQ(one.get(), 2 * i);
    }
}

TEST_F(process_pool, cancelling_a_future_ends_the_waits_for_it) {
    held_pool held;
    auto result = held.pool.submit<hold>(5);
    held.await_begin();
    {
        const sleeping_wait waiting([&] { result.wait(); });
        EXPECT_TRUE(result.cancel()); // "it cannot stop a function that has begun"
    }
    EXPECT_THROW(result.get(), regatta::task_cancelled);
    held.let_go();
    held.pool.wait();
    EXPECT_EQ(held.pool.stats().run, 1u);
}

TEST_F(process_pool, a_wait_outlives_the_deaths_of_workers) {
    held_pool held;
    auto result = held.pool.submit<hold>(5);
    held.await_begin();
    {
        const sleeping_wait waiting([&] { EXPECT_EQ(result.get(), 5); });
        for (int deaths = 0; deaths < 2; ++deaths) {
            EXPECT_TRUE(held.pool.signal_worker(0, SIGKILL)); // The pool knows who has begun.
            held.await_begin();
        }
        held.let_go();
    }
    EXPECT_EQ(held.pool.stats().reruns, 2u);
}

TEST_F(process_pool, its_futures_are_waited_for_and_continued_anywhere) {
    regatta::process_pool pool(1);
    regatta::steady_pool threads(1);
    EXPECT_EQ(threads.submit([&] { return pool.submit<twice>(4).get(); }).get(), 8);
    EXPECT_EQ(pool.submit<twice>(4).then([](int x) { return x + 1; }).get(), 9);
}

TEST_F(process_pool, spins_only_while_each_worker_and_one_thread_more_have_a_cpu) {
    const auto work_with = [](regatta::process_pool& pool) {
        for (int i = 0; i < 50; ++i) {
            EXPECT_EQ(pool.submit<twice>(i).get(), 2 * i);
            pool.submit<twice>(i).wait();
            pool.wait();
        }
        return pool.stats().vain_spins;
    };
    const unsigned cpus = regatta::available_cpus();
    {
        regatta::process_pool pool(cpus);
        EXPECT_EQ(work_with(pool), 0u);
    }
    {
        const regatta::scoped_pin narrow(
            regatta::cpu_set{*regatta::affinity_of_this_thread().begin()});
        regatta::process_pool pool(1);
        EXPECT_EQ(work_with(pool), 0u);
    }
    if (cpus > 1) {
        regatta::process_pool pool(cpus - 1);
        work_with(pool);
        library_test::eventually("an idle worker's spin before its sleep",
                                 [&] { return pool.stats().vain_spins != 0; });
        pool.resize(cpus); // Now the parent has no CPU of its own.
        library_test::eventually("workers and waits that no longer spin", [&] {
            const auto before = pool.stats().vain_spins;
            return work_with(pool) == before;
        });
    }
}
