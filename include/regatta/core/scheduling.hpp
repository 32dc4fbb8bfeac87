// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// By which rules a pool's threads get their time on the CPUs.

#include <regatta/base/detail/platform.hpp>
#include <regatta/base/error.hpp>

#include <string>

namespace regatta {

/// The policy of a thread (`scheduling_policy` in base/detail/platform.hpp says which there are)
/// and its number in it.
///
/// `priority` is the nice value for `other` and `batch`, from -20 (the most time) to 19 (the
/// least); for `fifo` and `round_robin` the real-time priority, from 1 to 99 (first of all); 0 for
/// `inherit` and `idle`.
///
/// Real time, a nice value below the present one, and leaving `idle` need a right that ordinary
/// users seldom have (CAP_SYS_NICE, or a limit in RLIMIT_RTPRIO and RLIMIT_NICE). A real-time
/// thread that never sleeps keeps its CPU from everything else.
struct scheduling {
    scheduling_policy policy = scheduling_policy::inherit;
    int priority = 0;

    bool operator==(const scheduling&) const = default;
};

/// The policy's name.
inline const char* to_string(scheduling_policy policy) noexcept {
    switch (policy) {
    case scheduling_policy::inherit:
        return "inherit";
    case scheduling_policy::other:
        return "other";
    case scheduling_policy::batch:
        return "batch";
    case scheduling_policy::idle:
        return "idle";
    case scheduling_policy::fifo:
        return "fifo";
    case scheduling_policy::round_robin:
        return "round_robin";
    }
    return "none";
}

/// "fifo, priority 10"
inline std::string to_string(const scheduling& wanted) {
    return std::string(to_string(wanted.policy)) + ", priority " + std::to_string(wanted.priority);
}

/// Throws `std::invalid_argument`, with what is allowed, unless the policy exists and has such a
/// priority. Whether this thread may have it, only the system knows.
inline void check_scheduling(const scheduling& wanted) {
    int low = 0;
    int high = 0;
    switch (wanted.policy) {
    case scheduling_policy::inherit:
    case scheduling_policy::idle:
        break;
    case scheduling_policy::other:
    case scheduling_policy::batch:
        low = -20;
        high = 19;
        break;
    case scheduling_policy::fifo:
    case scheduling_policy::round_robin:
        low = 1;
        high = 99;
        break;
    default:
        fail_argument("there is no scheduling policy of number " +
                      std::to_string(static_cast<int>(wanted.policy)));
    }
    if (wanted.priority < low || wanted.priority > high) {
        const std::string allowed = low == high ? "has no priority but 0"
                                                : "has priorities from " + std::to_string(low) +
                                                      " to " + std::to_string(high);
        fail_argument(std::string("scheduling policy ") + to_string(wanted.policy) + " " + allowed +
                      ", got " + std::to_string(wanted.priority));
    }
}

/// Puts the calling thread under `wanted`, without exceptions. Threads that it starts later inherit
/// it.
/// @returns 0, or the error number, and then nothing has changed: `EPERM` where a right is missing,
/// `EINVAL` where there is no such priority, `ENOTSUP` where the system has no such policies.
inline int try_schedule_this_thread(const scheduling& wanted) noexcept {
    return detail::platform::schedule_this_thread(wanted.policy, wanted.priority);
}

/// Puts the calling thread under `wanted`.
///
/// Failure: `std::invalid_argument` for a priority that the policy does not have;
/// `std::system_error`, which names the policy, where the system refuses.
inline void schedule_this_thread(const scheduling& wanted) {
    check_scheduling(wanted);
    if (const int error = try_schedule_this_thread(wanted)) {
        fail_system(error, "schedule this thread as " + to_string(wanted));
    }
}

} // namespace regatta
