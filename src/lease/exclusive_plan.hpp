// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The ways to CPUs of one's own on a machine, each as a list of steps.

#include "lease/exclusive_machine.hpp"
#include "lease/exclusive_step.hpp"
#include "lease/exclusive_system.hpp"
#include <regatta/cpu/cpu_set.hpp>
#include <regatta/lease/exclusive_level.hpp>
#include <regatta/lease/exclusive_options.hpp>

#include <string>
#include <vector>

namespace regatta::detail {

/// One way to a level of exclusivity.
struct exclusive_plan {
    exclusivity level = exclusivity::soft;
    std::string way{};                   ///< In words.
    std::string impossible{};            ///< Why it cannot be had here; empty: it can be tried.
    std::vector<exclusive_step> steps{}; ///< In order.
    std::string group{};                 ///< The group that tasks enter; empty: none.
    std::string home{};                  ///< The group that they come from.
    std::string member{};                ///< The file of a group that takes tasks.
    std::string others{};                ///< The group that those of the top were moved to, if any.
};

/// What plans are made for.
struct plan_request {
    exclusive_system& system;
    const exclusive_machine& machine;
    const cpu_set& cpus;
    const exclusive_options& options;
    std::string name{};          ///< What the lease's group is called.
    bool foreign_shield = false; ///< See `has_foreign_shield`.

    cpu_set rest() const { return machine.online - cpus; }
};

/// What goes with any level: interrupts and the kernel's own work elsewhere, as far as asked for.
std::vector<exclusive_step> quiet_steps(const plan_request& request, exclusivity level);

/// Every way to CPUs of one's own, the best first; the last one needs nothing.
std::vector<exclusive_plan> make_plans(const plan_request& request);

} // namespace regatta::detail
