// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What a watched program writes while the view has the terminal.

#include <regatta/base/detail/unique_descriptor.hpp>

#include <cstdint>
#include <string>

namespace regatta::command {

/// A file without a name, which takes the place of the program's terminal. What is in it can be
/// shown later; it goes with the object and with those who write to it.
///
/// Threads: one. The program writes at any time.
class watch_output {
public:
    /// Failure: `std::system_error` where there is no room for temporary files.
    watch_output();

    /// What the program gets as its standard output or error, or both.
    int descriptor() const noexcept { return file_.get(); }
    /// The last line that is not empty, or its end where it is long; of a line that is written over
    /// (a carriage return) what it shows now.
    std::string last_line() const;
    /// Copies what was added since the last call.
    /// Failure: `std::system_error` where it cannot be written.
    void copy_new(int to);

private:
    detail::unique_descriptor file_;
    std::int64_t copied_ = 0;
};

} // namespace regatta::command
