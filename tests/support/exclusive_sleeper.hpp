// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A process that only waits, for tests of where others may run.

#include "lease/exclusive_system.hpp"
#include "lease/exclusive_tasks.hpp"
#include "support/eventually.hpp"
#include <regatta/cpu/affinity.hpp>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>

namespace exclusive_test {

/// A child that sleeps until the end of the scope, pinned if a set is given.
class sleeper {
public:
    explicit sleeper(const regatta::cpu_set& pin = {}) {
        pid_ = ::fork();
        if (pid_ == 0) {
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);
            if (!pin.empty()) {
                regatta::try_pin_this_thread(pin);
            }
            for (;;) {
                ::pause();
            }
        }
        library_test::await([&] { return pin.empty() || allowed() == pin; });
    }
    sleeper(const sleeper&) = delete;
    sleeper& operator=(const sleeper&) = delete;
    ~sleeper() {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }

    int pid() const noexcept { return pid_; }
    std::string name() const { return std::to_string(pid_); }
    regatta::cpu_set allowed() const {
        regatta::detail::exclusive_system system;
        return regatta::detail::read_task_mask(system, pid_, pid_).value_or(regatta::cpu_set());
    }

private:
    pid_t pid_;
};

} // namespace exclusive_test
