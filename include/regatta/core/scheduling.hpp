// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The scheduling policy and priority of a pool's threads.

#include <regatta/base/config.hpp>
#include <regatta/base/detail/platform.hpp>
#include <regatta/base/detail/text_parts.hpp>
#include <regatta/base/error.hpp>

#include <cerrno>
#include <string>
#include <string_view>

namespace regatta {

/// A thread's scheduling policy (`scheduling_policy` in base/detail/platform.hpp lists them) and
/// its priority in it.
///
/// `priority` is the nice value for `other` and `batch`, from -20 (the most time) to 19 (the
/// least). For `fifo` and `round_robin` it is the real-time priority, from 1 to 99 (the highest).
/// It is 0 for `inherit` and `idle`.
///
/// A real-time policy, a lower nice value than the present one, and leaving `idle` need a privilege
/// that ordinary users seldom have: CAP_SYS_NICE, or a limit in RLIMIT_RTPRIO and RLIMIT_NICE. A
/// real-time thread that never sleeps keeps all others from its CPU.
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
    return detail::text_of(
        {to_string(wanted.policy), ", priority ", detail::decimal(wanted.priority)});
}

namespace detail {

/// The priorities of a policy; none, where `low` is above `high`, if there is no such policy.
struct priority_range {
    int low = 1;
    int high = 0;
    constexpr bool has(int priority) const noexcept { return low <= priority && priority <= high; }
};

constexpr priority_range priorities_of(scheduling_policy policy) noexcept {
    switch (policy) {
    case scheduling_policy::inherit:
    case scheduling_policy::idle:
        return {0, 0};
    case scheduling_policy::other:
    case scheduling_policy::batch:
        return {-20, 19};
    case scheduling_policy::fifo:
    case scheduling_policy::round_robin:
        return {1, 99};
    }
    return {};
}

} // namespace detail

/// Throws `std::invalid_argument`, naming what is allowed, unless the policy exists and has that
/// priority. It does not check privileges.
REGATTA_POOLS_EXPORT void check_scheduling(const scheduling& wanted);

/// Sets the scheduling of the calling thread, without exceptions. Threads that it starts later
/// inherit it.
/// @returns 0, or an error number if nothing has changed: `EPERM` without the privilege, `EINVAL`
/// for what `check_scheduling` refuses, `ENOTSUP` if the system has no such policies.
inline int try_schedule_this_thread(const scheduling& wanted) noexcept {
    if (!detail::priorities_of(wanted.policy).has(wanted.priority)) {
        return EINVAL;
    }
    return detail::platform::schedule_this_thread(wanted.policy, wanted.priority);
}

/// Sets the scheduling of the calling thread.
///
/// Failure: `std::invalid_argument` for a priority that the policy does not have;
/// `std::system_error`, which names the policy, if the system refuses.
inline void schedule_this_thread(const scheduling& wanted) {
    check_scheduling(wanted);
    if (const int error = try_schedule_this_thread(wanted)) {
        fail_system(error, detail::text_of({"schedule this thread as ", to_string(wanted)}));
    }
}

#if REGATTA_POOLS_DEFINITIONS

REGATTA_APART REGATTA_POOLS_API void check_scheduling(const scheduling& wanted) {
    const auto [low, high] = detail::priorities_of(wanted.policy);
    if (low > high) {
        fail_argument(detail::text_of({"there is no scheduling policy number ",
                                       detail::decimal(static_cast<int>(wanted.policy))}));
    }
    if (!detail::priorities_of(wanted.policy).has(wanted.priority)) {
        const bool range = low != high;
        fail_argument(detail::text_of(
            {"scheduling policy ", to_string(wanted.policy),
             range ? " allows priorities from " : " allows only priority ", detail::decimal(low),
             range ? " to " : "", range ? detail::decimal(high) : std::string_view(), ", got ",
             detail::decimal(wanted.priority)}));
    }
}

#endif

} // namespace regatta
