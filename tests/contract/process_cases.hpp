// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A program whose tests each end a process: each word on the command line is one of them. Exit
/// status 0: as promised; 77: skipped.

#include <cstddef>
#include <cstdio>
#include <string_view>
#include <system_error>

#include <sys/wait.h>
#include <unistd.h>

namespace process_cases {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool address_sanitizer = true;
#else
inline constexpr bool address_sanitizer = false;
#endif

inline constexpr unsigned patience = 60; // Seconds.
inline const pid_t first_process = ::getpid();

inline int failures = 0;
inline void expect(bool as_promised, const char* what) {
    if (!as_promised) {
        std::printf("not as promised: %s\n", what);
        ++failures;
    }
}
template<class Call>
bool refused_in_fork(Call&& call) {
    try {
        call();
    } catch (const std::system_error& error) {
        return error.code() == std::errc::no_such_process;
    }
    return false;
}

/// @returns the exit status of a child that does that; -1 if a signal ended it.
template<class Do>
int status_of_child(Do&& action) {
    std::fflush(nullptr);
    const pid_t child = ::fork();
    if (child == 0) {
        ::alarm(patience / 2);
        action();
        std::fflush(nullptr);
        ::_exit(failures);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

struct test_case {
    std::string_view name;
    void (*test)();
};

/// What `main` returns: runs the test that is named.
template<std::size_t Count>
int run(int count, char** words, const test_case (&tests)[Count]) {
    ::alarm(patience);
    const std::string_view word = count > 1 ? words[1] : "";
    for (const test_case& each : tests) {
        if (word == each.name) {
            each.test();
            return failures;
        }
    }
    std::printf("which test?\n");
    return 2;
}

} // namespace process_cases

/// Asked by the leak sanitizer when a process ends. A fork lacks the threads that it would search
/// for pointers; it says itself that false leaks are possible there.
extern "C" __attribute__((visibility("default"))) int __lsan_is_turned_off() {
    return ::getpid() != process_cases::first_process ? 1 : 0;
}
