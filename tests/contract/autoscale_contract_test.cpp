// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// What `dynamic_pool::autoscale` promises, and that a pool of any kind continues coroutines.

#include "support/eventually.hpp"
#include "support/meeting.hpp"
#include "support/pool_cases.hpp"

#include <regatta/core/coroutine.hpp>
#include <regatta/cpu/affinity.hpp>
#include <regatta/cpu/available_cpus.hpp>
#include <regatta/cpu/detail/configured_cpus.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <stdexcept>
#include <system_error>
#include <thread>

namespace {

using namespace regatta;
using namespace std::chrono_literals;

/// Returns when a scaler that looks as often as those of the tests has looked some twenty times.
void await_some_looks() {
    dynamic_pool other{{.threads = 6}};
    other.autoscale({.min = 1, .max = 6, .target_delay = 1ms, .linger = 1ms});
    library_test::await([&] { return other.expected_threads() == 1; });
}

// "Adds threads to a pool when tasks wait too long": up to max, and no further.
TEST(autoscale_contract, adds_threads_while_tasks_wait) {
    dynamic_pool pool{{.threads = 1}};
    pool.autoscale({.min = 1, .max = 3, .target_delay = 1ms, .linger = 1ms});
    library_test::latch release(1);
    std::atomic<int> inside{0};
    for (int i = 0; i < 5; ++i) {
        pool.execute([&] {
            ++inside;
            release.wait();
        });
    }
    library_test::await([&] { return inside == 3; });
    // While one was on its way it may have been taken for one too many, and soon be asked back.
    library_test::await([&] { return pool.expected_threads() == 3; });
    EXPECT_EQ(inside, 3);
    release.count_down();
    pool.wait();
    EXPECT_EQ(inside, 5);
}

// "removes idle threads"
TEST(autoscale_contract, removes_threads_that_have_nothing_to_do) {
    dynamic_pool pool{{.threads = 4}};
    pool.autoscale({.min = 2, .max = 4, .target_delay = 1ms, .linger = 2ms});
    library_test::await([&] { return pool.running_threads() == 2; });
    EXPECT_EQ(pool.expected_threads(), 2u); // Before a task comes, which may wait too long.
    pool.submit([] {}).get();
}

// "If some thread was idle at every look for this long": not before.
TEST(autoscale_contract, keeps_threads_until_they_have_lingered) {
    dynamic_pool pool{{.threads = 2}};
    pool.autoscale({.min = 1, .max = 2, .target_delay = 1ms, .linger = 1h});
    await_some_looks();
    EXPECT_EQ(pool.expected_threads(), 2u);
}

// "While the pool is paused it changes nothing": more threads would not run what waits.
TEST(autoscale_contract, leaves_a_paused_pool_alone) {
    dynamic_pool pool{{.threads = 2}};
    pool.pause();
    pool.autoscale({.min = 1, .max = 3, .target_delay = 1ms, .linger = 1ms});
    for (int i = 0; i < 10; ++i) {
        pool.execute([] {});
    }
    await_some_looks();
    EXPECT_EQ(pool.expected_threads(), 2u);
    pool.resume();
}

// "0: four times `available_cpus()`, but not below `min`."
TEST(autoscale_contract, has_at_least_min_without_a_max) {
    dynamic_pool pool{{.threads = 1}};
    const unsigned many = 4 * available_cpus() + 1;
    pool.autoscale({.min = many});
    EXPECT_EQ(pool.expected_threads(), many);
}

// "Keeps the number of threads between two limits from now on"
TEST(autoscale_contract, moves_into_the_limits_at_once) {
    dynamic_pool pool{{.threads = 1}};
    pool.autoscale({.min = 3, .max = 3});
    EXPECT_EQ(pool.expected_threads(), 3u);
    pool.autoscale({.min = 1, .max = 2, .linger = 1h}); // Until then none has rested too long.
    EXPECT_EQ(pool.expected_threads(), 2u);
}

// The same: also if somebody else changes it while the pool has nothing to do.
TEST(autoscale_contract, gets_back_into_the_limits) {
    dynamic_pool pool{{.threads = 2}};
    pool.autoscale({.min = 2, .max = 4, .target_delay = 1ms, .linger = 2ms});
    for (int i = 0; i < 5; ++i) {
        pool.resize(0);
        library_test::await([&] { return pool.expected_threads() == 2; });
        pool.resize(5);
        library_test::await([&] { return pool.expected_threads() == 2; });
    }
    pool.submit([] {}).get();
}

// "the number of threads stays as it is."
TEST(autoscale_contract, stops) {
    dynamic_pool pool{{.threads = 1}};
    pool.autoscale({.min = 2, .max = 2});
    pool.stop_autoscale();
    pool.resize(1);
    pool.stop_autoscale();
    EXPECT_EQ(pool.expected_threads(), 1u);
}

#if REGATTA_LINUX
// "In an error sink that the scaler itself calls it returns at once": also while another thread
// starts and stops it.
TEST(autoscale_contract, is_stopped_by_the_sink_that_it_calls) {
    // One thread can be had, and no more: there is no such CPU for the second.
    cpu_set pin{*affinity_of_this_thread().begin()};
    pin.insert(detail::configured_cpus() + 7);
    for (const bool others : {false, true}) {
        std::atomic<int> errors{0};
        std::atomic<int> told{0};
        std::atomic<dynamic_pool*> here{nullptr};
        dynamic_pool pool{{.threads = 1, .pin = pin, .on_error = [&](const std::exception_ptr&) {
                               library_test::await([&] { return here.load() != nullptr; });
                               try {
                                   here.load()->autoscale();
                               } catch (const std::system_error& error) {
                                   told += error.code() == std::errc::resource_deadlock_would_occur
                                               ? 1
                                               : 0;
                               }
                               here.load()->stop_autoscale();
                               ++errors;
                           }}};
        const autoscale_options options{.min = 1, .max = 2, .target_delay = 1ms, .linger = 1ms};
        for (int round = 1; round <= 3; ++round) {
            here = nullptr;
            std::atomic<bool> open{false};
            pool.execute([&] { library_test::await([&] { return open.load(); }); });
            pool.execute([] {}); // Waits too long.
            pool.autoscale(options);
            std::thread other([&] {
                if (others) {
                    pool.stop_autoscale();
                }
            });
            here = &pool;
            if (!others) {
                library_test::await([&] { return errors.load() == round; });
            }
            other.join();
            open = true;
            pool.wait();
        }
        pool.stop_autoscale();
        EXPECT_EQ(told.load(), errors.load());
        if (!others) {
            EXPECT_EQ(errors.load(), 3);
        }
        EXPECT_EQ(pool.expected_threads(), 1u);
    }
}
#endif

// "Failure: `std::invalid_argument` for invalid options."
TEST(autoscale_contract, refuses_options_that_make_no_sense) {
    dynamic_pool pool{{.threads = 1}};
    EXPECT_THROW(pool.autoscale({.min = 0, .max = 2}), std::invalid_argument);
    EXPECT_THROW(pool.autoscale({.min = 3, .max = 2}), std::invalid_argument);
    EXPECT_THROW(pool.autoscale({.target_delay = 1us}), std::invalid_argument);
    EXPECT_THROW(pool.autoscale({.target_delay = 5ms, .linger = 1ms}), std::invalid_argument);
    EXPECT_EQ(pool.expected_threads(), 1u);
}

// A pool may be closed and destroyed while it is scaled, at any moment.
TEST(autoscale_contract, may_be_closed_while_it_is_scaled) {
    for (int i = 0; i < 20; ++i) {
        dynamic_pool pool{{.threads = 1}};
        pool.autoscale({.min = 1, .max = 4, .target_delay = 1ms, .linger = 1ms});
        std::atomic<int> ran{0};
        for (int n = 0; n < 100; ++n) {
            pool.execute([&] {
                ++ran;
                std::this_thread::yield();
            });
        }
        if (i % 2 == 0) {
            pool.close();
            EXPECT_EQ(ran, 100);
        }
    }
}

class schedule_contract : public library_test::pool_test {};
INSTANTIATE_TEST_SUITE_P(, schedule_contract, library_test::every_pool(), library_test::pool_name);

// "continues a coroutine on a worker"
TEST_P(schedule_contract, continues_on_a_worker) {
    auto [pool] = make_pool({.threads = 1});
    const auto there = pool.submit([] { return std::this_thread::get_id(); }).get();
    const auto where = [](thread_pool& p) -> co_task<std::thread::id> {
        co_await p.schedule();
        co_return std::this_thread::get_id();
    };
    EXPECT_EQ(sync_wait(where(pool)), there);
}

// "Refuses tasks from outside": the coroutine gets what `execute` throws.
TEST_P(schedule_contract, tells_a_closed_pool) {
    auto [pool] = make_pool({.threads = 1});
    pool.close();
    const auto go = [](thread_pool& p) -> co_task<> { co_await p.schedule(); };
    EXPECT_THROW(sync_wait(go(pool)), regatta::task_rejected);
}

} // namespace
