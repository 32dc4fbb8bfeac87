// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Signals as something to be read, so that none interrupts a drawing.

#include <regatta/process/unique_descriptor.hpp>

namespace regatta::command {

/// From its construction to the end of the process, SIGINT, SIGQUIT, SIGTERM, SIGHUP and SIGWINCH
/// do nothing by themselves. Those that this process was started to ignore stay ignored. Programs
/// that are started meanwhile by `spawn` are not affected.
///
/// Threads: made by the main thread before there are others.
class watch_signals {
public:
    /// Failure: `std::system_error`.
    watch_signals();

    /// Readable when a signal has come.
    int descriptor() const noexcept { return descriptor_.get(); }
    /// The next one; 0: none.
    int take() noexcept;

private:
    unique_descriptor descriptor_;
};

} // namespace regatta::command
