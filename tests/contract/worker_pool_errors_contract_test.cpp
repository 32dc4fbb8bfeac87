// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// What the doc comment of worker_pool promises of errors and of its end; each test quotes the
// sentence that it checks. worker_pool_waiting_contract_test.cpp has what else ends.

#include "messages.hpp"
#include "support/counted.hpp"
#include "support/threads.hpp"

#include <regatta/base/config.hpp>
#include <regatta/message/worker_pool.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

namespace {

using library_test::await;
using library_test::counted;
using library_test::row;
using library_test::text;
using regatta::admission_class;

using pool_type = regatta::worker_pool<row>;

} // namespace

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

#if REGATTA_EXCEPTIONS

// "An exception of a handler … goes to `worker_pool_options::on_error` and is counted; the worker
// continues."
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

// "At 32 such waits within each other it throws": messages that make more than the ring holds.
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

// `close`: "a second call does nothing; in what these then run it returns at once". What else would
// wait for the task that calls is refused.
TEST(worker_pool, what_is_destroyed_unhandled_may_close_the_pool) {
    const library_test::time_limit limit("a dropped task that closes its pool");
    pool_type pool({.threads = 1});
    pool.on<row>([](row&) {});
    int told = 0;
    auto at_end = [&](int*) {
        pool.close();
        EXPECT_THROW(pool.start(), std::logic_error);
        for (const bool drains : {false, true}) {
            try {
                drains ? pool.drain() : pool.wait();
            } catch (const std::system_error& e) {
                told += e.code() == std::errc::resource_deadlock_would_occur ? 1 : 0;
            }
        }
    };
    int owned = 0;
    pool.execute([end = std::unique_ptr<int, decltype(at_end)>(&owned, at_end)] {});
    pool.submit(row{});
    pool.close();
    EXPECT_EQ(told, 2);
    EXPECT_FALSE(pool.submit(row{}));
}

// "Throws `std::logic_error` if a message type has no handler, or if the pool was started or closed
// before" and what else is misuse.
TEST(worker_pool, misuse_is_refused_with_a_reason) {
    EXPECT_THROW(pool_type({.admission = {.high = 101}}), std::invalid_argument);
    EXPECT_THROW(pool_type({.capacity = std::numeric_limits<std::size_t>::max()}),
                 std::invalid_argument);
    regatta::worker_pool<row, text> pool({.threads = 1, .admission = {.low = 0}});
    pool.on<row>([](row&) {});
    EXPECT_THROW(pool.start(), std::logic_error);
    EXPECT_EQ(pool.threads(), 0u);
    pool.on<text>([](text&) {});
    EXPECT_THROW(pool.submit(row{}, admission_class::low), std::invalid_argument);
    EXPECT_FALSE(pool.try_submit(row{}, admission_class::low));
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
    pool_type never({.threads = 1});
    never.on<row>([](row&) {});
    never.close();
    EXPECT_THROW(never.start(), std::logic_error);
    EXPECT_EQ(never.threads(), 0u);
}

#endif
