// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What the systems that the tests run on tell of a thread.

#include <regatta/base/config.hpp>
#include <regatta/cpu/affinity.hpp>

#include <cerrno>
#include <cstddef>
#include <string>

#if REGATTA_WINDOWS
extern "C" {
__declspec(dllimport) void* __stdcall GetCurrentThread();
__declspec(dllimport) long __stdcall GetThreadDescription(void* thread, wchar_t** text);
__declspec(dllimport) void* __stdcall LocalFree(void* memory);
}
#else
#include <pthread.h>
#endif

namespace library_test {

/// The longest part of a name that the system keeps, in bytes.
inline constexpr std::size_t longest_thread_name = REGATTA_WINDOWS ? 63 : 15;

/// What the system keeps of a worker's name: it cuts before the number of one that is too long.
inline std::string shown_name(const std::string& pool, const std::string& number) {
    return (pool + number).size() <= longest_thread_name
               ? pool + number
               : pool.substr(0, longest_thread_name - number.size()) + number;
}

/// The name of the calling thread.
inline std::string name_of_this_thread() {
#if REGATTA_WINDOWS
    wchar_t* wide = nullptr;
    std::string name;
    if (::GetThreadDescription(::GetCurrentThread(), &wide) >= 0) {
        for (const wchar_t* c = wide; *c != 0; ++c) {
            name += static_cast<char>(*c); // The tests' names are of ASCII.
        }
        ::LocalFree(wide);
    }
    return name;
#else
    char text[64] = {};
    ::pthread_getname_np(::pthread_self(), text, sizeof text);
    return text;
#endif
}

/// Whether the system pins threads to CPUs.
inline bool can_pin() {
    regatta::cpu_set mine;
    return regatta::try_affinity_of_this_thread(mine) != ENOTSUP;
}

} // namespace library_test
