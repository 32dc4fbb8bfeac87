// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// What a process pool does while its parent has no memory.

#include "counting_new.hpp"
#include "support/eventually.hpp"
#include "support/pool_functions.hpp"

#include <regatta/process/process_job.hpp>
#include <regatta/process/process_pool.hpp>

#include <gtest/gtest.h>

#include <signal.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <new>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace lack_calls {

/// Longer than what a string holds without memory of its own.
constexpr const char* long_text = "an exception whose text is too long for a small string";

bool is_open(int& door) {
    return std::atomic_ref(door).load() != 0;
}
void throw_behind(std::span<int> door) {
    library_test::await([&] { return is_open(door[0]); });
    throw std::runtime_error(long_text);
}
void die_behind(std::span<int> door) {
    library_test::await([&] { return is_open(door[0]); });
    ::raise(SIGKILL);
}
int twice(int x) {
    return 2 * x;
}
int throw_always(int) {
    throw std::runtime_error(long_text);
}
int wait_behind(int x, std::span<int> door) {
    library_test::await([&] { return is_open(door[0]); });
    return x;
}

} // namespace lack_calls

using pool_test::process_pool;
using namespace lack_calls;

namespace {

using library_test::allocations;
using library_test::allocations_left;

void open(std::span<int> door) {
    std::atomic_ref(door[0]).store(1);
}

/// Opens the door, and has no memory until some thread has wanted some.
void open_without_memory(std::span<int> door) {
    const long before = allocations.load();
    allocations_left = 0;
    open(door);
    library_test::await([&] { return allocations.load() != before; });
    allocations_left = -1;
}

/// Calls `f` with memory for nothing, then for one more thing each time, until that is enough.
template<class F>
void with_ever_more_memory(F&& f) {
    for (long enough = 0; enough < 100; ++enough) {
        try {
            allocations_left = enough;
            f();
            allocations_left = -1;
            return;
        } catch (const std::bad_alloc&) {
            allocations_left = -1;
        }
    }
    FAIL() << "100 allocations are too few";
}

/// A pool with as many jobs as can be at work at once. If `opened`, all have ended, and nobody has
/// waited for one.
struct full_pool {
    explicit full_pool(bool opened)
        : door(pool.allocate<int>(1))
        , from(pool.allocate_input<int>(1))
        , to(pool.allocate<int>(1)) {
        for (int i = 0; i < 64; ++i) {
            jobs.push_back(pool.map<wait_behind>(from, to, 1, door));
        }
        if (opened) {
            open(door);
            for (const regatta::process_job& job : jobs) {
                library_test::await([&] { return job.progress() == 1; });
            }
        }
    }
    regatta::process_pool pool{1};
    std::span<int> door;
    std::span<int> from;
    std::span<int> to;
    std::vector<regatta::process_job> jobs;
};

} // namespace

// "Where the parent has no memory for a report, its threads try again."
TEST_F(process_pool, reports_an_exception_after_a_lack_of_memory) {
    regatta::process_pool pool(1);
    const auto door = pool.allocate<int>(1);
    auto failed = pool.submit<throw_behind>(door);
    open_without_memory(door);
    try {
        failed.get();
        ADD_FAILURE() << "nothing was thrown";
    } catch (const regatta::remote_error& error) {
        EXPECT_EQ(error.failure().text, long_text);
    }
    EXPECT_EQ(pool.stats().errors, 1u);
}

TEST_F(process_pool, reports_and_replaces_a_dead_worker_after_a_lack_of_memory) {
    regatta::process_pool pool({.workers = 1, .attempts = 1});
    const auto door = pool.allocate<int>(1);
    auto failed = pool.submit<die_behind>(door);
    open_without_memory(door);
    try {
        failed.get();
        ADD_FAILURE() << "nothing was thrown";
    } catch (const regatta::task_failed& error) {
        EXPECT_EQ(error.failure().signal, SIGKILL);
    }
    EXPECT_EQ(pool.stats().deaths, 1u);
    EXPECT_EQ(pool.stats().poisoned, 1u);
    EXPECT_EQ(pool.submit<twice>(21).get(), 42);
}

// The same where the worker was waited for by something else: the kernel, if SIGCHLD is ignored.
TEST_F(process_pool, replaces_a_worker_whose_end_is_lost_after_a_lack_of_memory) {
    const auto before = ::signal(SIGCHLD, SIG_IGN);
    for (long left = 0; left < 8; ++left) {
        regatta::process_pool pool({.workers = 1, .attempts = 1});
        const auto door = pool.allocate<int>(1);
        auto failed = pool.submit<die_behind>(door);
        const long had = allocations.load() + left;
        allocations_left = left;
        open(door);
        library_test::await([&] { return allocations.load() > had || pool.stats().deaths == 1; });
        allocations_left = -1;
        EXPECT_THROW(failed.get(), regatta::task_failed);
        EXPECT_EQ(pool.submit<twice>(21).get(), 42);
    }
    ::signal(SIGCHLD, before);
}

// "A wait that finds no memory can be repeated."
TEST_F(process_pool, a_wait_without_memory_counts_no_failure_twice) {
    constexpr std::size_t tasks = 5;
    for (int round = 0; round < 10; ++round) {
        regatta::process_pool pool(1);
        const auto from = pool.allocate_input<int>(tasks);
        const auto job = pool.map<throw_always>(from, pool.allocate<int>(tasks));
        library_test::await([&] { return job.progress() == tasks; });
        with_ever_more_memory([&] { job.wait(); });
        const auto failures = job.failures();
        EXPECT_EQ(failures.size(), tasks);
        for (std::size_t i = 0; i < failures.size(); ++i) {
            EXPECT_EQ(failures[i].task, i);
            EXPECT_EQ(failures[i].text, long_text);
        }
        EXPECT_EQ(pool.stats().errors, tasks);
    }
}

// "A call that finds no memory has begun nothing." The fixture: it leaves no descriptor, either.
TEST_F(process_pool, a_call_that_finds_no_memory_begins_nothing) {
    for (int round = 0; round < 10; ++round) {
        full_pool full(true);
        std::optional<regatta::process_job> last;
        with_ever_more_memory(
            [&] { last = full.pool.map<wait_behind>(full.from, full.to, 1, full.door); });
        last->wait();
        EXPECT_EQ(full.pool.stats().submitted, 65u);
        int answer = 0;
        with_ever_more_memory([&] { answer = full.pool.submit<twice>(21).get(); });
        EXPECT_EQ(answer, 42);
        full.pool.wait();
        EXPECT_EQ(full.pool.stats().errors, 0u);
    }
}

TEST_F(process_pool, a_job_that_could_not_be_cancelled_for_want_of_memory_can_be) {
    full_pool full(false);
    const auto elements = full.pool.allocate<int>(3);
    const auto waiting =
        full.pool.map<wait_behind>(full.pool.allocate_input<int>(3), elements, 3, full.door);
    std::size_t cancelled = 0;
    with_ever_more_memory([&] { cancelled = waiting.cancel(); });
    EXPECT_EQ(cancelled, 3u);
    EXPECT_TRUE(waiting.wait_for(library_test::patience()));
    EXPECT_EQ(waiting.failures().size(), 3u);
    EXPECT_EQ(full.pool.stats().cancelled, 3u);
    open(full.door);
}
