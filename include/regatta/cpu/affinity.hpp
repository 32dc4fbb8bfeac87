// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// On which CPUs the calling thread may run.

#include <regatta/base/error.hpp>
#include <regatta/base/platform.hpp>
#include <regatta/cpu/cpu_set.hpp>

#include <cerrno>
#include <vector>

namespace regatta {

/// Reads the calling thread's allowed CPUs into `cpus`.
///
/// The kernel has already taken away what the cpuset of the process forbids.
/// @returns 0, or the error number; `ENOTSUP` where the system has no such call.
inline int try_affinity_of_this_thread(cpu_set& cpus) {
    // The kernel refuses an array that is smaller than its own mask, whose size nothing tells.
    std::vector<cpu_set::word> words(1024 / cpu_set::bits_per_word);
    for (;;) {
        const int error =
            platform::affinity_of_this_thread(words.data(), words.size() * sizeof(cpu_set::word));
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

/// The calling thread's allowed CPUs. Failure: `std::system_error`.
inline cpu_set affinity_of_this_thread() {
    cpu_set cpus;
    if (const int error = try_affinity_of_this_thread(cpus)) {
        fail_system(error, "read the affinity of this thread");
    }
    return cpus;
}

/// Restricts the calling thread to `cpus`, without exceptions.
/// @returns 0, or the error number: `EINVAL` where none of them exists or may be used.
inline int try_pin_this_thread(const cpu_set& cpus) noexcept {
    const auto words = cpus.words();
    if (words.empty()) {
        return EINVAL;
    }
    return platform::pin_this_thread(words.data(), words.size_bytes());
}

/// Restricts the calling thread to `cpus`. CPUs among them that it may not use are left out by the
/// kernel; where none is left it fails. Threads that it starts later inherit the restriction.
///
/// Failure: `std::system_error`, which names the CPUs.
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
