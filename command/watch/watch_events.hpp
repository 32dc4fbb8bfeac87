// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What the view waits for: signals, keys, the end of what is watched.

#include <regatta/base/detail/unique_descriptor.hpp>

#include <chrono>

namespace regatta::command {

/// What has happened; several things may have.
struct watch_event {
    int signal = 0;
    bool key = false;
    bool terminal_gone = false;
    bool ended = false; ///< What is watched.
};

/// What to look at besides signals; -1: there is none.
struct watch_sources {
    int process = -1; ///< A pidfd.
    int keyboard = -1;
    int screen = -1;
};

/// From its construction to the end of the process, SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGTSTP and
/// SIGWINCH do nothing by themselves, so that none interrupts a drawing: they are told by `wait`.
/// Those that this process was started to ignore stay ignored. Programs that `spawn` starts are not
/// affected.
///
/// Threads: one, the only one when it is made.
class watch_events {
public:
    /// Failure: `std::system_error`.
    watch_events();

    /// Waits until something happens, at most until `deadline`; then nothing may have happened.
    watch_event wait(const watch_sources& sources, std::chrono::steady_clock::time_point deadline);
    /// Does what SIGTSTP asks for: stops this process until it is continued.
    void stop_here() noexcept;

private:
    int take_signal() noexcept;

    detail::unique_descriptor signals_;
};

} // namespace regatta::command
