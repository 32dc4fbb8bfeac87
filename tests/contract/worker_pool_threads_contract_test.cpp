// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// What the doc comment of worker_pool promises of its threads: how many there are, their numbers,
// names and CPUs; each test quotes the sentence that it checks.

#include "messages.hpp"
#include "support/door.hpp"
#include "support/this_thread.hpp"

#include <regatta/base/config.hpp>
#include <regatta/cpu/affinity.hpp>
#include <regatta/cpu/available_cpus.hpp>
#include <regatta/cpu/detail/configured_cpus.hpp>
#include <regatta/cpu/shared_cpus.hpp>
#include <regatta/message/worker_pool.hpp>

#include <gtest/gtest.h>

#if REGATTA_LINUX
#include <sched.h>
#endif

#include <atomic>
#include <cerrno>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <system_error>
#include <vector>

namespace {

using library_test::door;
using library_test::row;
using regatta::cpu_set;

using pool_type = regatta::worker_pool<row>;

/// What the three workers of a pool are told to be their numbers. Make it before the pool starts.
class three_numbers {
public:
    explicit three_numbers(pool_type& pool) : pool_(pool) {
        pool.on<row>([this](row&, unsigned worker) {
            {
                const std::lock_guard lock(guard_);
                numbers_.insert(worker);
            }
            all_.pass();
        });
    }

    /// Has each worker handle a message at the same time.
    std::set<unsigned> seen() {
        for (int i = 0; i < 3; ++i) {
            pool_.submit(row{i});
        }
        all_.await_inside(3);
        all_.open();
        pool_.drain();
        return numbers_;
    }

private:
    pool_type& pool_;
    std::mutex guard_;
    std::set<unsigned> numbers_;
    door all_;
};

} // namespace

// "0: … `available_cpus()` workers without it."
TEST(worker_pool, has_as_many_workers_as_cpus_by_default) {
    pool_type pool;
    EXPECT_GE(pool.capacity(), 1024u);
    pool.on<row>([](row&) {}).start();
    EXPECT_EQ(pool.threads(), regatta::available_cpus());
}

// "the second being the number of the worker, from 0".
TEST(worker_pool, tells_the_handler_its_worker) {
    pool_type pool({.threads = 3});
    three_numbers told(pool);
    pool.start();
    EXPECT_EQ(told.seen(), (std::set<unsigned>{0, 1, 2}));
}

#if REGATTA_LINUX
// "Scheduling class and priority of the workers."
TEST(worker_pool, schedules_its_workers) {
    std::atomic<int> as_asked{0};
    pool_type pool({.threads = 2, .schedule = {regatta::scheduling_policy::batch, 5}});
    pool.on<row>([&](row&) { as_asked += ::sched_getscheduler(0) == SCHED_BATCH ? 1 : 0; });
    pool.start();
    pool.submit(row{});
    pool.drain();
    EXPECT_EQ(as_asked.load(), 1);
}
#endif

// "Worker i is named "name/i"; Linux shows 15 bytes, and cuts a longer name before the '/'."
TEST(worker_pool, names_its_workers) {
    for (const std::string name : {"rows", "a-name-of-many-letters"}) {
        std::mutex guard;
        std::set<std::string> names;
        door all;
        pool_type pool({.threads = 2, .name = name});
        pool.on<row>([&](row&) {
            {
                const std::lock_guard lock(guard);
                names.insert(library_test::name_of_this_thread());
            }
            all.pass();
        });
        pool.start();
        pool.submit(row{});
        pool.submit(row{});
        all.await_inside(2);
        all.open();
        pool.drain();
        EXPECT_EQ(names, (std::set<std::string>{library_test::shown_name(name, "/0"),
                                                library_test::shown_name(name, "/1")}));
    }
}

// "Worker i is pinned to the i-th CPU of the set, modulo their number."
TEST(worker_pool, pins_its_workers) {
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
    door all;
    pool_type pool({.threads = 3, .pin = cpu_set{cpus[0], cpus[1]}});
    pool.on<row>([&](row&, unsigned worker) {
        {
            const std::lock_guard lock(guard);
            EXPECT_EQ(regatta::try_affinity_of_this_thread(seen[worker]), 0);
        }
        all.pass();
    });
    pool.start();
    for (int i = 0; i < 3; ++i) {
        pool.submit(row{});
    }
    all.await_inside(3);
    all.open();
    pool.drain();
    EXPECT_EQ(seen, (std::vector<cpu_set>{{cpus[0]}, {cpus[1]}, {cpus[0]}}));
    cpu_set after;
    EXPECT_EQ(regatta::try_affinity_of_this_thread(after), 0);
    EXPECT_EQ(after, mine);
}

#if REGATTA_EXCEPTIONS

// "Throws `std::system_error` if a thread cannot be created or pinned; then no worker runs."
TEST(worker_pool, a_pin_is_not_supported_everywhere) {
    if (library_test::can_pin()) {
        GTEST_SKIP() << "this system pins threads";
    }
    pool_type pool({.threads = 2, .pin = cpu_set{0}});
    pool.on<row>([](row&) {});
    try {
        pool.start();
        ADD_FAILURE() << "started on CPU 0";
    } catch (const std::system_error& error) {
        EXPECT_EQ(error.code(), std::errc::not_supported);
        EXPECT_NE(std::string(error.what()).find("not supported on this system"), std::string::npos)
            << error.what();
    }
    EXPECT_EQ(pool.threads(), 0u);
}

// The same where a pin is refused.
TEST(worker_pool, a_start_that_fails_can_be_repeated) {
    if (!library_test::can_pin()) {
        GTEST_SKIP() << "this system pins no threads";
    }
    cpu_set mine;
    ASSERT_EQ(regatta::try_affinity_of_this_thread(mine), 0);
    const unsigned absent = regatta::detail::configured_cpus() + 7;
    std::atomic<int> calls{0};
    pool_type pool({.threads = 4, .pin = cpu_set{*mine.begin(), absent}});
    pool.on<row>([&](row&) { ++calls; });
    EXPECT_TRUE(pool.submit(row{}));
    for (int i = 0; i < 5; ++i) {
        try {
            pool.start();
            ADD_FAILURE() << "started on CPU " << absent;
        } catch (const std::system_error& error) {
            EXPECT_EQ(error.code().value(), EINVAL);
            EXPECT_NE(std::string(error.what()).find(std::to_string(absent)), std::string::npos)
                << error.what();
        }
        EXPECT_EQ(pool.threads(), 0u);
        EXPECT_EQ(calls.load(), 0);
    }
    pool.close(); // And a pool that never came to start can be closed.
    EXPECT_EQ(calls.load(), 0);
}

// "the number of the worker, from 0": also after a start that failed when some workers were there.
TEST(worker_pool, counts_its_workers_from_0_after_a_start_that_failed) {
    class cpus_full_at_first final : public regatta::cpu_holder {
    public:
        int try_enter() noexcept override { return ++entered_ == 2 ? EBUSY : 0; }
        unsigned count() const noexcept override { return 3; }

    private:
        std::atomic<int> entered_{0};
    };
    pool_type pool(
        {.threads = 3, .cpus = regatta::shared_cpus(std::make_shared<cpus_full_at_first>())});
    three_numbers told(pool);
    EXPECT_THROW(pool.start(), std::system_error);
    EXPECT_EQ(pool.threads(), 0u);
    pool.start();
    EXPECT_EQ(told.seen(), (std::set<unsigned>{0, 1, 2}));
}

#endif
