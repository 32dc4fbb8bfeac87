// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// "After construction only handlers larger than 48 bytes allocate" and "no allocation" a message:
// counted by an operator new of this program's own.

#include "counting_new.hpp"
#include "support/threads.hpp"

#include <regatta/base/config.hpp>
#include <regatta/base/inline_task.hpp>
#include <regatta/bus/async_bus.hpp>
#include <regatta/message/worker_pool.hpp>
#include <regatta/pool/steady_pool.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <span>
#include <stop_token>
#include <thread>

namespace {

using library_test::await;
using library_test::count;
using regatta::admission_class;

struct tick {
    int value;
};
struct big {
    std::array<int, 100> values;
};

} // namespace

TEST(allocation, is_counted) {
    // Through a volatile pointer: a compiler may leave a pair of calls out that it sees both.
    EXPECT_EQ(count([] {
                  int* volatile made = new int(1);
                  delete made;
              }),
              1);
    EXPECT_EQ(count([] {
                  regatta::padded<int>* volatile made = new regatta::padded<int>();
                  delete made;
              }),
              1);
}

// "a closure up to 48 bytes is stored inline", "Larger closures allocate once, at construction".
TEST(allocation, of_a_task_is_none_when_it_is_small_and_one_when_it_is_large) {
    const auto use = [](auto closure) {
        regatta::inline_task<int()> task(closure);
        regatta::inline_task<int()> moved(std::move(task));
        task = std::move(moved);
        static_cast<void>(task());
    };
    EXPECT_EQ(count([&] { use([bytes = std::array<char, 48>{}] { return bytes[0] + 0; }); }), 0);
    EXPECT_EQ(count([&] { use([bytes = std::array<char, 49>{}] { return bytes[0] + 0; }); }), 1);
}

// "After construction only handlers larger than 48 bytes allocate".
TEST(allocation, of_a_bus_is_none_after_construction) {
    regatta::async_bus<tick, big> bus({.capacity = 64, .producers = 2});
    long sum = 0;
    EXPECT_EQ(count([&] {
                  const auto ticks = bus.subscribe<tick>([&](tick& t) { sum += t.value; });
                  bus.subscribe<big>([&](const big& b) { sum += b.values[0]; });
                  auto lane = bus.make_producer();
                  const std::array<tick, 8> batch{};
                  for (int i = 0; i < 1000; ++i) {
                      bus.publish(tick{1});
                      bus.publish(tick{1}, admission_class::high);
                      bus.try_publish(big{});
                      lane.publish(tick{1});
                      lane.try_publish(big{}, admission_class::low);
                      lane.publish_batch(std::span<const tick>(batch));
                      lane.try_publish_batch(std::span<const tick>(batch));
                      bus.process_batch();
                      bus.publish(tick{1});
                      bus.process_with([](auto&) {});
                      static_cast<void>(bus.stats());
                      bus.unsubscribe(bus.subscribe<tick>([](tick&) {}));
                  }
                  bus.unsubscribe(ticks);
                  bus.close();
              }),
              0);
    EXPECT_EQ(sum, 3000);
}

TEST(allocation, of_a_bus_is_none_while_both_sides_sleep_and_wake) {
    regatta::async_bus<tick> bus({.capacity = 4});
    std::atomic<int> got{0};
    bus.subscribe<tick>([&](tick&) { ++got; });
    std::thread consumer([&] { bus.run(std::stop_token()); });
    await([&] { return bus.stats().parked != 0; });
    const int messages = library_test::rounds(2000);
    EXPECT_EQ(count([&] {
                  for (int i = 0; i < messages; ++i) {
                      bus.publish(tick{i});
                  }
                  await([&] { return got.load() == messages; });
              }),
              0);
    bus.close();
    consumer.join();
}

// docs/reference/bus.md: how much memory a message takes in which lane, and for how many there is
// room.
TEST(allocation, of_a_bus_is_what_its_lanes_have_room_for) {
    const auto bytes_of = [](std::size_t capacity, std::size_t producers) {
        return library_test::count_bytes([&] {
            const regatta::async_bus<tick> bus(
                {.capacity = capacity, .producers = producers, .subscribers = 1});
        });
    };
    constexpr long records = 2048; // Of lanes, segments and handlers.
    for (const long capacity : {2, 64, 1024, 65'536}) {
        SCOPED_TRACE(capacity);
        const long common = bytes_of(static_cast<std::size_t>(capacity), 0);
        EXPECT_GE(common, capacity * 64);
        EXPECT_LE(common, capacity * 64 + records);
        const long segment = std::clamp(capacity / 4, 1L, 4096L / long{sizeof(tick)});
        const long room = (capacity + segment) * (long{sizeof(tick)} + 1);
        const long lane = bytes_of(static_cast<std::size_t>(capacity), 1) - common;
        EXPECT_GE(lane, room);
        EXPECT_LE(lane, room + records);
    }
}

// "a message is one compare-and-swap in, one out, and no allocation".
TEST(allocation, of_a_worker_pool_is_none_after_start) {
    regatta::worker_pool<tick, big> pool({.threads = 2, .capacity = 4});
    std::atomic<int> calls{0};
    pool.on<tick>([&](tick&) { ++calls; });
    pool.on<big>([&](big& b, unsigned) {
        ++calls;
        if (b.values[0] == 1) {
            pool.submit(tick{0});
        }
    });
    pool.start();
    const int messages = library_test::rounds(2000);
    EXPECT_EQ(count([&] {
                  for (int i = 0; i < messages; ++i) {
                      pool.submit(tick{i});
                      pool.submit(tick{i}, admission_class::low);
                      pool.submit(big{{1}});
                  }
                  pool.drain();
                  pool.pause();
                  pool.resume();
                  await([&] { return calls.load() == 4 * messages; });
                  pool.close();
              }),
              0);
}

// "allocates for the list of workers": once, before it takes the lock of the list.
TEST(allocation, of_the_figures_of_a_pool_is_one) {
    const auto least = [](const auto& pool) {
        long fewest = 100; // Workers that are still starting may allocate, too.
        for (int i = 0; i < 100; ++i) {
            fewest = std::min(fewest, count([&] { static_cast<void>(pool.stats()); }));
        }
        return fewest;
    };
    EXPECT_EQ(least(regatta::steady_pool(5)), 1);
    regatta::worker_pool<tick> pool({.threads = 5, .capacity = 4});
    pool.on<tick>([](tick&) {}).start();
    EXPECT_EQ(least(pool), 1);
}

// "A task adds a recycled block for its closure and result".
TEST(allocation, of_a_worker_pool_is_none_for_tasks_in_the_steady_state) {
    regatta::worker_pool<tick, big> pool({.threads = 2, .capacity = 64});
    std::atomic<int> runs{0};
    pool.on<tick>([&](tick&) { pool.execute([&] { ++runs; }); });
    pool.on<big>([](big&) {}).start();
    const auto round = [&] {
        for (int i = 0; i < 200; ++i) {
            pool.execute([&] { ++runs; });
            pool.execute([&, bytes = std::array<char, 240>{}] { runs += 1 + bytes[0]; });
            static_cast<void>(pool.try_execute([&] { ++runs; }));
            pool.submit(tick{i});
            auto a = pool.submit([&] { return ++runs; });
            auto b = pool.submit([&, bytes = std::array<char, 240>{}] { runs += 1 + bytes[0]; });
            b.get();
            static_cast<void>(a.get());
            pool.submit([&] { pool.submit([&] { ++runs; }).get(); }).get();
        }
        pool.wait();
    };
    // Until which round blocks are added depends on how many are out at once.
    int in_a_row = 0;
    for (int i = 0; in_a_row != 10 && i < 500; ++i) {
        in_a_row = count(round) == 0 ? in_a_row + 1 : 0;
    }
    EXPECT_EQ(in_a_row, 10);
}
