// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// What the doc comment of worker_pool promises; each test quotes the sentence that it checks.
// worker_pool_waiting_contract_test.cpp has what waits, wakes and ends.

#include "../unit/counted.hpp"
#include "../unit/this_thread.hpp"
#include "threads.hpp"

#include <regatta/base/config.hpp>
#include <regatta/bus/worker_pool.hpp>
#include <regatta/cpu/configured_cpus.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace {

using library_test::await;
using library_test::counted;
using regatta::cpu_set;
using regatta::priority;

struct row {
    int index = 0;
};
struct text {
    std::string line;
};
using pool_type = regatta::worker_pool<row>;

/// Keeps handlers inside until it is opened.
class barrier {
public:
    void pass() {
        ++inside_;
        await([this] { return open_.load(); });
    }
    void await_inside(int count) {
        await([&] { return inside_.load() >= count; });
    }
    void open() { open_ = true; }

private:
    std::atomic<int> inside_{0};
    std::atomic<bool> open_{false};
};

} // namespace

// "A pool of threads that take messages from one bounded ring and handle them by their type."
TEST(worker_pool, handles_every_message_by_its_type) {
    std::atomic<int> sum{0};
    std::atomic<int> letters{0};
    regatta::worker_pool<row, text> pool({.threads = 3});
    pool.on<row>([&](row& r) { sum += r.index; }).on<text>([&](const text& t) {
        letters += static_cast<int>(t.line.size());
    });
    EXPECT_EQ(pool.threads(), 0u);
    EXPECT_TRUE(pool.stats().workers.empty());
    pool.start();
    EXPECT_EQ(pool.threads(), 3u);
    for (int i = 1; i <= 100; ++i) {
        EXPECT_TRUE(pool.submit(row{i}));
        EXPECT_TRUE(pool.submit(text{"ab"}, priority::high));
    }
    pool.drain();
    EXPECT_EQ(sum.load(), 5050);
    EXPECT_EQ(letters.load(), 200);
    const auto stats = pool.stats();
    EXPECT_EQ(stats.submitted, 200u);
    EXPECT_EQ(stats.handled, 200u);
    EXPECT_EQ(stats.queued, 0u);
    ASSERT_EQ(stats.workers.size(), 3u);
    EXPECT_EQ(stats.workers[0].handled + stats.workers[1].handled + stats.workers[2].handled, 200u);
}

// Nothing is shared by two pools of one type; a handler of one may wait for the other.
TEST(worker_pool, two_of_one_type_are_independent) {
    std::atomic<int> outer_calls{0};
    std::atomic<int> inner_calls{0};
    pool_type inner({.threads = 1, .capacity = 2});
    inner.on<row>([&](row&) { ++inner_calls; }).start();
    pool_type outer({.threads = 1});
    outer
        .on<row>([&](row&) {
            for (int i = 0; i < 20; ++i) {
                EXPECT_TRUE(inner.submit(row{i}));
            }
            inner.drain();
            inner.pause();
            inner.resume();
            ++outer_calls;
        })
        .start();
    EXPECT_TRUE(outer.submit(row{}));
    outer.drain();
    EXPECT_EQ(outer_calls.load(), 1);
    EXPECT_EQ(inner_calls.load(), 20);
    outer.close();
    EXPECT_TRUE(inner.submit(row{}));
    inner.drain();
    EXPECT_EQ(inner_calls.load(), 21);
}

// "Messages are values": also such as cannot be copied; handlers too.
TEST(worker_pool, takes_messages_and_handlers_that_cannot_be_copied) {
    using owned = std::unique_ptr<int>;
    std::atomic<int> sum{0};
    regatta::worker_pool<owned> pool({.threads = 2});
    pool.on<owned>([&, more = std::make_unique<int>(10)](owned& o) {
        const owned mine = std::move(o);
        sum += *mine + *more;
    });
    pool.start();
    EXPECT_TRUE(pool.submit(std::make_unique<int>(1)));
    EXPECT_TRUE(pool.try_submit(std::make_unique<int>(2)));
    EXPECT_TRUE(pool.submit(std::make_unique<int>(3), priority::low));
    EXPECT_TRUE(pool.try_submit(std::make_unique<int>(4), priority::low));
    pool.drain();
    EXPECT_EQ(sum.load(), 50);
}

// "the second being the number of the worker, from 0".
TEST(worker_pool, tells_the_handler_its_worker) {
    std::mutex guard;
    std::set<unsigned> numbers;
    barrier all;
    pool_type pool({.threads = 3});
    pool.on<row>([&](row&, unsigned worker) {
        {
            const std::lock_guard lock(guard);
            numbers.insert(worker);
        }
        all.pass();
    });
    pool.start();
    for (int i = 0; i < 3; ++i) {
        pool.submit(row{i});
    }
    all.await_inside(3);
    all.open();
    pool.drain();
    EXPECT_EQ(numbers, (std::set<unsigned>{0, 1, 2}));
}

// "Worker i is named "name/i"; Linux shows the first 15 bytes."
TEST(worker_pool, names_its_workers) {
    for (const std::string name : {"rows", "a-name-of-many-letters"}) {
        std::mutex guard;
        std::set<std::string> names;
        barrier all;
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
        constexpr auto most = library_test::longest_thread_name;
        EXPECT_EQ(names, (std::set<std::string>{(name + "/0").substr(0, most),
                                                (name + "/1").substr(0, most)}));
    }
}

// "Worker i is pinned to the i-th CPU of the set, from the start again if there are more workers
// than CPUs."
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
    barrier all;
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

// "Workers; 0: as many as `available_cpus()` says."
TEST(worker_pool, has_as_many_workers_as_cpus_by_default) {
    pool_type pool;
    EXPECT_GE(pool.capacity(), 1024u);
    pool.on<row>([](row&) {}).start();
    EXPECT_EQ(pool.threads(), regatta::available_cpus());
}

// "if fewer messages wait than the priority's admission level": exactly there.
TEST(worker_pool, admits_each_priority_up_to_its_level) {
    pool_type pool({.threads = 1, .capacity = 128});
    int n = 0;
    const auto up_to = [&](auto... p) {
        while (pool.try_submit(row{n}, p...)) {
            ++n;
        }
        return n;
    };
    EXPECT_EQ(up_to(priority::low), 76);     // 60 % of 128 is 76.8
    EXPECT_EQ(up_to(priority::medium), 102); // 80 % is 102.4
    EXPECT_EQ(up_to(priority::low), 102);
    EXPECT_EQ(up_to(priority::high), 126); // 99 % is 126.72
    EXPECT_EQ(up_to(), 128);
    EXPECT_EQ(pool.stats().refused, 5u);
    EXPECT_EQ(pool.stats().queued, 128u);
    std::atomic<int> calls{0};
    pool.on<row>([&](row&) { ++calls; }).start();
    pool.drain();
    EXPECT_EQ(calls.load(), 128);
}

// "messages are taken in the order of their submission".
TEST(worker_pool, one_worker_handles_them_in_order) {
    int next = 0;
    pool_type pool({.threads = 1, .capacity = 8});
    pool.on<row>([&](row& r) { EXPECT_EQ(r.index, next++); }).start();
    for (int i = 0; i < 1000; ++i) {
        pool.submit(row{i});
    }
    pool.close();
    EXPECT_EQ(next, 1000);
}

// "`~worker_pool`: as `close`": whatever state the pool is in.
TEST(worker_pool, is_destroyed_idle_paused_never_started_and_with_messages_waiting) {
    std::atomic<int> alive{0};
    std::atomic<int> calls{0};
    using pool_of = regatta::worker_pool<counted>;
    const auto handler = [&](counted& c) { calls += c.value(); };
    { // idle
        pool_of pool({.threads = 2});
        pool.on<counted>(handler).start();
    }
    { // never started, with messages: "its messages are destroyed unhandled"
        pool_of pool({.threads = 2});
        pool.on<counted>(handler);
        pool.submit(counted(alive, 1));
        EXPECT_EQ(alive.load(), 1);
    }
    EXPECT_EQ(calls.load(), 0);
    { // without a handler
        const pool_of pool;
    }
    { // paused, with messages: "A paused pool goes on for it."
        pool_of pool({.threads = 2});
        pool.on<counted>(handler).start();
        pool.pause();
        for (int i = 0; i < 10; ++i) {
            pool.submit(counted(alive, 1));
        }
        EXPECT_EQ(calls.load(), 0);
    }
    EXPECT_EQ(calls.load(), 10);
    { // at work, with messages
        pool_of pool({.threads = 2});
        pool.on<counted>(handler).start();
        for (int i = 0; i < 1000; ++i) {
            pool.submit(counted(alive, 1));
        }
    }
    EXPECT_EQ(calls.load(), 1010);
    EXPECT_EQ(alive.load(), 0);
}

// "every member from any thread, handlers included": no handler runs under a lock.
TEST(worker_pool, a_handler_may_call_what_is_allowed_there) {
    std::atomic<int> texts{0};
    regatta::worker_pool<row, text> pool({.threads = 2});
    pool.on<text>([&](text&) { ++texts; });
    pool.on<row>([&](row&) {
        EXPECT_TRUE(pool.submit(text{}));
        EXPECT_TRUE(pool.submit(text{}, priority::low));
        EXPECT_TRUE(pool.try_submit(text{}));
        EXPECT_TRUE(pool.try_submit(text{}, priority::high));
        EXPECT_EQ(pool.stats().workers.size(), 2u);
        pool.pause(); // "within a handler it returns at once"
        EXPECT_TRUE(pool.submit(text{}));
        pool.resume();
        EXPECT_EQ(pool.threads(), 2u);
    });
    pool.start();
    for (int i = 0; i < 20; ++i) {
        pool.submit(row{});
    }
    pool.drain(); // Those that handlers submit come later than this waits for.
    pool.close();
    EXPECT_EQ(texts.load(), 100);
}

#if REGATTA_EXCEPTIONS

// "What a handler throws goes to `worker_pool_options::on_error` and is counted; the worker goes
// on."
TEST(worker_pool, exceptions_of_handlers_go_to_the_sink) {
    std::atomic<int> sum{0};
    std::atomic<int> alive{0};
    regatta::worker_pool<counted> pool({.threads = 2, .on_error = [&](std::exception_ptr error) {
                                            try {
                                                std::rethrow_exception(std::move(error));
                                            } catch (const std::runtime_error& e) {
                                                sum += std::stoi(e.what());
                                            }
                                            throw std::logic_error("a sink that fails");
                                        }});
    std::atomic<int> calls{0};
    pool.on<counted>([&](counted& c) {
        if (c.value() % 2 == 1) {
            throw std::runtime_error(std::to_string(c.value()));
        }
        ++calls;
    });
    pool.start();
    for (int i = 0; i < 100; ++i) {
        pool.submit(counted(alive, i));
    }
    pool.drain();
    EXPECT_EQ(sum.load(), 2500);
    EXPECT_EQ(calls.load(), 50);
    EXPECT_EQ(alive.load(), 0);
    EXPECT_EQ(pool.stats().errors, 50u);
    EXPECT_EQ(pool.stats().handled, 100u);
}

// "default: print once to stderr and count".
TEST(worker_pool, without_a_sink_the_first_exception_is_printed) {
    testing::internal::CaptureStderr();
    {
        pool_type pool({.threads = 1});
        pool.on<row>([](row& r) { throw std::runtime_error("row " + std::to_string(r.index)); });
        pool.start();
        pool.submit(row{1});
        pool.submit(row{2});
        pool.drain();
        EXPECT_EQ(pool.stats().errors, 2u);
    }
    const std::string printed = testing::internal::GetCapturedStderr();
    EXPECT_NE(printed.find("row 1"), std::string::npos) << printed;
    EXPECT_EQ(printed.find("row 2"), std::string::npos) << printed;
}

// "A handler that would wait for itself gets `std::system_error`
// (`resource_deadlock_would_occur`)."
TEST(worker_pool, a_handler_that_would_wait_for_itself_is_told) {
    std::atomic<int> told{0};
    pool_type pool({.threads = 2});
    pool.on<row>([&](row&) {
        const auto expect_deadlock = [&](auto&& call) {
            try {
                call();
                ADD_FAILURE() << "returned";
            } catch (const std::system_error& error) {
                EXPECT_EQ(error.code(), std::errc::resource_deadlock_would_occur);
                ++told;
            }
        };
        expect_deadlock([&] { pool.drain(); });
        expect_deadlock([&] { pool.close(); });
        expect_deadlock([&] { pool.start(); });
    });
    pool.start();
    pool.submit(row{});
    pool.drain();
    EXPECT_EQ(told.load(), 3);
}

// "where those wait likewise, 32 deep, it throws": messages that make more than the ring holds.
TEST(worker_pool, handlers_that_flood_the_pool_are_told) {
    std::atomic<int> handled{0};
    std::atomic<int> accepted{0};
    std::atomic<std::uint64_t> deadlocks{0};
    pool_type pool({.threads = 1, .capacity = 2, .on_error = [&](std::exception_ptr error) {
                        try {
                            std::rethrow_exception(std::move(error));
                        } catch (const std::system_error& e) {
                            EXPECT_EQ(e.code(), std::errc::resource_deadlock_would_occur);
                            ++deadlocks;
                        }
                    }});
    pool.on<row>([&](row& r) {
        ++handled;
        for (int i = 0; i < 3 && handled.load() < 20000; ++i) {
            accepted += pool.submit(row{r.index + 1}) ? 1 : 0;
        }
    });
    pool.start();
    pool.submit(row{});
    await([&] {
        pool.drain();
        return handled.load() == accepted.load() + 1;
    });
    EXPECT_GT(deadlocks.load(), 0u);
    EXPECT_EQ(pool.stats().errors, deadlocks.load());
}

// "Throws `std::logic_error` if a message type has no handler or the pool was started or closed
// before" and what else is misuse.
TEST(worker_pool, misuse_is_refused_with_a_reason) {
    EXPECT_THROW(pool_type({.admission = {.high = 101}}), std::invalid_argument);
    regatta::worker_pool<row, text> pool({.threads = 1, .admission = {.low = 0}});
    pool.on<row>([](row&) {});
    EXPECT_THROW(pool.start(), std::logic_error);
    EXPECT_EQ(pool.threads(), 0u);
    pool.on<text>([](text&) {});
    EXPECT_THROW(pool.submit(row{}, priority::low), std::invalid_argument);
    EXPECT_FALSE(pool.try_submit(row{}, priority::low));
    EXPECT_NO_THROW(pool.drain());
    pool.submit(row{});
    EXPECT_THROW(pool.drain(), std::logic_error);
    pool.start();
    EXPECT_THROW(pool.start(), std::logic_error);
    EXPECT_THROW(pool.on<row>([](row&) {}), std::logic_error);
    EXPECT_NO_THROW(pool.drain());
    pool.close();
    EXPECT_NO_THROW(pool.close());
    EXPECT_NO_THROW(pool.drain());
    EXPECT_THROW(pool.start(), std::logic_error);
    EXPECT_THROW(pool.on<row>([](row&) {}), std::logic_error);
}

// "`std::system_error` if a thread cannot be had or not be pinned; then none runs."
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
    const unsigned absent = regatta::configured_cpus() + 7;
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

#endif

// "else it stays as it is with the caller"
TEST(worker_pool, a_refused_message_stays_with_the_caller) {
    using owned = std::unique_ptr<int>;
    regatta::worker_pool<owned> pool({.capacity = 2});
    EXPECT_TRUE(pool.try_submit(std::make_unique<int>(1)));
    EXPECT_TRUE(pool.try_submit(std::make_unique<int>(2)));
    auto kept = std::make_unique<int>(7);
    EXPECT_FALSE(pool.try_submit(std::move(kept)));
    EXPECT_FALSE(pool.try_submit(std::move(kept), priority::low));
    ASSERT_NE(kept, nullptr); // NOLINT: this is the point
    EXPECT_EQ(*kept, 7);
}
