// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A lease that ends whatever ends its owner.

#include <regatta/base/detail/unique_descriptor.hpp>

#include <sys/types.h>

namespace regatta::command {

/// A process that gives back what this one has taken, should it be killed with SIGKILL. Made before
/// a lease is taken, by a process with one thread. At its own end it is not needed any more, unless
/// something could not be given back: then it tries again as soon as this process has ended, and
/// for as long as another program keeps the journal locked.
///
/// Failure: says so on standard error; the lease can be had without.
class lease_watcher {
public:
    /// @param program a pidfd of a program that it ends before; -1: of none.
    explicit lease_watcher(int program = -1);
    lease_watcher(const lease_watcher&) = delete;
    lease_watcher& operator=(const lease_watcher&) = delete;
    ~lease_watcher();

private:
    detail::unique_descriptor
        life_; ///< Of a pipe, whose other end tells the watcher of this one's death.
    pid_t pid_ = -1;
};

} // namespace regatta::command
