// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The state of a lease, and doing and undoing its plan.

#include "lease/exclusive_journal.hpp"
#include "lease/exclusive_plan.hpp"
#include "lease/exclusive_step.hpp"
#include "lease/exclusive_system.hpp"
#include "lease/exclusive_tasks.hpp"
#include <regatta/base/detail/process_stamp.hpp>
#include <regatta/cpu/cpu_set.hpp>
#include <regatta/lease/exclusive_cpus.hpp>

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace regatta::detail {

/// A thread that is on the CPUs of a lease.
struct entered_task {
    task_mask before{};            ///< The mask that it would have without the lease.
    std::string group{};           ///< The group that it came from; empty: the lease has none.
    bool pinned = false;           ///< It got its own mask there.
    std::optional<unsigned> cpu{}; ///< The one that it got; nothing: all.
};

/// Everything that belongs to a lease.
struct lease_state {
    std::shared_ptr<exclusive_system> system;
    exclusive_options options;
    cpu_set cpus;
    cpu_set rest; ///< See `cpus_for_others`.
    exclusive_plan plan;
    lease_journal journal;
    int owner = 0;                    ///< The process; a fork of it owns nothing.
    process_stamp stamp;              ///< A fork may have its number, 1, in a PID namespace.
    std::vector<exclusive_step> done; ///< The steps to undo, last first.
    std::size_t tidy_at = 32; ///< Records of threads that have ended go at so many of threads.
    std::vector<std::string> sentences;  ///< The level obtained, and why stronger ones failed.
    std::mutex mutex;                    ///< Guards the members below.
    std::map<int, entered_task> entered; ///< By thread.
    unsigned next = 0;                   ///< Selects the next CPU, in turn, of those in least use.
};

/// Why a lease no longer holds; empty if it does.
std::string find_breach(exclusive_system& system, const exclusive_plan& plan, const cpu_set& cpus);

/// Does the steps of a plan; a failure undoes all earlier ones.
step_error apply_plan(lease_state& lease, const exclusive_plan& plan,
                      std::vector<std::string>& notes);

/// Undoes all steps. Call it under the lock.
/// @returns what could not be undone.
std::vector<std::string> end_lease(lease_state& lease);

/// The same after an exception. Without the lock, or if that fails, too, the rest is left to
/// `release_stale`.
/// @returns whether all is undone.
bool undo_or_give_up(lease_state& lease, bool has_lock) noexcept;

} // namespace regatta::detail
