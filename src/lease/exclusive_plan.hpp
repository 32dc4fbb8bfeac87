// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The ways to lease CPUs on a machine, each as a list of steps.

#include "lease/exclusive_machine.hpp"
#include "lease/exclusive_step.hpp"
#include "lease/exclusive_system.hpp"
#include <regatta/cpu/cpu_set.hpp>
#include <regatta/lease/exclusive_cpus.hpp>

#include <string>
#include <vector>

namespace regatta::detail {

/// One way to a level of exclusivity.
struct exclusive_plan {
    exclusivity level = exclusivity::soft;
    std::string way{};                   ///< In words.
    std::string impossible{};            ///< Why it is impossible here; empty: it can be tried.
    std::vector<exclusive_step> steps{}; ///< In order.
    std::string group{};                 ///< The group that tasks enter; empty: none.
    group_tree tree{};                   ///< Where that group is.
    std::string member{};                ///< The file of a group that takes tasks.
    std::string others{};                ///< The group that took all other tasks; empty: none.

    /// The group of a task now; empty if it has ended.
    std::string group_of(exclusive_system& system, int process, int thread) const;
};

/// The input of a plan.
struct plan_request {
    exclusive_system& system;
    const exclusive_machine& machine;
    const cpu_set& cpus;
    const exclusive_options& options;
    std::string name{};          ///< The name of the lease's group.
    bool foreign_shield = false; ///< See `has_foreign_shield`.
    cpu_set rest{};              ///< See `cpus_for_others`.
};

/// Optional steps for any level: they move interrupts and kernel work elsewhere, as far as
/// requested.
std::vector<exclusive_step> quiet_steps(const plan_request& request, exclusivity level);

/// Every way to lease the CPUs, the best first; the last one needs no privilege.
std::vector<exclusive_plan> make_plans(const plan_request& request);

} // namespace regatta::detail
