// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The rows of the bench of the thread pools, over what each pool gives.
///
/// A `Pool` is made with the number of its workers and has
///     produce(body)          calls `body()` on the calling thread, from where it may submit
///     execute(f)             has `f()` called by a worker
///     execute_within(f)      the same, in a task
///     execute_ten(fs)        the same for an array of ten, if it has a form for that
///     submit(f)              returns something whose `get()` gives what f returns
/// and its destructor comes after all tasks have run.

#include "placed_threads.hpp"
#include "pools_case.hpp"
#include "pools_tally.hpp"
#include "sampling/statistics.hpp"
#include "workloads/uneven.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace regatta::bench {

inline double clock_ns(clockid_t clock) noexcept {
    timespec t{};
    ::clock_gettime(clock, &t);
    return 1e9 * static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec);
}
inline double now_ns() noexcept {
    return clock_ns(CLOCK_MONOTONIC);
}

/// For the compiler someone reads what the pointer points to.
inline void keep(const void* data) noexcept {
    asm volatile("" : : "r"(data) : "memory");
}

struct empty_task {
    void operator()() const noexcept { tally.ran(); }
};
struct task_of_64_bytes {
    std::array<std::uint64_t, 8> data;
    void operator()() const noexcept {
        keep(data.data());
        tally.ran();
    }
};
static_assert(sizeof(task_of_64_bytes) == 64);

/// Time a task of a sample: `submit(i)` for each on the producer's side, until all have run. The
/// same for a tenth of the tasks comes before it, untimed.
template<class Pool, class Submit>
race::outcome timed(Pool& pool, std::size_t tasks, Submit&& submit) {
    double ns = 0;
    pool.produce([&] {
        for (const std::size_t count : {tasks / 10, tasks}) {
            tally.begin();
            const double begin = now_ns();
            for (std::size_t i = 0; i < count; ++i) {
                submit(i);
            }
            tally.await(count);
            ns = now_ns() - begin;
        }
    });
    return tally.outcome(ns / static_cast<double>(tasks));
}

template<class Pool>
race::outcome execute_sample(unsigned workers, std::size_t tasks) {
    Pool pool(workers);
    return timed(pool, tasks, [&](std::size_t) { pool.execute(empty_task{}); });
}

template<class Pool>
race::outcome capture_sample(unsigned workers, std::size_t tasks) {
    Pool pool(workers);
    return timed(pool, tasks, [&](std::size_t i) { pool.execute(task_of_64_bytes{{i}}); });
}

template<class Pool>
race::outcome allocate_sample(unsigned workers, std::size_t tasks) {
    Pool pool(workers);
    return timed(pool, tasks, [&](std::size_t i) {
        pool.execute([i] {
            const std::vector<int> fresh(100, static_cast<int>(i));
            keep(fresh.data());
            tally.ran();
        });
    });
}

template<class Pool>
race::outcome uneven_sample(unsigned workers, std::size_t tasks) {
    Pool pool(workers);
    return timed(pool, tasks, [&](std::size_t i) {
        pool.execute([steps = race::uneven_steps(1, i)] {
            const std::uint64_t end = race::take_steps(steps, steps);
            keep(&end);
            tally.ran();
        });
    });
}

template<class Pool>
race::outcome batches_sample(unsigned workers, std::size_t tasks) {
    Pool pool(workers);
    return timed(pool, tasks, [&](std::size_t i) {
        if (i % 10 == 0) {
            pool.execute_ten(std::array<empty_task, 10>{});
        }
    });
}

/// A task submits all others; they count whether they were queued.
template<class Pool>
race::outcome within_sample(unsigned workers, std::size_t tasks) {
    Pool pool(workers);
    double ns = 0;
    pool.produce([&] {
        for (const std::size_t count : {tasks / 10, tasks}) {
            tally.begin();
            std::atomic<double> begin{0};
            pool.execute([&pool, &begin, count] {
                begin.store(now_ns());
                bool& submitting = tally.submitting();
                for (std::size_t i = 0; i < count; ++i) {
                    submitting = true;
                    pool.execute_within([] { tally.ran_if_queued(); });
                    submitting = false;
                }
                tally.ran();
            });
            tally.await(count + 1);
            ns = now_ns() - begin.load();
        }
    });
    return tally.outcome(ns / static_cast<double>(tasks));
}

template<class Pool>
race::outcome futures_sample(unsigned workers, std::size_t tasks) {
    Pool pool(workers);
    using future = decltype(pool.submit(std::declval<std::size_t (*)()>()));
    double ns = 0;
    bool right = true;
    pool.produce([&] {
        for (int round = 0; round < 2; ++round) { // the first is not timed
            std::vector<future> all;
            all.reserve(tasks);
            tally.begin();
            const double begin = now_ns();
            for (std::size_t i = 0; i < tasks; ++i) {
                all.push_back(pool.submit([i] {
                    tally.ran();
                    return i;
                }));
            }
            for (std::size_t i = 0; i < tasks; ++i) {
                right = all[i].get() == i && right;
            }
            ns = now_ns() - begin;
        }
    });
    return right ? tally.outcome(ns / static_cast<double>(tasks))
                 : race::outcome::failed("a future had another's value");
}

/// Medians over `tasks` tasks, each submitted when the pool has been idle for 2 ms.
struct wake_times {
    double begin_ns; ///< From the submission to the begin of the task.
    double call_ns;  ///< Of the call that submits.
};
/// `submit(began)` has a thread that sleeps store the time at which it wakes.
template<class Submit>
wake_times measure_wakes(std::size_t tasks, Submit&& submit) {
    std::vector<double> begins;
    std::vector<double> calls;
    for (std::size_t i = 0; i < tasks; ++i) {
        std::atomic<double> began{0};
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        const double before = now_ns();
        submit(began);
        const double after = now_ns();
        while (began.load(std::memory_order_acquire) == 0) {
            // Spins: it must not be asleep itself, and its CPU is free.
        }
        begins.push_back(began.load(std::memory_order_relaxed) - before);
        calls.push_back(after - before);
    }
    return {race::median(std::move(begins)), race::median(std::move(calls))};
}
template<class Pool>
wake_times wake_times_of(worker_place where, unsigned workers, std::size_t tasks) {
    Pool pool(workers);
    wake_times times{};
    pool.produce([&] {
        tally.begin();
        pool.execute(empty_task{}); // Some begin their threads with the first task.
        tally.await(1);
        const placed_threads placed(where);
        times = measure_wakes(tasks, [&](std::atomic<double>& began) {
            pool.execute([&began] {
                // First: the tally's memory is cold, and the thread of the bare futex has none.
                began.store(now_ns(), std::memory_order_release);
                tally.ran();
            });
        });
    });
    return times;
}
template<class Pool, worker_place Where, double wake_times::*What>
race::outcome wake_sample(unsigned workers, std::size_t tasks) {
    return tally.outcome(wake_times_of<Pool>(Where, workers, tasks).*What);
}

template<class Pool>
race::outcome life_sample(unsigned workers, std::size_t pools) {
    std::vector<double> lives;
    for (std::size_t i = 0; i < pools; ++i) {
        std::atomic<bool> ran{false};
        const double begin = now_ns();
        {
            Pool pool(workers);
            pool.produce([&] {
                pool.execute([&ran] { ran.store(true, std::memory_order_release); });
                while (!ran.load(std::memory_order_acquire)) {
                    std::this_thread::yield(); // There may be no CPU for the task.
                }
            });
        }
        lives.push_back(now_ns() - begin);
    }
    return {race::median(std::move(lives)), {}};
}

template<class Pool, class Task>
void execute_all(Pool& pool, std::size_t tasks, const Task& task) {
    pool.produce([&] {
        tally.begin();
        for (std::size_t i = 0; i < tasks; ++i) {
            pool.execute(task);
        }
        tally.await(tasks);
    });
}

/// The share of a CPU that a pool uses in 5 s after it has run `tasks` tasks.
template<class Pool>
race::outcome idle_sample(unsigned workers, std::size_t tasks) {
    Pool pool(workers);
    execute_all(pool, tasks, empty_task{});
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    const double begin = now_ns();
    const double cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    std::this_thread::sleep_for(std::chrono::seconds(5));
    const double used = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    return {used / (now_ns() - begin), {}};
}

template<class Pool>
race::outcome heap_calls_sample(unsigned workers, std::size_t tasks) {
    Pool pool(workers);
    // A thousand under way at most: what counts is not the memory of a backlog that still grows.
    const auto all = [&] {
        for (std::size_t done = 0; done < tasks; done += 1000) {
            execute_all(pool, 1000, task_of_64_bytes{});
        }
    };
    all();
    const auto calls = heap_calls_during(all);
    return {static_cast<double>(calls) / static_cast<double>(tasks), {}};
}

/// All rows that a pool has a form for.
template<class Pool>
pool_case case_of(std::string name) {
    pool_case all;
    all.name = std::move(name);
    all.execute = execute_sample<Pool>;
    all.capture = capture_sample<Pool>;
    all.within = within_sample<Pool>;
    all.futures = futures_sample<Pool>;
    all.allocate = allocate_sample<Pool>;
    all.uneven = uneven_sample<Pool>;
    all.wake = wake_sample<Pool, worker_place::another_cpu, &wake_times::begin_ns>;
    all.submit_call = wake_sample<Pool, worker_place::another_cpu, &wake_times::call_ns>;
    all.switch_to = wake_sample<Pool, worker_place::same_cpu, &wake_times::begin_ns>;
    all.switch_call = wake_sample<Pool, worker_place::same_cpu, &wake_times::call_ns>;
    all.life = life_sample<Pool>;
    all.idle = idle_sample<Pool>;
    all.heap_calls = heap_calls_sample<Pool>;
    if constexpr (requires(Pool & pool) { pool.execute_ten(std::array<empty_task, 10>{}); }) {
        all.batches = batches_sample<Pool>;
    }
    return all;
}

} // namespace regatta::bench
