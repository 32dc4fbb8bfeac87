// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "schemes/item_tasks.hpp"
#include "schemes/mutex_queue_pool.hpp"
#include "schemes/run_log.hpp"
#include "schemes/scheme.hpp"
#include "schemes/thread_runner.hpp"
#include "schemes/unfinished_tasks.hpp"
#include "schemes/worker_threads.hpp"
#include "workloads/counted.hpp"
#include "workloads/matmul.hpp"

#include "support/eventually.hpp"

#include <regatta/base/config.hpp>
#include <regatta/process/shared_memory.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <set>
#include <thread>
#include <vector>

using namespace regatta::race;
using testing::AllOf;
using testing::HasSubstr;

TEST(registry, lists_each_scheme_once_with_its_words) {
    std::set<std::string_view> names;
    for (const scheme_info& info : schemes()) {
        EXPECT_TRUE(names.insert(info.name).second) << info.name << " is listed twice";
        EXPECT_FALSE(info.summary.empty()) << info.name;
        EXPECT_FALSE(info.suits.empty()) << info.name;
        EXPECT_EQ(find_scheme(info.name), &info);
    }
    EXPECT_GT(names.size(), 30u) << "the list in race/schemes/CMakeLists.txt lost some";
    EXPECT_EQ(find_scheme("tbbb"), nullptr);
    EXPECT_EQ(find_scheme("regatta"), find_scheme("balanced"));
    EXPECT_EQ(find_scheme(""), nullptr);
}

TEST(registry, has_one_reference_and_one_usual_baseline) {
    EXPECT_EQ(std::ranges::count_if(schemes(),
                                    [](const scheme_info& one) { return one.traits.reference; }),
              1);
    EXPECT_EQ(std::ranges::count_if(
                  schemes(), [](const scheme_info& one) { return one.traits.usual_baseline; }),
              1);
    EXPECT_TRUE(usual_baseline().traits.usual_baseline);
    EXPECT_TRUE(traits_of("serial").reference);
    EXPECT_FALSE(traits_of("a scheme of another version").reference);
}

// "Whether it takes part only where it is asked for by name": each of them starts Python anew.
TEST(registry, only_schemes_in_python_have_to_be_asked_for) {
    for (const scheme_info& info : schemes()) {
        EXPECT_EQ(info.on_request, info.traits.language == language::python) << info.name;
    }
}

// With `--reuse` schemes that are alike are measured alike: after their first job, or anew.
TEST(registry, threads_that_fork_are_ready_for_another_job) {
    for (const scheme_info& info : schemes()) {
        EXPECT_TRUE(info.reusable || !info.forks || info.traits.reference) << info.name;
    }
}

TEST(registry, an_absent_peer_names_its_package) {
    const scheme_info entry = absent_scheme({.name = "tbb", .summary = "a loop", .suits = "loops"},
                                            "oneTBB", "libtbb-dev");
    EXPECT_EQ(entry.name, "tbb");
    EXPECT_EQ(entry.summary, "a loop");
    EXPECT_EQ(entry.suits, "loops");
    EXPECT_EQ(entry.version(), "");
    const auto work = make_matmul({.size = 64});
    EXPECT_THAT(entry.missing(*work), AllOf(HasSubstr("oneTBB"), HasSubstr("libtbb-dev")));
    EXPECT_THROW(entry.make({}), scheme_failure);
}

TEST(registry, who_cannot_spawn_says_so_where_items_do) {
    const auto within = make_within({.size = 100});
    const auto empty = make_empty({.size = 100});
    EXPECT_THAT(find_scheme("std_thread")->missing(*within), HasSubstr("within"));
    EXPECT_EQ(find_scheme("std_thread")->missing(*empty), "");
    EXPECT_EQ(find_scheme("serial")->missing(*within), "");
}

TEST(registry, a_chunk_of_nothing_is_refused) {
    const auto work = make_matmul({.size = 64});
    for (const char* name : {"steady_batch", "zmq_inproc_chunk"}) {
        const scheme_info* info = find_scheme(name);
        if (info->missing(*work).empty()) {
            EXPECT_THROW(info->make({.workers = 1, .chunk = 0}), std::invalid_argument) << name;
        }
    }
}

TEST(run_as_worker, leaves_an_ordinary_command_line_alone) {
    char program[] = "regatta";
    char word[] = "race";
    char* arguments[] = {program, word, nullptr};
    EXPECT_EQ(run_as_worker(1, arguments), std::nullopt);
    EXPECT_EQ(run_as_worker(2, arguments), std::nullopt);
}

TEST(run_as_worker, refuses_what_no_race_would_start) {
    char program[] = "regatta";
    char flag[] = "--regatta-worker";
    char scheme[] = "serial";
    char work[] = "matmul";
    char* arguments[] = {program, flag, scheme, work, nullptr};
    EXPECT_EQ(run_as_worker(2, arguments), 2);
    EXPECT_EQ(run_as_worker(4, arguments), 2);
}

// "New memory is all zeros, which is an empty log."
TEST(run_log, begins_in_new_memory_as_an_empty_one) {
    const auto memory =
        regatta::shared_memory::anonymous("test-log", sizeof(run_log), run_log_layout);
    run_log& log = log_in(memory);
    const auto empty = std::make_unique<run_log>();
    EXPECT_EQ(std::memcmp(&log, empty.get(), sizeof(run_log)), 0);
}

// "Gives each thread that asks its own item_runner for one run."
TEST(thread_runners, each_thread_has_one_slot_in_each_run) {
    constexpr unsigned threads = 4;
    const auto work = make_matmul({.size = 64});
    auto first_log = std::make_unique<run_log>();
    auto second_log = std::make_unique<run_log>();
    thread_runners first(*work, *first_log);
    {
        std::vector<std::jthread> all;
        for (unsigned t = 0; t < threads; ++t) {
            all.emplace_back([&, t] {
                for (std::size_t item = t; item < work->items(); item += threads) {
                    first(item);
                }
                // A thread goes on to another run, as those of a library do.
                thread_runners second(*work, *second_log);
                second(t);
                second(t + threads);
            });
        }
    }
    EXPECT_EQ(first_log->seen.load(), threads);
    EXPECT_EQ(second_log->seen.load(), threads);
    for (unsigned t = 0; t < threads; ++t) {
        EXPECT_EQ(first_log->workers[t].items, work->items() / threads);
        EXPECT_EQ(second_log->workers[t].items, 2u);
    }
    EXPECT_TRUE(work->verify().ok);
}

// "How a scheme knows that all tasks are done where the pool does not say."
TEST(unfinished_tasks, waits_for_all_that_were_added_also_by_tasks) {
    for (int round = 0; round < 200; ++round) {
        unfinished_tasks count;
        std::atomic<int> done{0};
        count.add(2);
        const auto task = [&] {
            done.fetch_add(1);
            count.done();
        };
        const std::jthread one([&] {
            count.add(1); // as a task that spawns another
            task();
            task();
        });
        const std::jthread other(task);
        count.wait();
        EXPECT_EQ(done.load(), 3);
    }
}

TEST(in_waves, hands_out_each_item_once_in_order_until_told_to_stop) {
    const auto work = make_empty({.size = 2 * wave_items + 7});
    const auto log = std::make_unique<run_log>();
    run_context context{*work, *log, -1, 1};
    std::size_t next = 0;
    in_waves(context, [&](std::size_t first, std::size_t last) {
        EXPECT_EQ(first, next);
        EXPECT_LE(last - first, wave_items);
        next = last;
    });
    EXPECT_EQ(next, work->items());
    int waves = 0;
    in_waves(context, [&](std::size_t, std::size_t) {
        ++waves;
        log->stop.store(1);
    });
    EXPECT_EQ(waves, 1);
}

// "Items that are offered at a rate are one wave: the end of another would hold up the producer."
TEST(in_waves, at_a_rate_there_is_one) {
    const auto work = make_empty({.size = 2 * wave_items + 7});
    const auto log = std::make_unique<run_log>();
    log->offered.set_rate(1e9, item_source::producer);
    run_context context{*work, *log, -1, 1};
    int waves = 0;
    in_waves(context, [&](std::size_t first, std::size_t last) {
        ++waves;
        EXPECT_EQ(last - first, work->items());
    });
    EXPECT_EQ(waves, 1);
}

// "Failure: `scheme_failure` if it starts fewer": the limit is read when the program starts.
TEST(openmp, a_team_that_is_too_small_is_refused) {
    const auto work = make_empty({.size = 100});
    const scheme_info& info = *find_scheme("openmp_static");
    if (const std::string reason = info.missing(*work); !reason.empty()) {
        GTEST_SKIP() << reason;
    }
    if (REGATTA_THREAD_SANITIZER != 0) {
        GTEST_SKIP() << "not built for the thread sanitizer";
    }
    const auto prepare = [&] {
        const auto log = std::make_unique<run_log>();
        run_context context{*work, *log, -1, 3};
        try {
            info.make({.workers = 3})->prepare(context);
        } catch (const scheme_failure& failure) {
            std::fputs(failure.what(), stderr);
            std::_Exit(0);
        }
        std::_Exit(1);
    };
    ::setenv("OMP_THREAD_LIMIT", "2", 1);
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    EXPECT_EXIT(prepare(), testing::ExitedWithCode(0), "OpenMP gave 2 of 3 threads");
    ::unsetenv("OMP_THREAD_LIMIT");
}

// "Blocks until few are left", whatever is added meanwhile.
TEST(unfinished_tasks, waits_for_few) {
    for (int round = 0; round < 200; ++round) {
        unfinished_tasks count(2);
        count.add(4);
        const std::jthread other([&] {
            count.done();
            count.add(1);
            count.done();
            count.done();
        });
        const library_test::time_limit limit("few tasks");
        count.wait_for_few();
    }
}

// "a wave ends where a chunk does"
TEST(in_waves, end_where_a_chunk_does) {
    const auto work = make_empty({.size = 2 * wave_items + 7});
    const auto log = std::make_unique<run_log>();
    run_context context{*work, *log, -1, 1};
    for (const std::size_t chunk : {std::size_t{5}, wave_items + 1, std::size_t{1} << 63}) {
        SCOPED_TRACE(chunk);
        std::size_t next = 0;
        const auto wave = [&](std::size_t first, std::size_t last) {
            EXPECT_EQ(first, next);
            EXPECT_EQ(first % chunk, 0u);
            next = last;
        };
        in_waves(context, wave, chunk);
        EXPECT_EQ(next, work->items());
    }
}

TEST(mutex_queue_pool, runs_what_is_queued_before_it_ends) {
    std::atomic<int> ran{0};
    {
        mutex_queue_pool pool(3);
        pool.wait(); // nothing to wait for
        for (int i = 0; i < 100; ++i) {
            pool.post([&] {
                pool.post([&] { ++ran; });
                ++ran;
            });
        }
        pool.wait();
        EXPECT_EQ(ran.load(), 200);
        pool.post([&] { ++ran; });
    }
    EXPECT_EQ(ran.load(), 201);
}

TEST(worker_threads, joins_all_that_it_started) {
    std::atomic<int> sum{0};
    {
        worker_threads team;
        for (int i = 0; i < 5; ++i) {
            team.start([&sum](std::size_t index) { sum += static_cast<int>(index); });
        }
    }
    EXPECT_EQ(sum.load(), 0 + 1 + 2 + 3 + 4);
}
