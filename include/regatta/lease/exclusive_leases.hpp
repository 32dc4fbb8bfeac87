// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The leases of CPUs on this machine, and undoing those whose owners died.

#include <regatta/base/config.hpp>
#include <regatta/cpu/cpu_set.hpp>
#include <regatta/lease/exclusive_cpus.hpp>

#include <string>
#include <vector>

namespace regatta {

/// A lease of CPUs, as other processes see it.
struct exclusive_lease {
    std::string name{};  ///< The name of its file in the journal.
    std::string title{}; ///< Its purpose, as its owner gave it.
    cpu_set cpus{};
    exclusivity level = exclusivity::soft; ///< Meaningless before `taken`.
    bool taken = false;                    ///< False while its owner is still taking the CPUs.
    int process = 0;                       ///< The owner.
    /// `process` is a number of another PID namespace: here it means no process, or a stranger.
    bool numbered_elsewhere = false;
    bool stale = false;    ///< The next `acquire` or `release_stale` undoes the rest of it.
    bool given_up = false; ///< Stale although the owner lives.
    std::vector<std::string> effects{}; ///< The changes it made, in words.
};

/// The outcome of `release_stale`.
struct stale_release {
    std::vector<exclusive_lease> released{}; ///< Undone and verified.
    /// Steps not undone, and files of leases not removed; a later call tries again.
    std::vector<std::string> problems{};
    /// What could not be read, a sentence each: leases may be left behind. Parts of the journal; or
    /// no owner, where /proc belongs to another PID namespace.
    std::vector<std::string> unread{};
    std::vector<std::string> notes{}; ///< Further facts for the user.
};

/// Every lease of CPUs on this machine.
/// @param unread gets a sentence for each part of the journal that this process may not read; if
/// there is one, leases may be missing.
/// @param root a directory to use instead of `/`.
///
/// Threads: any.
/// Failure: none.
REGATTA_SYSTEM_API std::vector<exclusive_lease> exclusive_status(std::vector<std::string>& unread,
                                                                 const std::string& root = {});

/// The leases that this process may read.
REGATTA_SYSTEM_API std::vector<exclusive_lease> exclusive_status();

/// Undoes the changes of stale leases, whose owners died or gave them up. Groups and the affinities
/// of tasks and interrupts become what they were. The call is idempotent, even after it was killed
/// halfway.
///
/// Threads: any.
/// Blocks: up to ten seconds, while another program takes or gives back CPUs.
/// Failure: `std::system_error` if the journal cannot be locked. Steps that cannot be undone are in
/// the result and stay in the journal. So do leases whose files cannot be removed.
REGATTA_SYSTEM_API stale_release release_stale();

} // namespace regatta
