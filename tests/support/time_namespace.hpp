// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A process in a time namespace, as a container may be.

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <optional>

namespace library_test {

/// What `act` returns in a fork of this process whose clocks are 1,000 s ahead, that of the starts
/// of processes also by nine tenths of a clock tick; nothing if this user may not make time
/// namespaces, -1 if the fork crashed.
template<class Act>
std::optional<int> in_time_namespace(Act act) {
    constexpr int refused = 77;
    const pid_t child = ::fork();
    if (child == 0) {
        // The namespace is for later children.
        if (::unshare(CLONE_NEWTIME) != 0 || !(std::ofstream("/proc/self/timens_offsets")
                                               << "monotonic 1000 0\nboottime 1000 9000000\n"
                                               << std::flush)) {
            ::_exit(refused);
        }
        const pid_t inside = ::fork();
        if (inside == 0) {
            ::_exit(act());
        }
        int status = -1;
        ::waitpid(inside, &status, 0);
        ::_exit(WIFEXITED(status) ? WEXITSTATUS(status) : refused + 1);
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    const int result = WIFEXITED(status) ? WEXITSTATUS(status) : refused + 1;
    return result == refused ? std::nullopt : std::optional(result > refused ? -1 : result);
}

} // namespace library_test
