// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// Which messages a worker_pool admits while room is short: all that is told of admission classes.

#include "messages.hpp"
#include "support/door.hpp"
#include "support/observed_thread.hpp"
#include "support/threads.hpp"

#include <regatta/message/worker_pool.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace {

using library_test::await;
using library_test::door;
using library_test::observed_thread;
using library_test::row;
using library_test::text;
using regatta::admission_class;
using rows_and_texts = regatta::worker_pool<row, text>;

/// Of 8 messages: up to 4, 6 and 8.
constexpr regatta::admission_levels levels{.low = 50, .medium = 75, .high = 100};

/// A thread that submits a message and waits for room.
class waiting_producer {
public:
    waiting_producer(rows_and_texts& pool, admission_class c)
        : thread_([this, &pool, c] {
            observed_.announce();
            EXPECT_TRUE(pool.submit(row{-1}, c));
            entered_ = true;
        }) {}

    /// Whether it is still outside after it has looked for room a few times more, by itself.
    bool stays_outside() {
        const auto rests = [this] { return entered_ || observed_.sleeps(); };
        await(rests);
        for (int looks = 0; looks < 3 && !entered_; ++looks) {
            const auto used = observed_.cpu_time();
            await([&] { return entered_ || observed_.cpu_time() != used; });
            await(rests);
        }
        return !entered_;
    }
    void await_entry() {
        await([&] { return entered_.load(); });
        thread_.join();
    }

private:
    observed_thread observed_;
    std::atomic<bool> entered_{false};
    std::thread thread_;
};

} // namespace

// "if fewer messages are queued than the admission level of that class": exactly there.
TEST(worker_pool, admits_each_class_up_to_its_level) {
    regatta::worker_pool<row> pool({.threads = 1, .capacity = 128});
    int n = 0;
    const auto up_to = [&](auto... p) {
        while (pool.try_submit(row{n}, p...)) {
            ++n;
        }
        return n;
    };
    EXPECT_EQ(up_to(admission_class::low), 76);     // 60 % of 128 is 76.8
    EXPECT_EQ(up_to(admission_class::medium), 102); // 80 % is 102.4
    EXPECT_EQ(up_to(admission_class::low), 102);
    EXPECT_EQ(up_to(admission_class::high), 126); // 99 % is 126.72
    EXPECT_EQ(up_to(), 128);
    EXPECT_EQ(pool.stats().refused, 5u);
    EXPECT_EQ(pool.stats().queued, 128u);
    std::atomic<int> calls{0};
    pool.on<row>([&](row&) { ++calls; }).start();
    pool.drain();
    EXPECT_EQ(calls.load(), 128);
}

// "waits for room below its level": exactly there. The last message below the level enters at once,
// the next one when there is one fewer, whatever enters beside it.
TEST(worker_pool, a_submit_waits_at_its_level_and_enters_below_it) {
    const library_test::time_limit limit("submits below a level");
    door first;
    door second;
    rows_and_texts pool({.threads = 1, .capacity = 8, .admission = levels});
    std::atomic<int> handled{0};
    pool.on<row>([&](row& m) {
            if (m.index == 1) {
                first.pass();
            } else if (m.index == 2) {
                second.pass();
            }
            ++handled;
        })
        .on<text>([](text&) {})
        .start();
    pool.submit(row{1});
    first.await_inside(1); // It is no longer queued.
    EXPECT_TRUE(pool.submit(row{2}, admission_class::low));
    for (int i = 1; i < 4; ++i) {
        EXPECT_TRUE(pool.submit(row{0}, admission_class::low));
    }
    EXPECT_TRUE(pool.submit(row{0}, admission_class::medium));
    EXPECT_EQ(pool.stats().queued, 5u);
    waiting_producer low(pool, admission_class::low);
    EXPECT_TRUE(low.stays_outside());
    first.open();
    second.await_inside(1);
    EXPECT_EQ(pool.stats().queued, 4u);
    EXPECT_TRUE(low.stays_outside()) << "four are queued, and its level is four";
    EXPECT_TRUE(pool.submit(row{0}, admission_class::medium));
    EXPECT_TRUE(pool.submit(row{0}, admission_class::high));
    EXPECT_EQ(pool.stats().queued, 6u);
    second.open();
    low.await_entry();
    pool.drain();
    EXPECT_EQ(handled.load(), 9);
}

// "A handler that finds the ring full handles other messages while it waits": as many as make room
// below the level, and the ring need not be full.
TEST(worker_pool, a_handler_that_submits_at_a_level_handles_one_message_first) {
    const library_test::time_limit limit("a handler that submits at a level");
    rows_and_texts pool({.threads = 1, .capacity = 8, .admission = levels});
    int handled = 0;
    int before_low = -1;
    int before_medium = -1;
    pool.on<row>([&](row& m) {
            if (m.index == 1) { // Four are queued.
                EXPECT_TRUE(pool.submit(text{}, admission_class::low));
                before_low = handled;
                EXPECT_TRUE(pool.submit(text{}, admission_class::medium));
                before_medium = handled;
            }
            ++handled;
        })
        .on<text>([](text&) {});
    for (int i = 0; i < 5; ++i) {
        EXPECT_TRUE(pool.submit(row{i == 0 ? 1 : 0}));
    }
    pool.start();
    pool.wait();
    EXPECT_EQ(before_low, 1);
    EXPECT_EQ(before_medium, 1);
    EXPECT_EQ(handled, 5);
}

// "It decides which messages are admitted, not their order: a queue stays first in, first out."
TEST(worker_pool, a_class_does_not_change_the_order) {
    rows_and_texts pool({.threads = 1, .capacity = 8, .admission = levels});
    std::vector<int> order;
    pool.on<row>([&](row& m) { order.push_back(m.index); }).on<text>([](text&) {});
    EXPECT_TRUE(pool.try_submit(row{0}, admission_class::low));
    EXPECT_TRUE(pool.try_submit(row{1}, admission_class::high));
    EXPECT_TRUE(pool.try_submit(row{2}, admission_class::low));
    EXPECT_TRUE(pool.try_submit(row{3}));
    EXPECT_TRUE(pool.try_submit(row{4}, admission_class::medium));
    pool.start();
    pool.drain();
    EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4}));
}
