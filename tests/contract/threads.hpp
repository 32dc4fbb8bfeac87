// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What tests of threads need: to know that a thread sleeps, what it has used, and how long to go
/// on. Nothing here sleeps to synchronise.

#include <regatta/base/config.hpp>

#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

namespace library_test {

/// `full` rounds; a tenth under the thread sanitizer and on an emulated processor.
inline int rounds(int full) {
#if defined(__aarch64__)
    const bool slow = true;
#else
    const bool slow = REGATTA_THREAD_SANITIZER != 0;
#endif
    return slow ? (full + 9) / 10 : full;
}

/// Waits until the condition holds; the test's time limit ends a wait in vain.
template<class Condition>
void await(Condition&& condition) {
    while (!condition()) {
        std::this_thread::yield();
    }
}

/// A thread seen from outside.
class observed_thread {
public:
    /// By the thread itself.
    void announce() noexcept {
        handle_ = ::pthread_self();
        id_.store(::gettid(), std::memory_order_release);
    }
    /// Waits until the thread has announced itself and sleeps in the kernel.
    void await_sleep() const {
        await([this] { return state() == 'S'; });
    }
    /// The CPU time that the thread has used, in nanoseconds.
    std::int64_t cpu_time() const {
        clockid_t clock{};
        timespec used{};
        if (::pthread_getcpuclockid(handle_, &clock) != 0 || ::clock_gettime(clock, &used) != 0) {
            return -1;
        }
        return std::int64_t{used.tv_sec} * 1000000000 + used.tv_nsec;
    }

private:
    /// The letter of its state in /proc; '\0' while it has none.
    char state() const {
        const int id = id_.load(std::memory_order_acquire);
        if (id == 0) {
            return '\0';
        }
        const std::string path = "/proc/self/task/" + std::to_string(id) + "/stat";
        char text[512] = {};
        if (std::FILE* file = std::fopen(path.c_str(), "re")) {
            text[std::fread(text, 1, sizeof text - 1, file)] = '\0';
            std::fclose(file);
        }
        const std::string line = text;
        const auto name_end = line.rfind(") ");
        return name_end == std::string::npos ? '\0' : line[name_end + 2];
    }

    pthread_t handle_{};
    std::atomic<int> id_{0};
};

/// A message whose first move takes as long as it is told to. That move puts it into its queue, so
/// that the place is claimed already and the message is not yet there.
class slow_message {
public:
    struct door {
        std::atomic<bool> reached{false};
        std::atomic<bool> open{false};
    };

    slow_message() = default;
    explicit slow_message(door& d) noexcept : door_(&d) {}
    slow_message(slow_message&& other) noexcept {
        if (other.door_ != nullptr) {
            other.door_->reached = true;
            await([&] { return other.door_->open.load(); });
        }
    }

private:
    door* door_ = nullptr;
};

} // namespace library_test
