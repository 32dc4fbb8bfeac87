// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// A thread that adds a timer and loses its CPU before it has woken the timer thread. Stood for by a
// wake-up that waits, so this is a program of its own.

#include "support/eventually.hpp"

#include <regatta/time/timer_scheduler.hpp>

#include <gtest/gtest.h>

#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdarg>
#include <thread>
#include <utility>

namespace {

using namespace std::chrono_literals;
using library_test::await;

/// The thread waits before its wake-ups until the flag is set.
thread_local std::atomic<bool>* may_wake = nullptr;
std::atomic<int> held{0};

} // namespace

// That of the C library, by which a thread wakes another one.
extern "C" long syscall(long number, ...) noexcept {
    using function = long (*)(long, ...);
    static const auto call = reinterpret_cast<function>(dlsym(RTLD_NEXT, "syscall"));
    va_list words;
    va_start(words, number);
    long all[6];
    for (long& word : all) {
        word = va_arg(words, long);
    }
    va_end(words);
    if (may_wake != nullptr && number == SYS_futex) {
        std::atomic<bool>* const until = std::exchange(may_wake, nullptr);
        ++held;
        await([&] { return until->load(); });
    }
    return call(number, all[0], all[1], all[2], all[3], all[4], all[5]);
}

// "Runs callbacks at given times": however long the thread that added an earlier timer has no CPU.
TEST(timer_wakeup, is_due_whoever_is_about_to_wake_the_thread) {
    regatta::timer_scheduler timers;
    std::atomic<bool> first{false};
    timers.after(0s, [&] { first = true; });
    await([&] { return first.load(); }); // It has no timer, and is about to sleep.
    std::this_thread::yield();
    std::atomic<bool> goes_on{false};
    std::thread earlier([&] {
        may_wake = &goes_on;
        timers.after(1ms, [] {});
        may_wake = nullptr;
    });
    await([] { return held == 1; });
    std::atomic<bool> ran{false};
    timers.after(2ms, [&] { ran = true; });
    await([&] { return ran.load(); });
    goes_on = true;
    earlier.join();
}
