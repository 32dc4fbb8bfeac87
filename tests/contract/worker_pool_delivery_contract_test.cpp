// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// What the doc comment of worker_pool promises of messages: which are let in, who handles them and
// in what order; each test quotes the sentence that it checks.

#include "messages.hpp"

#include <regatta/message/worker_pool.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace {

using library_test::row;
using library_test::text;
using regatta::admission_class;

using pool_type = regatta::worker_pool<row>;

} // namespace

// "a pool of threads that handle typed messages"
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
        EXPECT_TRUE(pool.submit(text{"ab"}, admission_class::high));
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

// "workers take messages in the order of submission".
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

// "Messages and tasks that the pool accepted before this one." "From the message's entry into the
// queue to the call of the handler. Zero for a message submitted before the first handler with a
// context was set."
TEST(worker_pool, tells_the_handler_a_message_s_number_and_wait) {
    using std::chrono::nanoseconds;
    using clock = std::chrono::steady_clock;
    std::vector<std::uint64_t> numbers;
    std::vector<nanoseconds> waits;
    regatta::worker_pool<row, text> pool({.threads = 1, .capacity = 4});
    pool.on<text>([](text&) {});
    EXPECT_TRUE(pool.submit(row{}));
    pool.on<row>([&](row&, const regatta::message_context& c) {
        numbers.push_back(c.sequence);
        waits.push_back(c.waited);
    });
    EXPECT_TRUE(pool.submit(text{}));
    pool.execute([] {});
    const auto before = clock::now();
    EXPECT_TRUE(pool.submit(row{}));
    pool.start();
    pool.wait();
    const nanoseconds whole = clock::now() - before;
    EXPECT_EQ(numbers, (std::vector<std::uint64_t>{0, 3}));
    ASSERT_EQ(waits.size(), 2u);
    EXPECT_EQ(waits[0], nanoseconds(0));
    EXPECT_GT(waits[1], nanoseconds(0));
    EXPECT_LE(waits[1], whole);
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
    EXPECT_TRUE(pool.submit(std::make_unique<int>(3), admission_class::low));
    EXPECT_TRUE(pool.try_submit(std::make_unique<int>(4), admission_class::low));
    pool.drain();
    EXPECT_EQ(sum.load(), 50);
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

// "every member from any thread, handlers included": no handler runs under a lock.
TEST(worker_pool, a_handler_may_call_what_is_allowed_there) {
    std::atomic<int> texts{0};
    regatta::worker_pool<row, text> pool({.threads = 2});
    pool.on<text>([&](text&) { ++texts; });
    pool.on<row>([&](row&) {
        EXPECT_TRUE(pool.submit(text{}));
        EXPECT_TRUE(pool.submit(text{}, admission_class::low));
        EXPECT_TRUE(pool.try_submit(text{}));
        EXPECT_TRUE(pool.try_submit(text{}, admission_class::high));
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

// "a refused message is unchanged"
TEST(worker_pool, a_refused_message_stays_with_the_caller) {
    using owned = std::unique_ptr<int>;
    regatta::worker_pool<owned> pool({.capacity = 2});
    EXPECT_TRUE(pool.try_submit(std::make_unique<int>(1)));
    EXPECT_TRUE(pool.try_submit(std::make_unique<int>(2)));
    auto kept = std::make_unique<int>(7);
    EXPECT_FALSE(pool.try_submit(std::move(kept)));
    EXPECT_FALSE(pool.try_submit(std::move(kept), admission_class::low));
    ASSERT_NE(kept, nullptr); // NOLINT: this is the point
    EXPECT_EQ(*kept, 7);
}
