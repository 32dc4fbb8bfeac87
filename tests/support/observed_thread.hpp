// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A thread seen from outside: whether it sleeps, and what CPU time it has used.

#include "support/eventually.hpp"

#include <regatta/base/config.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#if REGATTA_LINUX
#include <fcntl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#endif

namespace library_test {

/// Calls of the Linux kernel. A Windows program under Wine is a thread of Linux like any other, but
/// its libraries do not say so: there the kernel is called as the processor calls it.
namespace kernel {

#if REGATTA_LINUX
inline std::int64_t thread_id() {
    return ::gettid();
}
inline int open_to_read(const char* path) {
    return ::open(path, O_RDONLY | O_CLOEXEC);
}
inline std::int64_t read(int file, char* to, std::size_t bytes) {
    return ::read(file, to, bytes);
}
inline void close(int file) {
    ::close(file);
}
/// The clock's time in nanoseconds; -1 if there is no such clock.
inline std::int64_t time_of(std::int32_t clock) {
    timespec now{};
    return ::clock_gettime(clock, &now) != 0 ? -1
                                             : std::int64_t{now.tv_sec} * 1000000000 + now.tv_nsec;
}
#else
template<class A = std::int64_t, class B = std::int64_t, class C = std::int64_t>
std::int64_t call(std::int64_t number, A a = {}, B b = {}, C c = {}) {
    std::int64_t result = number;
    __asm__ __volatile__("syscall"
                         : "+a"(result)
                         : "D"(a), "S"(b), "d"(c)
                         : "rcx", "r11", "memory");
    return result;
}
inline std::int64_t thread_id() {
    return call(186);
}
inline int open_to_read(const char* path) {
    return static_cast<int>(call(2, path, std::int64_t{02000000}));
}
inline std::int64_t read(int file, char* to, std::size_t bytes) {
    return call(0, std::int64_t{file}, to, bytes);
}
inline void close(int file) {
    call(3, std::int64_t{file});
}
inline std::int64_t time_of(std::int32_t clock) {
    std::int64_t now[2] = {};
    return call(228, std::int64_t{clock}, now) != 0 ? -1 : now[0] * 1000000000 + now[1];
}
#endif

} // namespace kernel

/// A thread seen from outside.
class observed_thread {
public:
    /// By the thread itself.
    void announce() noexcept { id_.store(kernel::thread_id(), std::memory_order_release); }
    /// Waits until the thread has announced itself and sleeps in the kernel.
    void await_sleep() const {
        eventually("a thread that sleeps", [this] { return sleeps(); });
    }
    /// Whether it has announced itself and sleeps in the kernel now.
    bool sleeps() const { return state() == 'S'; }
    /// Does something again and again, until the thread used no CPU time meanwhile and sleeps. One
    /// that only seems to sleep, on its way there, has come to rest sooner or later; one that is
    /// woken, or looks by itself, never does.
    template<class Work>
    void await_rest(Work&& work) const {
        eventually("a thread that comes to rest", [&] {
            await_sleep();
            const std::int64_t before = cpu_time();
            work();
            await_sleep(); // It may have been woken, and not yet have come to run.
            return cpu_time() == before;
        });
    }
    /// The CPU time that the thread has used, in nanoseconds; negative if it cannot be had.
    std::int64_t cpu_time() const {
        // The kernel's number for the clock of a thread: what pthread_getcpuclockid(3) makes of it.
        const auto id = static_cast<std::uint32_t>(id_.load(std::memory_order_acquire));
        return kernel::time_of(static_cast<std::int32_t>(~id << 3 | 6u));
    }

private:
    /// The letter of its state in /proc; '\0' while it has none.
    char state() const {
        const auto id = id_.load(std::memory_order_acquire);
        if (id == 0) {
            return '\0';
        }
        const std::string path = "/proc/self/task/" + std::to_string(id) + "/stat";
        char text[512] = {};
        if (const int file = kernel::open_to_read(path.c_str()); file >= 0) {
            kernel::read(file, text, sizeof text - 1);
            kernel::close(file);
        }
        const std::string line = text;
        const auto name_end = line.rfind(") ");
        return name_end == std::string::npos ? '\0' : line[name_end + 2];
    }

    /// Who it is to the kernel. Written by the thread, read by those who look.
    std::atomic<std::int64_t> id_{0};
};

} // namespace library_test
