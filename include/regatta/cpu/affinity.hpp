// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The CPU affinity of threads.

#include <regatta/base/detail/platform.hpp>
#include <regatta/base/error.hpp>
#include <regatta/cpu/cpu_set.hpp>

#include <cerrno>
#include <cstdint>
#include <string>
#include <vector>

namespace regatta {

/// The system's number of a thread, as gettid(2) returns it; 0 is the calling thread.
using thread_number = std::int32_t;

/// The number of the calling thread; 0 if the system has no number that the calls below take.
inline thread_number number_of_this_thread() noexcept {
    return detail::platform::this_thread_number();
}

/// Reads the allowed CPUs of a thread, of any process, into `cpus`.
///
/// The kernel has already removed CPUs that the process's cpuset forbids.
/// @returns 0, or the error number; `ENOTSUP` if the system has no such call.
REGATTA_RARE inline int try_affinity_of_thread(thread_number thread, cpu_set& cpus) {
    // The kernel refuses an array smaller than its own mask, and no call reports the mask's size.
    std::vector<cpu_set::word> words(1024 / cpu_set::bits_per_word);
    for (;;) {
        const int error = detail::platform::affinity_of_thread(
            thread, words.data(), words.size() * sizeof(cpu_set::word));
        if (error == 0) {
            cpus = cpu_set::from_words(words);
            return 0;
        }
        if (error != EINVAL || words.size() * cpu_set::bits_per_word >= cpu_set::max_width) {
            return error;
        }
        words = std::vector<cpu_set::word>(words.size() * 2);
    }
}
/// The same for the calling thread.
inline int try_affinity_of_this_thread(cpu_set& cpus) {
    return try_affinity_of_thread(0, cpus);
}

/// The allowed CPUs of a thread, of any process.
/// Failure: `std::system_error`; `no_such_process` if the thread has ended.
inline cpu_set affinity_of_thread(thread_number thread) {
    cpu_set cpus;
    if (const int error = try_affinity_of_thread(thread, cpus)) {
        fail_system(error, "read the affinity of thread " + std::to_string(thread));
    }
    return cpus;
}
/// The allowed CPUs of the calling thread.
/// Failure: `std::system_error`.
inline cpu_set affinity_of_this_thread() {
    cpu_set cpus;
    if (const int error = try_affinity_of_this_thread(cpus)) {
        fail_system(error, "read the affinity of this thread");
    }
    return cpus;
}

/// Restricts a thread, of any process, to `cpus`, without exceptions.
/// @returns 0, or the error number. `EINVAL`: none of the CPUs exists or is allowed, or the thread
/// is a kernel thread bound to its CPU. `EPERM`: a thread of another user. `ESRCH`: the thread has
/// ended.
inline int try_pin_thread(thread_number thread, const cpu_set& cpus) noexcept {
    const auto words = cpus.words();
    if (words.empty()) {
        return EINVAL;
    }
    return detail::platform::pin_thread(thread, words.data(), words.size_bytes());
}
/// The same for the calling thread.
inline int try_pin_this_thread(const cpu_set& cpus) noexcept {
    return try_pin_thread(0, cpus);
}

/// Restricts a thread, of any process, to `cpus`. The kernel leaves out CPUs that the thread may
/// not use; if none is left, the call fails.
///
/// Failure: `std::system_error`, which names the thread and the CPUs.
inline void pin_thread(thread_number thread, const cpu_set& cpus) {
    if (const int error = try_pin_thread(thread, cpus)) {
        fail_system(error,
                    "pin thread " + std::to_string(thread) + " to CPUs '" + cpus.to_string() + "'");
    }
}
/// The same for the calling thread. Threads that it starts later inherit the restriction.
inline void pin_this_thread(const cpu_set& cpus) {
    if (const int error = try_pin_this_thread(cpus)) {
        fail_system(error, "pin this thread to CPUs '" + cpus.to_string() + "'");
    }
}

/// Restricts the calling thread to some CPUs; the destructor restores the earlier mask.
///
/// Threads: constructed and destroyed by the same thread.
/// Failure: the constructor throws as `pin_this_thread` does and then changes nothing. The
/// destructor ignores an error (a CPU went away).
class scoped_pin {
public:
    explicit scoped_pin(const cpu_set& cpus) : saved_(affinity_of_this_thread()) {
        pin_this_thread(cpus);
    }
    scoped_pin(const scoped_pin&) = delete;
    scoped_pin& operator=(const scoped_pin&) = delete;
    ~scoped_pin() { try_pin_this_thread(saved_); }

    /// The mask that the destructor restores.
    const cpu_set& saved() const noexcept { return saved_; }

private:
    cpu_set saved_;
};

} // namespace regatta
