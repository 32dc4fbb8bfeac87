// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// "A waiting thread of real-time priority leaves its CPU to a preempted holder." Two threads of
/// SCHED_FIFO share one CPU. The lower one is preempted within a section that the other waits for.

#include "support/eventually.hpp"

#include <gtest/gtest.h>

#include <regatta/base/config.hpp>
#include <regatta/bus/async_bus.hpp>
#include <regatta/core/scheduling.hpp>
#include <regatta/cpu/affinity.hpp>
#include <regatta/message/worker_pool.hpp>
#include <regatta/sync/adaptive_mutex.hpp>
#include <regatta/time/timer_scheduler.hpp>

#include <atomic>
#include <chrono>
#include <mutex>
#include <semaphore>
#include <thread>
#include <utility>

using library_test::eventually;

namespace {

/// Where the two threads meet.
std::atomic<bool> within;  ///< The lower one is within its section.
std::atomic<bool> waiting; ///< The other one is about to wait.

/// The lower one: called in the section, which it leaves once it has been preempted.
void be_preempted() {
    within = true;
    while (!waiting) { // The other thread stores it on the same CPU: no yield lets it do so.
    }
}

/// Moving it takes until the thread that moves has been preempted.
struct slow_message {
    bool slow = false;

    explicit slow_message(bool s = false) noexcept : slow(s) {}
    slow_message(slow_message&& other) noexcept : slow(std::exchange(other.slow, false)) {
        if (slow) {
            be_preempted();
        }
    }
    slow_message& operator=(slow_message&&) = delete;
};

/// Puts the calling thread under SCHED_FIFO, then on the CPU of the test.
void enter(int priority, const regatta::cpu_set& cpu) {
    regatta::schedule_this_thread({regatta::scheduling_policy::fifo, priority});
    regatta::pin_this_thread(cpu);
}

/// Before a thread ends: the address sanitizer then takes a spin lock of its own, which the one of
/// lower priority may hold.
void leave() {
    regatta::schedule_this_thread({regatta::scheduling_policy::other, 0});
}

/// A callback that does nothing. One of its moves, counted from 1, lets another thread go on.
class telling_callback {
public:
    telling_callback(int& moves, int telling, std::binary_semaphore& go) noexcept
        : moves_(&moves)
        , telling_(telling)
        , go_(&go) {}
    telling_callback(telling_callback&& other) noexcept
        : moves_(other.moves_)
        , telling_(other.telling_)
        , go_(other.go_) {
        if (++*moves_ == telling_) {
            go_->release();
        }
    }
    telling_callback& operator=(telling_callback&&) = delete;
    void operator()() const noexcept {}

private:
    int* moves_;
    int telling_;
    std::binary_semaphore* go_;
};

class real_time : public testing::Test {
protected:
    void SetUp() override {
        if (REGATTA_THREAD_SANITIZER) {
            // A thread takes such a lock when it ends. If a thread of lower priority has the lock
            // and was preempted, the ending thread waits for it in a loop without end.
            GTEST_SKIP() << "the thread sanitizer's own spin locks know no priorities";
        }
        within = false;
        waiting = false;
        regatta::cpu_set mine;
        if (regatta::try_affinity_of_this_thread(mine) != 0) {
            GTEST_SKIP() << "this system does not pin threads to CPUs";
        }
        // The last one: the thread that watches stays on another if there is one.
        for (const unsigned cpu : mine) {
            cpu_ = {cpu};
        }
        int error = 0;
        std::thread([&] {
            error = regatta::try_schedule_this_thread({regatta::scheduling_policy::fifo, 2});
        }).join();
        if (error != 0) {
            GTEST_SKIP() << "this user may not use real-time scheduling";
        }
    }

    /// Runs `section`, which calls `be_preempted`, in a thread, and `wait` in one of higher
    /// priority.
    template<class Section, class Wait>
    void run(const char* what, Section&& section, Wait&& wait) {
        std::atomic<int> ended{0};
        std::jthread low([&] {
            enter(1, cpu_);
            section();
            ++ended;
            leave();
        });
        eventually("the section to begin", [] { return within.load(); });
        std::jthread high([&] {
            enter(2, cpu_);
            waiting = true;
            wait();
            ++ended;
            leave();
        });
        eventually(what, [&] { return ended == 2; });
    }

    const regatta::cpu_set& cpu() const { return cpu_; }

private:
    regatta::cpu_set cpu_;
};

} // namespace

TEST_F(real_time, a_preempted_holder_of_a_mutex_unlocks_it) {
    regatta::adaptive_mutex mutex;
    run(
        "the mutex",
        [&] {
            const std::lock_guard lock(mutex);
            be_preempted();
        },
        [&] { const std::lock_guard lock(mutex); });
}

TEST_F(real_time, a_preempted_publisher_lets_the_consumer_end) {
    regatta::async_bus<slow_message> bus;
    int handled = 0;
    const auto handler = bus.subscribe<slow_message>([&](slow_message&) { ++handled; });
    run(
        "the last message of a closed bus",
        [&] { EXPECT_TRUE(bus.try_publish(slow_message(true))); },
        [&] {
            bus.close();
            bus.run({});
        });
    EXPECT_EQ(handled, 1);
    EXPECT_TRUE(bus.unsubscribe(handler));
}

TEST_F(real_time, a_preempted_producer_with_a_lane_lets_the_consumer_end) {
    regatta::async_bus<slow_message> bus;
    int handled = 0;
    const auto handler = bus.subscribe<slow_message>([&](slow_message&) { ++handled; });
    auto producer = bus.make_producer();
    run(
        "the last message of a closed bus", [&] { producer.try_publish(slow_message(true)); },
        [&] {
            bus.close();
            bus.run({});
        });
    EXPECT_LE(handled, 1);
    EXPECT_TRUE(bus.unsubscribe(handler));
}

TEST_F(real_time, a_preempted_handler_lets_another_thread_unsubscribe_it) {
    regatta::async_bus<int> bus;
    const auto handler = bus.subscribe<int>([](int) { be_preempted(); });
    ASSERT_TRUE(bus.try_publish(1));
    run(
        "the end of the handler", [&] { EXPECT_EQ(bus.process_batch(), 1u); },
        [&] { EXPECT_TRUE(bus.unsubscribe(handler)); });
}

TEST_F(real_time, a_preempted_producer_lets_a_handler_submit_that_finds_the_ring_full) {
    regatta::worker_pool<slow_message, int> pool{{.threads = 1, .capacity = 2}};
    std::atomic<bool> handling{false};
    std::atomic<bool> full{false};
    std::atomic<bool> submitted{false};
    pool.on<slow_message>([](slow_message&) {});
    pool.on<int>([&](int first) {
        if (first == 0) {
            return;
        }
        handling = true;
        eventually("the ring to be full", [&] { return full.load(); });
        enter(2, cpu());
        waiting = true;
        EXPECT_TRUE(pool.submit(0));
        submitted = true;
        leave();
    });
    pool.start();
    ASSERT_TRUE(pool.try_submit(1));
    eventually("the handler to begin", [&] { return handling.load(); });
    std::jthread low([&] {
        enter(1, cpu());
        EXPECT_TRUE(pool.try_submit(slow_message(true)));
        leave();
    });
    eventually("the first cell to be claimed", [] { return within.load(); });
    ASSERT_TRUE(pool.try_submit(0));
    full = true;
    eventually("room in the ring", [&] { return submitted.load(); });
    pool.close();
}

TEST_F(real_time, a_timer_thread_lends_its_priority_to_who_has_its_lock) {
    using namespace std::chrono_literals;
    std::atomic<int> ticks{0};
    regatta::timer_scheduler timers{
        {.pin = cpu(), .schedule = {regatta::scheduling_policy::fifo, 3}}};
    timers.every(1ms, [&] { ++ticks; });
    std::binary_semaphore go{0};
    int moves = 0; // The last one is into the place of the timer, under the lock.
    timers.after(1h, telling_callback(moves, 0, go));
    const int last = std::exchange(moves, 0);

    std::atomic<int> ended{0};
    std::jthread between([&] {
        enter(2, cpu());
        within = true;
        go.acquire(); // Of the thread below, which it stops there.
        for (const int before = ticks; ticks == before;) {
        }
        ++ended;
        leave();
    });
    eventually("the thread in between", [] { return within.load(); });
    std::jthread low([&] {
        enter(1, cpu());
        timers.after(1h, telling_callback(moves, last, go));
        ++ended;
        leave();
    });
    eventually("a tick, and its end", [&] { return ended == 2; });
}
