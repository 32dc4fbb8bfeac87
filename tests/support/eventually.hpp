// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Waits of tests that end: after a deadline the test fails and says what it waited for.

#include <gtest/gtest.h>

#include <regatta/base/config.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <source_location>
#include <string>
#include <string_view>
#include <thread>

#if REGATTA_LINUX
#include <signal.h>
#include <unistd.h>
#endif

namespace library_test {

/// How long a wait may take: far longer than anything that comes at all, shorter than ctest's
/// limit.
inline std::chrono::seconds patience() {
#if defined(__aarch64__) || REGATTA_THREAD_SANITIZER || !REGATTA_LINUX
    return std::chrono::seconds(90); // A sanitizer, or an emulated machine.
#else
    return std::chrono::seconds(30);
#endif
}

/// The line of the source, if the test runs where it was built; else nothing.
inline std::string source_line(const std::source_location& at) {
    std::string name = at.file_name();
    std::ifstream file(name);
    // Compilers may have been given a path relative to a folder that is not this one.
    const auto tests = name.rfind("tests/");
    for (int up = 0; !file && tests != std::string::npos && up < 8; ++up) {
        name = up == 0 ? name.substr(tests) : "../" + name;
        file.clear();
        file.open(name);
    }
    std::string text;
    for (unsigned line = 0; line < at.line() && std::getline(file, text); ++line) {
    }
    const auto begin = text.find_first_not_of(' ');
    return begin == std::string::npos ? std::string() : text.substr(begin);
}

/// Fails the test and ends its program: the thread that waits, or one that it waits for, would
/// hang.
[[noreturn]] inline void give_up(std::string_view what, const std::source_location& at) {
    ADD_FAILURE_AT(at.file_name(), static_cast<int>(at.line()))
        << "waited " << patience().count()
        << " s in vain for: " << (what.empty() ? source_line(at) : std::string(what));
    std::fflush(nullptr);
    std::_Exit(1);
}

/// Waits until the condition holds.
/// @param what what it waits for; without, the line of the source that waits.
template<class Condition>
void eventually(std::string_view what, Condition&& condition,
                const std::source_location& at = std::source_location::current()) {
    const auto deadline = std::chrono::steady_clock::now() + patience();
    while (!condition()) {
        if (std::chrono::steady_clock::now() > deadline) {
            give_up(what, at);
        }
        std::this_thread::yield();
    }
}
template<class Condition>
void await(Condition&& condition,
           const std::source_location& at = std::source_location::current()) {
    eventually({}, condition, at);
}

/// A wait on a condition variable.
template<class Variable, class Lock, class Condition>
void eventually(std::string_view what, Variable& changed, Lock& lock, Condition&& condition,
                const std::source_location& at = std::source_location::current()) {
    if (!changed.wait_for(lock, patience(), condition)) {
        give_up(what, at);
    }
}

/// Limits the time of a call that blocks, for as long as it lives: `wait`, `get`, a destructor. It
/// needs no thread, which tests might count, but a signal: elsewhere than on Linux it does nothing,
/// and ctest's limit ends the test. Threads: the test's own, one at a time; may be nested.
class time_limit {
public:
    /// @param what what the call waits for; a literal.
    explicit time_limit(const char* what) : before_(current()) {
        current() = what;
        arm();
    }
    time_limit(const time_limit&) = delete;
    time_limit& operator=(const time_limit&) = delete;
    ~time_limit() {
        current() = before_;
        arm();
    }

private:
    static const char*& current() {
        static const char* what = nullptr;
        return what;
    }
#if REGATTA_LINUX
    static void arm() {
        ::signal(SIGALRM, [](int) {
            const auto say = [](std::string_view text) {
                static_cast<void>(!::write(STDOUT_FILENO, text.data(), text.size()));
            };
            say("Failure\nwaited in vain for: ");
            say(current());
            say("\n");
            ::_exit(1);
        });
        ::alarm(current() == nullptr ? 0 : static_cast<unsigned>(patience().count()));
    }
#else
    static void arm() {}
#endif

    const char* const before_;
};

} // namespace library_test
