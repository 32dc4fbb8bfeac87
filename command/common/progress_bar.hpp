// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// One line on the terminal that shows how far the race is.

#include "sampling/sampler.hpp"
#include "text/text.hpp"

#include <chrono>
#include <string>

namespace regatta::command {

/// Draws on standard error, at most ten times a second. Draws nothing where that is no terminal.
/// The destructor removes the line. The cursor stays: a shell that this process is stopped in, or
/// killed, would have none.
class progress_bar {
public:
    /// @param quiet nothing is drawn, whatever standard error is.
    explicit progress_bar(bool quiet);
    progress_bar(const progress_bar&) = delete;
    progress_bar& operator=(const progress_bar&) = delete;
    ~progress_bar();

    void show(const race::progress& now);

private:
    void write(const std::string& text) const;

    bool live_;
    bool drawn_ = false;
    std::chrono::steady_clock::time_point last_{};
};

/// The line without what moves the cursor: "round 3 of 15 [####    ] 12 s left, tbb".
std::string progress_line(const race::progress& now, const race::text_style& style);

} // namespace regatta::command
