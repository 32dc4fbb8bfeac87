// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// What pool_options promises of the workers; each test quotes the sentence that it checks.

#include "support/pool_cases.hpp"
#include "support/this_thread.hpp"

#include <regatta/cpu/available_cpus.hpp>
#include <regatta/cpu/detail/configured_cpus.hpp>
#include <regatta/fork/parallel_algorithms.hpp>
#include <regatta/time/timer_scheduler.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#if REGATTA_LINUX
#include "thread_count.hpp"

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>
#endif

namespace {

using library_test::door;
using regatta::cpu_set;

class pool_threads : public library_test::pool_test {};
INSTANTIATE_TEST_SUITE_P(, pool_threads, library_test::every_pool(), library_test::pool_name);

/// Calls `f` on each of the pool's workers once.
template<class Pool, class F>
void on_each_worker(Pool& pool, F f) {
    door all;
    for (unsigned i = 0; i < pool.threads(); ++i) {
        pool.execute([&] {
            f();
            all.pass();
        });
    }
    all.await_inside(static_cast<int>(pool.threads()));
    all.open();
    pool.wait();
}

} // namespace

// "Workers; 0: as many as `available_cpus()` says."
TEST_P(pool_threads, are_as_many_as_asked) {
    EXPECT_EQ(make_pool().get<0>().threads(), regatta::available_cpus());
    auto [pool] = make_pool({.threads = 5});
    EXPECT_EQ(pool.threads(), 5u);
    std::mutex guard;
    std::set<std::thread::id> ids;
    on_each_worker(pool, [&] {
        const std::lock_guard lock(guard);
        ids.insert(std::this_thread::get_id());
    });
    EXPECT_EQ(ids.size(), 5u);
}

// "Worker i is named "name/i"; Linux shows 15 bytes, and cuts a longer name before the '/'."
TEST_P(pool_threads, are_named) {
    for (const std::string name : {"rows", "a-name-of-many-letters"}) {
        std::mutex guard;
        std::set<std::string> names;
        auto [pool] = make_pool({.threads = 2, .name = name});
        on_each_worker(pool, [&] {
            const std::lock_guard lock(guard);
            names.insert(library_test::name_of_this_thread());
        });
        EXPECT_EQ(names, (std::set<std::string>{library_test::shown_name(name, "/0"),
                                                library_test::shown_name(name, "/1")}));
    }
}

// "Worker i is pinned to the i-th CPU of the set, modulo their number."
TEST_P(pool_threads, are_pinned) {
    if (!library_test::can_pin()) {
        GTEST_SKIP() << "this system pins no threads";
    }
    cpu_set mine;
    ASSERT_EQ(regatta::try_affinity_of_this_thread(mine), 0);
    if (mine.count() < 2) {
        GTEST_SKIP() << "needs two CPUs";
    }
    const std::vector<unsigned> cpus(mine.begin(), mine.end());
    std::mutex guard;
    std::vector<cpu_set> seen(3);
    {
        const auto [pool] =
            make_pool({.threads = 3, .pin = cpu_set{cpus[0], cpus[1]}, .on_start = [&](unsigned i) {
                           const std::lock_guard lock(guard);
                           EXPECT_EQ(regatta::try_affinity_of_this_thread(seen[i]), 0);
                       }});
    }
    EXPECT_EQ(seen, (std::vector<cpu_set>{{cpus[0]}, {cpus[1]}, {cpus[0]}}));
    cpu_set after;
    EXPECT_EQ(regatta::try_affinity_of_this_thread(after), 0);
    EXPECT_EQ(after, mine);
}

// "Called on each worker with its index, before its first task and after its last."
TEST_P(pool_threads, call_their_hooks) {
    std::mutex guard;
    std::multiset<unsigned> started;
    std::multiset<unsigned> stopped;
    std::set<std::thread::id> begun;
    std::atomic<int> wrong{0};
    {
        auto [pool] = make_pool({.threads = 3,
                                 .on_start =
                                     [&](unsigned i) {
                                         const std::lock_guard lock(guard);
                                         started.insert(i);
                                         begun.insert(std::this_thread::get_id());
                                     },
                                 .on_stop =
                                     [&](unsigned i) {
                                         const std::lock_guard lock(guard);
                                         stopped.insert(i);
                                         begun.erase(std::this_thread::get_id());
                                     }});
        for (int i = 0; i < 100; ++i) {
            pool.execute([&] {
                const std::lock_guard lock(guard);
                wrong += begun.count(std::this_thread::get_id()) == 1 ? 0 : 1;
            });
        }
    }
    EXPECT_EQ(wrong.load(), 0);
    EXPECT_EQ(started, (std::multiset<unsigned>{0, 1, 2}));
    EXPECT_EQ(stopped, started);
}

// "how long an idle worker spins …; `nanoseconds::max()`: always"
TEST_P(pool_threads, spin_as_long_as_they_are_told) {
    library_test::observed_thread worker;
    auto [pool] = make_pool({.threads = 1, .spin = std::chrono::nanoseconds::max()});
    pool.submit([&] { worker.announce(); }).get();
    const auto before = worker.cpu_time(); // What comes before a sleep takes far less than 5 ms.
    library_test::eventually("an idle worker that computes",
                             [&] { return before < 0 || worker.cpu_time() > before + 5'000'000; });
    EXPECT_EQ(pool.stats().parked, 0u);
}

// Such a pool works and ends like any other.
TEST_P(pool_threads, may_stay_awake) {
    for (const auto spin : {std::chrono::nanoseconds(std::chrono::microseconds(100)),
                            std::chrono::nanoseconds::max()}) {
        std::atomic<int> runs{0};
        auto [pool] = make_pool({.threads = 2, .spin = spin});
        for (int i = 0; i < 20; ++i) {
            pool.submit([&] { ++runs; }).get();
        }
        pool.pause();
        pool.execute([&] { ++runs; });
        pool.resume();
        pool.wait();
        EXPECT_EQ(runs.load(), 21);
    }
}

// "Copies share the callable of `on_error`": one set of options serves several pools.
TEST_P(pool_threads, of_two_pools_have_the_same_options) {
    std::atomic<int> errors{0};
    std::atomic<int> starts{0};
    const regatta::pool_options options{
        .threads = 2,
        .on_error = [&errors, mine = std::make_unique<int>(1)](
                        const std::exception_ptr&) { errors += *mine; },
        .on_start = [&](unsigned) { ++starts; }};
    {
        auto [one] = make_pool(options);
        auto [other] = make_pool(options);
        one.execute([] { throw std::runtime_error("of one"); });
        other.execute([] { throw std::runtime_error("of the other"); });
    }
    EXPECT_EQ(errors.load(), 2);
    EXPECT_EQ(starts.load(), 4);
}

// Options that make no sense are refused with the reason.
TEST_P(pool_threads, bad_options_are_refused_with_a_reason) {
    const auto reason = [](regatta::pool_options options) -> std::string {
        try {
            const auto [pool] = make_pool(std::move(options));
        } catch (const std::invalid_argument& error) {
            return error.what();
        }
        return "taken";
    };
    EXPECT_NE(reason({.threads = 1, .spin = std::chrono::nanoseconds(-1)}).find("spin"),
              std::string::npos);
    EXPECT_NE(reason({.threads = 1, .schedule = {regatta::scheduling_policy::fifo, 100}})
                  .find("from 1 to 99"),
              std::string::npos);
    if (!makes<regatta::steady_pool>()) {
        EXPECT_NE(reason({.threads = 1, .steal = false}).find("steal"), std::string::npos);
    }
    if (makes<regatta::dynamic_pool>()) {
        EXPECT_NE(reason({.threads = 1, .capacity = 5}).find("capacity = 5"), std::string::npos);
    }
}

// A CPU that does not exist: `std::system_error` that names it, and nothing is left behind.
TEST_P(pool_threads, that_cannot_be_pinned_leave_nothing_behind) {
    if (!library_test::can_pin()) {
        GTEST_SKIP() << "this system pins no threads";
    }
    cpu_set mine;
    ASSERT_EQ(regatta::try_affinity_of_this_thread(mine), 0);
    const unsigned absent = regatta::detail::configured_cpus() + 7;
    std::atomic<int> started{0};
    std::atomic<int> stopped{0};
#if REGATTA_LINUX
    const auto before = library_test::threads_at_rest();
#endif
    for (int i = 0; i < 10; ++i) {
        try {
            const auto [pool] = make_pool({.threads = 4,
                                           .name = "lost",
                                           .pin = cpu_set{*mine.begin(), absent},
                                           .on_start = [&](unsigned) { ++started; },
                                           .on_stop = [&](unsigned) { ++stopped; }});
            ADD_FAILURE() << "pinned to CPU " << absent;
        } catch (const std::system_error& error) {
            const std::string text = error.what();
            EXPECT_NE(text.find(std::to_string(absent)), std::string::npos) << text;
            EXPECT_NE(text.find("lost/1"), std::string::npos) << text;
        }
    }
    EXPECT_EQ(started.load(), stopped.load());
#if REGATTA_LINUX
    library_test::await([&] { return library_test::threads_of_program() <= before; });
#endif
}

// "Time with a task": never more than there was, also as the worker goes to rest.
TEST_P(pool_threads, are_not_busy_for_longer_than_they_exist) {
    for (int i = 0; i < 300; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        auto [made] = make_pool({.threads = 1});
        regatta::thread_pool& pool = made;
        std::atomic<bool> ended{false};
        pool.execute([&] {
            while (std::chrono::steady_clock::now() < begin + std::chrono::microseconds(300)) {
            }
            ended = true;
        });
        for (bool last = false; !last;) {
            last = ended && pool.stats().parked != 0;
            const auto busy = pool.stats().workers.at(0).busy;
            ASSERT_LE(busy, std::chrono::steady_clock::now() - begin);
        }
    }
}

#if REGATTA_LINUX
// "Scheduling class and priority of the workers."
TEST_P(pool_threads, are_scheduled_as_asked) {
    std::atomic<int> as_asked{0};
    auto [pool] = make_pool({.threads = 2, .schedule = {regatta::scheduling_policy::batch, 5}});
    on_each_worker(pool, [&] { as_asked += ::sched_getscheduler(0) == SCHED_BATCH ? 1 : 0; });
    EXPECT_EQ(as_asked.load(), 2);
    EXPECT_EQ(::sched_getscheduler(0), SCHED_OTHER);
}

#if !REGATTA_THREAD_SANITIZER
// Threads that cannot be had: the constructor throws and names the thread; a pool that has none for
// its last tasks destroys these unrun and tells.
TEST_P(pool_threads, that_cannot_be_had_are_reported) {
    const auto without_threads = [](auto&& test) {
        if (::getuid() == 0 && ::setresuid(65534, 65534, 65534) != 0) { // The limit is not root's.
            ::_exit(77);
        }
        const rlimit none{0, 0};
        if (::setrlimit(RLIMIT_NPROC, &none) != 0) {
            ::_exit(77);
        }
        ::_exit(test() ? 0 : 1);
    };
    const auto refused = [](auto&& call) {
        try {
            call();
        } catch (const std::system_error& error) {
            return error.code() == std::errc::resource_unavailable_try_again &&
                   std::string_view(error.what()).starts_with("start thread '");
        }
        return false;
    };
    testing::FLAGS_gtest_death_test_style =
        "fast"; // No thread runs here, and emulators do not start programs.
    EXPECT_EXIT(without_threads([&] { return refused([] { make_pool({.threads = 3}); }); }),
                testing::ExitedWithCode(0), "");
    EXPECT_EXIT(without_threads([&] { return refused([] { regatta::timer_scheduler timers; }); }),
                testing::ExitedWithCode(0), "");
    // shared_pool() of an algorithm: "the first use throws what the constructor of a pool throws".
    EXPECT_EXIT(without_threads([&] {
                    std::vector<int> numbers(5000);
                    std::iota(numbers.rbegin(), numbers.rend(), 0);
                    return refused(
                        [&] { regatta::parallel_stable_sort(numbers.begin(), numbers.end()); });
                }),
                testing::ExitedWithCode(0), "");
    if (makes<regatta::dynamic_pool>()) {
        const auto last_tasks = [&] {
            std::atomic<int> told{0};
            regatta::future<void> future;
            std::optional<regatta::dynamic_pool> pool;
            pool.emplace(regatta::pool_options{
                .threads = 1, .on_error = [&](const std::exception_ptr&) { ++told; }});
            pool->resize(0);
            pool->wait_for_threads();
            future = pool->submit([] {});
            without_threads([&] {
                bool right = refused([&] { pool->add_threads(2); });
                right = right && pool->expected_threads() == 0;
                pool.reset();
                right = right && told.load() == 1 && future.ready();
                try {
                    future.get();
                    return false;
                } catch (const regatta::task_cancelled&) {
                    return right;
                }
            });
        };
        EXPECT_EXIT(last_tasks(), testing::ExitedWithCode(0), "");
    }
}
#endif
#endif

// "0: as many as `cpus` has, without those as `pin` has".
TEST_P(pool_threads, are_as_many_as_the_pin_has) {
    if (!library_test::can_pin()) {
        GTEST_SKIP() << "this system pins no threads";
    }
    auto [pool] = make_pool({.pin = cpu_set{*regatta::affinity_of_this_thread().begin()}});
    EXPECT_EQ(pool.threads(), 1u);
}
