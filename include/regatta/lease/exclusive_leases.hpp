// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The leases of CPUs on this machine: who holds which, and undoing what dead owners left behind.

#include <regatta/base/config.hpp>
#include <regatta/cpu/cpu_set.hpp>
#include <regatta/lease/exclusive_level.hpp>

#include <string>
#include <vector>

namespace regatta {

/// A lease of CPUs, as others see it.
struct exclusive_lease {
    std::string name{};  ///< Of its file in the journal.
    std::string title{}; ///< What it is for.
    cpu_set cpus{};
    exclusivity level = exclusivity::soft; ///< Of no meaning before `taken`.
    bool taken = false;                    ///< False while its owner is still at it.
    int process = 0;                       ///< Its owner.
    bool stale = false;                    ///< Whoever comes next undoes what is left of it.
    bool given_up = false;                 ///< It is stale though the owner lives.
    std::vector<std::string> effects{};    ///< What it has done, in words.
};

/// What `release_stale` did.
struct stale_release {
    std::vector<exclusive_lease> released{}; ///< Undone and read back.
    std::vector<std::string> problems{};     ///< What could not be undone; it can be tried again.
    std::vector<std::string> notes{};        ///< What people should know.
};

/// Every lease of CPUs on this machine.
/// @param unread gets a sentence for each part of the journal that this process may not read; if
/// there is one, leases may be missing.
/// @param root a directory that stands in for `/`.
///
/// Threads: any. Failure: none.
REGATTA_SYSTEM_API std::vector<exclusive_lease> exclusive_status(std::vector<std::string>& unread,
                                                                 const std::string& root = {});

/// The leases that this process may read.
REGATTA_SYSTEM_API std::vector<exclusive_lease> exclusive_status();

/// Undoes everything that leases have done whose owners died or gave them up: groups, affinities of
/// tasks and of interrupts become what they were. Done twice, or again after it was killed halfway,
/// it is the same as once.
///
/// Threads: any. Blocks: up to ten seconds for another program that takes or gives back CPUs.
/// Failure: `std::system_error` where the journal cannot be locked; what cannot be undone is told
/// in the result and stays in the journal.
REGATTA_SYSTEM_API stale_release release_stale();

} // namespace regatta
