// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// On which CPUs a thread may run.

#include <regatta/base/detail/platform.hpp>
#include <regatta/base/error.hpp>
#include <regatta/cpu/cpu_set.hpp>

#include <cerrno>
#include <cstdint>
#include <string>
#include <vector>

namespace regatta {

/// The system's number of a thread, as gettid(2) tells it; 0 is the calling thread.
using thread_number = std::int32_t;

/// The number of the calling thread; 0 where the system has none that the calls below take.
inline thread_number number_of_this_thread() noexcept {
    return detail::platform::this_thread_number();
}

/// Reads the CPUs that a thread, of any process, may use into `cpus`.
///
/// The kernel has already taken away what the cpuset of the process forbids.
/// @returns 0, or the error number; `ENOTSUP` where the system has no such call.
inline int try_affinity_of_thread(thread_number thread, cpu_set& cpus) {
    // The kernel refuses an array that is smaller than its own mask, whose size nothing tells.
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
        words.resize(words.size() * 2);
    }
}
/// The same of the calling thread.
inline int try_affinity_of_this_thread(cpu_set& cpus) {
    return try_affinity_of_thread(0, cpus);
}

/// The CPUs that a thread, of any process, may use.
/// Failure: `std::system_error`; `no_such_process` where it has ended.
inline cpu_set affinity_of_thread(thread_number thread) {
    cpu_set cpus;
    if (const int error = try_affinity_of_thread(thread, cpus)) {
        fail_system(error, "read the affinity of thread " + std::to_string(thread));
    }
    return cpus;
}
/// The calling thread's allowed CPUs. Failure: `std::system_error`.
inline cpu_set affinity_of_this_thread() {
    cpu_set cpus;
    if (const int error = try_affinity_of_this_thread(cpus)) {
        fail_system(error, "read the affinity of this thread");
    }
    return cpus;
}

/// Restricts a thread, of any process, to `cpus`, without exceptions.
/// @returns 0, or the error number: `EINVAL` where none of them exists or may be used, or where it
/// is a thread of the kernel that stays on its CPU; `EPERM` for a thread of another user; `ESRCH`
/// where it has ended.
inline int try_pin_thread(thread_number thread, const cpu_set& cpus) noexcept {
    const auto words = cpus.words();
    if (words.empty()) {
        return EINVAL;
    }
    return detail::platform::pin_thread(thread, words.data(), words.size_bytes());
}
/// The same of the calling thread.
inline int try_pin_this_thread(const cpu_set& cpus) noexcept {
    return try_pin_thread(0, cpus);
}

/// Restricts a thread, of any process, to `cpus`. CPUs among them that it may not use are left out
/// by the kernel; where none is left it fails.
///
/// Failure: `std::system_error`, which names the thread and the CPUs.
inline void pin_thread(thread_number thread, const cpu_set& cpus) {
    if (const int error = try_pin_thread(thread, cpus)) {
        fail_system(error,
                    "pin thread " + std::to_string(thread) + " to CPUs '" + cpus.to_string() + "'");
    }
}
/// The same of the calling thread. Threads that it starts later inherit the restriction.
inline void pin_this_thread(const cpu_set& cpus) {
    if (const int error = try_pin_this_thread(cpus)) {
        fail_system(error, "pin this thread to CPUs '" + cpus.to_string() + "'");
    }
}

/// Restricts the thread that makes it to some CPUs, and gives it its earlier mask back at the end.
///
/// Threads: made and destroyed by the same thread. Failure: the constructor throws as
/// `pin_this_thread` does and changes nothing then; the destructor ignores an error (a CPU went
/// away).
class scoped_pin {
public:
    explicit scoped_pin(const cpu_set& cpus) : saved_(affinity_of_this_thread()) {
        pin_this_thread(cpus);
    }
    scoped_pin(const scoped_pin&) = delete;
    scoped_pin& operator=(const scoped_pin&) = delete;
    ~scoped_pin() { try_pin_this_thread(saved_); }

    /// What the destructor restores.
    const cpu_set& saved() const noexcept { return saved_; }

private:
    cpu_set saved_;
};

} // namespace regatta
