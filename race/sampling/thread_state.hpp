// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What a thread passes on to those that it starts.

#include <regatta/cpu/affinity.hpp>

#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include <cfenv>

namespace regatta::race {

/// The calling thread as it was when this was made: its CPUs, scheduling policy, blocked signals
/// and floating-point environment. A scheme or a workload may change them for good, as a pool does
/// whose caller is the pinned worker 0, and the workers of all later runs would inherit that.
///
/// Threads: the one that made it.
class thread_state {
public:
    thread_state() {
        known_cpus_ = try_affinity_of_this_thread(cpus_) == 0;
        known_policy_ = ::pthread_getschedparam(::pthread_self(), &policy_, &priority_) == 0;
        ::pthread_sigmask(SIG_SETMASK, nullptr, &blocked_);
        std::fegetenv(&floating_point_);
    }
    thread_state(const thread_state&) = delete;
    thread_state& operator=(const thread_state&) = delete;
    ~thread_state() { restore(); }

    /// What is refused, because the CPUs have been taken away since, stays as it is.
    void restore() const noexcept {
        if (known_cpus_) {
            try_pin_this_thread(cpus_);
        }
        if (known_policy_) {
            ::pthread_setschedparam(::pthread_self(), policy_, &priority_);
        }
        ::pthread_sigmask(SIG_SETMASK, &blocked_, nullptr);
        std::fesetenv(&floating_point_);
    }

private:
    cpu_set cpus_{};
    bool known_cpus_ = false;
    bool known_policy_ = false;
    int policy_ = 0;
    sched_param priority_{};
    sigset_t blocked_{};
    std::fenv_t floating_point_{};
};

} // namespace regatta::race
