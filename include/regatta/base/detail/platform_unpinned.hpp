// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The calls of platform.hpp about where and when threads run, on systems other than Linux. Where
/// such systems have pins and priorities, these differ from what the callers mean.

#include <regatta/base/detail/platform.hpp>

#if !REGATTA_LINUX

#include <cerrno>
#include <mutex>

namespace regatta::detail::platform {

inline void sharpen_waits_of_this_thread() noexcept {}
inline int pin_thread(std::int32_t, const unsigned long*, std::size_t) noexcept {
    return ENOTSUP;
}
inline int affinity_of_thread(std::int32_t, unsigned long*, std::size_t) noexcept {
    return ENOTSUP;
}
inline std::int32_t this_thread_number() noexcept {
    return 0;
}
inline int cpu_of_this_thread() noexcept {
    return -1;
}
inline unsigned node_of_this_thread() noexcept {
    return 0;
}
inline unsigned memory_nodes() noexcept {
    return 1;
}
inline void renew_pages(void*, std::size_t) noexcept {}
inline int schedule_this_thread(scheduling_policy policy, int) noexcept {
    return policy == scheduling_policy::inherit ? 0 : ENOTSUP;
}
inline bool is_real_time(scheduling_policy) noexcept {
    return false;
}
inline void lend_priority(std::mutex&) noexcept {}

} // namespace regatta::detail::platform

#endif
