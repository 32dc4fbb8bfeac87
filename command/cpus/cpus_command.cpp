// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "cpus/cpus_command.hpp"

#include "cpus/cpus_check.hpp"
#include "cpus/cpus_leases.hpp"
#include "cpus/cpus_pin.hpp"
#include "cpus/cpus_plan.hpp"
#include "cpus/cpus_run.hpp"
#include "cpus/cpus_show.hpp"

namespace regatta::command {

subcommand add_cpus_command(subcommand app, action& chosen, const std::vector<std::string>& words) {
    const subcommand cpus = app.add_subcommand("cpus", "The CPUs of this machine, and own ones");
    add_cpus_show(cpus, chosen);
    // One line for each command below it, each in a file cpus_NAME.cpp.
    add_cpus_check(cpus, chosen);
    add_cpus_plan(cpus, chosen);
    add_cpus_pin(cpus, chosen);
    add_cpus_run(cpus, chosen, words);
    add_cpus_leases(cpus, chosen);
    return cpus;
}

} // namespace regatta::command
