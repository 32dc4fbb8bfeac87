// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A process that runs where it should not.

#include "support/eventually.hpp"

#include <regatta/cpu/affinity.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <new>
#include <string>

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

namespace library_test {

/// A child with a name of its own, pinned to one CPU, that works there until the object goes.
/// Where another program has just taken that CPU it ends at once, or is moved: see `in_place`.
class intruder {
public:
    enum class manner {
        spinning, ///< All the time.
        bursts,   ///< 200 µs in 5 ms.
        brief     ///< A child a time, which lives for as long as it takes to end.
    };

    intruder(unsigned cpu, const std::string& name, manner how) {
        void* const shared = ::mmap(nullptr, sizeof(counter), PROT_READ | PROT_WRITE,
                                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (shared == MAP_FAILED) {
            ADD_FAILURE() << "no memory to share";
            std::abort();
        }
        rounds_ = ::new (shared) counter(0);
        const pid_t parent = ::getpid();
        pid_ = ::fork();
        if (pid_ == 0) {
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);
            if (::getppid() != parent || regatta::try_pin_this_thread(regatta::cpu_set{cpu}) != 0) {
                ::_exit(1);
            }
            ::prctl(PR_SET_NAME, name.c_str());
            work(how);
        }
        library_test::await(
            [this] { return rounds() != 0 || ::waitpid(pid_, nullptr, WNOHANG) != 0; });
        cpu_ = cpu;
    }
    intruder(const intruder&) = delete;
    intruder& operator=(const intruder&) = delete;
    ~intruder() {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
        ::munmap(rounds_, sizeof(counter));
    }

    int pid() const noexcept { return pid_; }
    /// Whether it is where it was put. Whoever takes CPUs for himself moves others away.
    bool in_place() const {
        regatta::cpu_set now;
        return regatta::try_affinity_of_thread(pid_, now) == 0 && now == regatta::cpu_set{cpu_};
    }
    /// How many turns of its work it has done. On a busy machine it may not run for a while.
    unsigned rounds() const noexcept { return rounds_->load(); }

private:
    using counter = std::atomic<unsigned>;
    static_assert(counter::is_always_lock_free);

    [[noreturn]] void work(manner how) {
        for (;; rounds_->fetch_add(1)) {
            if (how == manner::brief) {
                const pid_t child = ::fork();
                if (child == 0) {
                    ::_exit(0);
                }
                ::waitpid(child, nullptr, 0);
            }
            if (how == manner::bursts) {
                const timespec rest{0, 4'800'000};
                ::nanosleep(&rest, nullptr);
            }
            const auto now = [] {
                timespec t{};
                ::clock_gettime(CLOCK_MONOTONIC, &t);
                return t.tv_sec * 1'000'000'000L + t.tv_nsec;
            };
            for (const long end = now() + 200'000; now() < end;) {
            }
        }
    }

    pid_t pid_ = -1;
    unsigned cpu_ = 0;
    counter* rounds_ = nullptr; ///< Written by the child, read by the test.
};

} // namespace library_test
