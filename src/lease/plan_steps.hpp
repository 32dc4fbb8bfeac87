// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The steps of plans, and the plans: one function each.

#include "lease/exclusive_machine.hpp"
#include "lease/exclusive_plan.hpp"
#include "lease/exclusive_step.hpp"
#include <regatta/cpu/cpu_set.hpp>
#include <regatta/lease/exclusive_cpus.hpp>

#include <string>

namespace regatta::detail {

exclusive_step file_step(std::string path, std::string text, std::string undo_text = {});

exclusive_step group_step(std::string path, std::string target, std::string member);

exclusive_step cpus_step(step_kind kind, std::string path, const cpu_set& cpus);

exclusive_step masks_step(step_kind kind, const plan_request& request);

exclusive_step as_optional(exclusive_step step);

exclusive_plan boot_plan(const plan_request& request);

/// A partition of control groups of version 2.
/// @param at_top whether the group is made below the top and takes whole processes. Otherwise it is
/// made below this process's group and takes threads, which stay in their group for everything but
/// CPUs.
exclusive_plan partition_plan(const plan_request& request, exclusivity level, bool at_top);

/// A cpuset of version 1 for the lease, and one without its CPUs for all other tasks.
exclusive_plan shield_plan(const plan_request& request);

/// As `shield_plan`, but only yielding processes are moved.
exclusive_plan yielding_plan(const plan_request& request);

exclusive_plan sweep_plan(const plan_request& request);

exclusive_plan soft_plan(const plan_request& request);

} // namespace regatta::detail
