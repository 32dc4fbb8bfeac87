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

#include <sched.h>
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
        void* const memory = ::mmap(nullptr, sizeof(shared), PROT_READ | PROT_WRITE,
                                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) {
            ADD_FAILURE() << "no memory to share";
            std::abort();
        }
        told_ = ::new (memory) shared;
        cpu_ = cpu;
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
    }
    intruder(const intruder&) = delete;
    intruder& operator=(const intruder&) = delete;
    ~intruder() {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
        ::munmap(told_, sizeof(shared));
    }

    int pid() const noexcept { return pid_; }
    /// Whether it is where it was put, and always was. Whoever takes CPUs for himself moves others
    /// away, and back when he is done.
    bool in_place() const {
        regatta::cpu_set now;
        return !told_->moved && regatta::try_affinity_of_thread(pid_, now) == 0 &&
               now == regatta::cpu_set{cpu_};
    }
    /// How many turns of its work it has done. On a busy machine it may not run for a while.
    unsigned rounds() const noexcept { return told_->rounds; }

private:
    /// Written by the child, read by the test.
    struct shared {
        std::atomic<unsigned> rounds{0};
        std::atomic<bool> moved{false};
    };
    static_assert(std::atomic<unsigned>::is_always_lock_free);

    [[noreturn]] void work(manner how) {
        for (;; ++told_->rounds) {
            if (::sched_getcpu() != static_cast<int>(cpu_)) {
                told_->moved = true;
            }
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
    shared* told_ = nullptr;
};

} // namespace library_test
