// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A program that starts itself again, to play another role.

#include <atomic>
#include <string>
#include <string_view>

namespace regatta::race {

/// What processes do that this program starts from itself: a scheme's work, noise. They know it by
/// their first argument, for which `main` has to look before all else. If it did not, such a
/// process would do what its parent does, and start the next one without end: so `program` refuses
/// then.
///
/// Threads: any, at once.
class process_role {
public:
    /// @param flag the first argument of a process that plays this role.
    /// @param function what `main` calls with its own arguments to find that out.
    constexpr process_role(const char* flag, const char* function) noexcept
        : flag_(flag)
        , function_(function) {}

    /// Whether this process was started for it.
    bool is_played(int argc, const char* const* argv) noexcept;

    /// This program, to be started with the flag as its first argument.
    /// @param otherwise what else would help, if anything: ends the sentence of the failure.
    /// Failure: `std::logic_error` where nobody has asked `is_played`, or the answer was not
    /// heeded: that says what `main` has to do.
    std::string program(std::string_view otherwise = {}) const;

private:
    const char* flag_;
    const char* function_;
    /// Whether the answer was no. Written by `is_played`, read by `program`.
    std::atomic<bool> not_played_{false};
};

} // namespace regatta::race
