// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The calls of platform.hpp on Windows 8 and later. Link with the library `synchronization`, as
/// the CMake target does.

#include <regatta/base/detail/platform.hpp>

#if REGATTA_WINDOWS

#include <regatta/base/detail/platform_unpinned.hpp>

#include <algorithm>

// Declared here as the system's headers declare them, so that users of this library do not get all
// of <windows.h> and its macros.
struct HINSTANCE__;
extern "C" {
int __stdcall WaitOnAddress(volatile void* address, void* expected, std::size_t size,
                            unsigned long milliseconds);
void __stdcall WakeByAddressSingle(void* address);
void __stdcall WakeByAddressAll(void* address);
__declspec(dllimport) void __stdcall FlushProcessWriteBuffers();
__declspec(dllimport) HINSTANCE__* __stdcall GetModuleHandleA(const char* module);
__declspec(dllimport) std::intptr_t(__stdcall* __stdcall GetProcAddress(HINSTANCE__* module,
                                                                        const char* name))();
__declspec(dllimport) void* __stdcall GetCurrentThread();
__declspec(dllimport) int __stdcall MultiByteToWideChar(unsigned code_page, unsigned long flags,
                                                        const char* text, int bytes, wchar_t* wide,
                                                        int capacity);
}

namespace regatta::detail::platform {

/// A function that some versions of the system lack; null where it is missing.
template<class Function>
Function* find_function(const char* module, const char* name) noexcept {
    HINSTANCE__* const loaded = ::GetModuleHandleA(module);
    return loaded == nullptr ? nullptr
                             : reinterpret_cast<Function*>(
                                   reinterpret_cast<void*>(::GetProcAddress(loaded, name)));
}

/// Whether this Windows is Wine, whose calls differ in two points; see the callers.
inline bool under_wine() noexcept {
    static const bool answer =
        find_function<const char*()>("ntdll.dll", "wine_get_version") != nullptr;
    return answer;
}

// Source: WaitOnAddress, whose limit is a number of milliseconds.
inline bool futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected,
                       const std::chrono::steady_clock::time_point* deadline, futex_scope,
                       std::uint32_t) noexcept {
    static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));
    static_assert(std::atomic<std::uint32_t>::is_always_lock_free);
    using std::chrono::steady_clock;
    constexpr unsigned long no_limit = 0xFFFF'FFFF;
    if (deadline == nullptr) {
        ::WaitOnAddress(&word, &expected, sizeof expected, no_limit);
        return true;
    }
    const auto now = steady_clock::now();
    if (now >= *deadline) {
        return false;
    }
    // Rounded up, so that a wait that times out ends after the deadline. A wait of more than a day
    // wakes in between, spuriously.
    const auto longest = std::chrono::hours(24);
    const auto left = std::min<steady_clock::duration>(*deadline - now, longest);
    const auto milliseconds = std::chrono::ceil<std::chrono::milliseconds>(left).count();
    return ::WaitOnAddress(&word, &expected, sizeof expected,
                           static_cast<unsigned long>(milliseconds)) != 0 ||
           steady_clock::now() < *deadline;
}

inline bool futex_wake(std::atomic<std::uint32_t>& word, int count, futex_scope) noexcept {
    // Windows takes a thread off the list of waiters when it wakes it. Wine may leave it there
    // until it runs: a second call then wakes the same thread, and another sleeps on.
    if (count == 1 && !under_wine()) {
        ::WakeByAddressSingle(&word);
    } else {
        ::WakeByAddressAll(&word);
    }
    return false;
}

inline constexpr bool tells_threads_apart = false;
inline bool futex_wake_of(std::atomic<std::uint32_t>&, int, std::uint32_t) noexcept {
    return false;
}

// Wine has the call, but up to version 8 at least it does nothing.
inline bool register_process_fence() noexcept {
    return !under_wine();
}

// Source: FlushProcessWriteBuffers.
inline void process_fence() noexcept {
    ::FlushProcessWriteBuffers();
}

// Source: SetThreadDescription, Windows 10.
inline void name_this_thread(const char* name) noexcept {
    using set_description = long __stdcall(void* thread, const wchar_t* text);
    const auto set = find_function<set_description>("kernelbase.dll", "SetThreadDescription");
    if (set == nullptr) {
        return;
    }
    constexpr unsigned utf8 = 65001;
    wchar_t wide[64];
    int bytes = 0;
    while (bytes < 63 && name[bytes] != '\0') {
        ++bytes;
    }
    wide[::MultiByteToWideChar(utf8, 0, name, bytes, wide, 63)] = L'\0';
    set(::GetCurrentThread(), wide);
}

} // namespace regatta::detail::platform

#endif
