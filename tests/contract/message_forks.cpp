// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// What the reference promises of timers, messages and buses in a process that was made by fork.
// Each word on the command line is a test of its own.

#include "process_cases.hpp"

#include <regatta/bus.hpp>
#include <regatta/message/worker_pool.hpp>
#include <regatta/time.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace {

using namespace process_cases;

/// A child of a process with a timer whose callback runs.
void test_fork_timers() {
    std::atomic<bool> runs{false};
    std::atomic<bool> go_on{false};
    regatta::timer_scheduler timers;
    const auto id = timers.every(std::chrono::milliseconds(1), [&] {
        runs = true;
        while (!go_on) {
            std::this_thread::yield();
        }
    });
    while (!runs) {
        std::this_thread::yield();
    }
    const int status = status_of_child([&] {
        expect(!timers.cancel(id), "cancel is false");
        expect(!timers.cancel_and_wait(id), "cancel_and_wait is false, and does not wait");
        expect(timers.pending() == 0, "no timer is pending");
        expect(refused_in_fork([&] { timers.after(std::chrono::hours(1), [] {}); }),
               "after throws");
        timers.close();
    });
    expect(status == 0, "the child ends well");
    go_on = true;
    expect(timers.cancel_and_wait(id), "the parent's timer goes on");
}

/// A child of a process whose executor keeps a run, while threads use the timers: the child calls
/// one run and drops another. Nobody has the lock that a thread of the parent may hold.
void test_fork_timer_runs() {
    if (address_sanitizer) { // The fork may find the sanitizer's own lock held.
        std::exit(77);
    }
    struct keeper {
        std::mutex mutex;
        std::vector<regatta::timer_run> runs;
        void execute(regatta::timer_run run) {
            const std::lock_guard lock(mutex);
            runs.push_back(std::move(run));
        }
        std::size_t size() {
            const std::lock_guard lock(mutex);
            return runs.size();
        }
    };
    keeper kept;
    regatta::timer_scheduler timers{kept};
    timers.after(std::chrono::nanoseconds(0), [] {});
    timers.after(std::chrono::nanoseconds(0), [] {});
    while (kept.size() < 2) {
        std::this_thread::yield();
    }
    std::atomic<bool> done{false};
    std::thread busy([&] {
        while (!done) {
            timers.cancel(timers.after(std::chrono::hours(1), [] {}));
        }
    });
    int bad = 0;
    for (int round = 0; round < 200; ++round) {
        bad += status_of_child([&] {
                   std::vector<regatta::timer_run> runs = std::move(kept.runs);
                   runs[0]();
                   runs.clear();
               }) == 0
                   ? 0
                   : 1;
    }
    done = true;
    busy.join();
    expect(bad == 0, "the children end well");
}

int destroyed = 0;
/// Counts the messages that are destroyed.
struct counted {
    bool mine = true;
    counted() = default;
    counted(counted&& other) noexcept : mine(std::exchange(other.mine, false)) {}
    ~counted() { destroyed += mine ? 1 : 0; }
};

/// Messages that are queued when the process forks belong to the parent.
void test_fork_messages() {
    destroyed = 0;
    auto pool = std::make_unique<regatta::worker_pool<counted>>(1u);
    pool->on<counted>([](counted&) {}).start();
    pool->pause();
    for (int i = 0; i < 10; ++i) {
        pool->submit(counted());
    }
    const int status = status_of_child([&] {
        pool.reset();
        expect(destroyed == 0, "the child destroys none");
    });
    expect(status == 0, "the child ends well");
    pool.reset();
    expect(destroyed == 10, "the parent handles all");
}

/// Messages and handlers of a bus whose consumer is at work when the process forks belong to the
/// parent; those of one that is at rest to both.
void test_fork_bus() {
    for (const bool at_work : {true, false}) {
        destroyed = 0;
        std::atomic<bool> inside{false};
        std::atomic<bool> go_on{false};
        auto bus = std::make_unique<regatta::async_bus<counted>>();
        auto lane = std::make_unique<regatta::bus_producer<counted>>(bus->make_producer());
        bus->subscribe<counted>([&, held = counted()](counted&) {
            inside = true;
            while (!go_on) {
                std::this_thread::yield();
            }
        });
        for (int i = 0; i < 5; ++i) {
            lane->publish(counted());
            bus->publish(counted());
        }
        std::thread consumer;
        if (at_work) {
            consumer = std::thread([&] { bus->process_batch(); });
            while (!inside) {
                std::this_thread::yield();
            }
        }
        const int status = status_of_child([&] {
            lane.reset();
            bus.reset();
            expect(destroyed == (at_work ? 0 : 11), "the child destroys all or nothing");
        });
        expect(status == 0, "the child ends well");
        go_on = true;
        if (at_work) {
            consumer.join();
        }
        lane.reset();
        bus.reset();
        expect(destroyed == 11, "the parent destroys all");
    }
}

} // namespace

int main(int count, char** words) {
    const process_cases::test_case tests[] = {{"fork_timers", test_fork_timers},
                                              {"fork_timer_runs", test_fork_timer_runs},
                                              {"fork_messages", test_fork_messages},
                                              {"fork_bus", test_fork_bus}};
    return process_cases::run(count, words, tests);
}
