// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A thread whose failure to start says which thread it was.

#include <regatta/base/config.hpp>
#include <regatta/base/detail/text_parts.hpp>
#include <regatta/base/error.hpp>

#include <initializer_list>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

namespace regatta::detail {

/// Starts a thread that calls `f`.
///
/// Failure: `std::system_error` with the name, whose parts are given; `std::bad_alloc`.
template<class F>
std::thread start_thread(std::initializer_list<std::string_view> name, F&& f) {
#if REGATTA_EXCEPTIONS
    try {
        return std::thread(std::forward<F>(f));
    } catch (const std::system_error& error) { // Its text has the reason only.
        const bool full = error.code() == std::errc::resource_unavailable_try_again;
        fail_system(error.code().value(),
                    text_of({"start thread '", text_of(name),
                             full ? "' (a limit is reached: of threads, of memory or, after "
                                    "mlockall, of locked memory)"
                                  : "'"}));
    }
#else
    static_cast<void>(name);
    return std::thread(std::forward<F>(f));
#endif
}

} // namespace regatta::detail
