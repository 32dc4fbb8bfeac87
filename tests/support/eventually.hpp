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

/// The name of the test case that runs, as a filter takes it.
inline std::string current_case() {
    const auto* const test = testing::UnitTest::GetInstance()->current_test_info();
    return test == nullptr ? "no test case"
                           : std::string(test->test_suite_name()) + "." + test->name();
}

/// How a test says that it ends its program since a wait came to no end.
inline std::string in_vain(std::string_view what) {
    return current_case() + " waited " + std::to_string(patience().count()) +
           " s in vain for: " + std::string(what);
}

/// Fails the test and ends its program: the thread that waits, or one that it waits for, would
/// hang.
[[noreturn]] inline void give_up(std::string_view what, const std::source_location& at) {
    std::string line = what.empty() ? source_line(at) : std::string(what);
    if (line.empty()) { // The source is not here.
        line = std::string("line ") + std::to_string(at.line()) + " of " + at.file_name();
    }
    ADD_FAILURE_AT(at.file_name(), static_cast<int>(at.line())) << in_vain(line);
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
    /// @param what what the call waits for.
    explicit time_limit(std::string_view what) : text_(in_vain(what)), before_(current()) {
        current() = &text_;
        arm();
    }
    time_limit(const time_limit&) = delete;
    time_limit& operator=(const time_limit&) = delete;
    ~time_limit() {
        current() = before_;
        arm();
    }

private:
    /// The text of the innermost limit.
    static const std::string*& current() {
        static const std::string* text = nullptr;
        return text;
    }
#if REGATTA_LINUX
    static void arm() {
        ::signal(SIGALRM, [](int) {
            const auto say = [](std::string_view text) {
                static_cast<void>(!::write(STDOUT_FILENO, text.data(), text.size()));
            };
            say("Failure\n");
            say(*current());
            say("\n");
            ::_exit(1);
        });
        ::alarm(current() == nullptr ? 0 : static_cast<unsigned>(patience().count()));
    }
#else
    static void arm() {}
#endif

    const std::string text_; ///< Made beforehand: a signal handler allocates nothing.
    const std::string* const before_;
};

} // namespace library_test
