// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "cpus/cpus_plan.hpp"

#include "common/argument_checks.hpp"
#include "common/result_files.hpp"
#include "common/usage_error.hpp"
#include "cpus/packed_config.hpp"
#include "report/cpus/cpus_plan_report.hpp"

#include <regatta/boot/boot_line.hpp>
#include <regatta/cpu/topology.hpp>
#include <regatta/lease/exclusive_cpus.hpp>
#include <regatta/lease/exclusive_options.hpp>

#include <unistd.h>

#include <memory>
#include <string>

namespace regatta::command {
namespace {

/// As they were typed.
struct plan_arguments {
    std::string cpus;
    std::string root;
    bool move_others = false;
    bool move_interrupts = false;
    result_paths files;
};

int run_command(const plan_arguments& arguments) {
    const topology machine = topology::read(arguments.root);
    unsigned width = 0;
    for (const unsigned cpu : machine.possible) {
        width = cpu + 1;
    }
    race::cpus_plan plan;
    plan.this_machine = arguments.root.empty();
    plan.privileged = ::geteuid() == 0;
    plan.kernel = running_kernel::read(arguments.root);
    if (!plan.kernel.config) {
        plan.kernel.config = read_packed_config(arguments.root);
    }
    const cpu_set cpus = cpu_set::parse(arguments.cpus, width);
    plan.boot = plan_boot_line(cpus, machine, plan.kernel);
    plan.loaders = find_boot_loaders(arguments.root);

    exclusive_options options;
    options.move_others = arguments.move_others;
    options.move_interrupts = arguments.move_interrupts;
    options.whole_processes = true; // As `regatta cpus run` does.
    plan.run_time = preview_exclusive(cpus, options, arguments.root);

    result_files to(arguments.files);
    const bool written =
        to.write([&] { return race::cpus_plan_json(plan); },
                 [&](const race::text_style& style) { return race::cpus_plan_text(plan, style); });
    return written && !plan.boot.options.empty() ? exit_code::success : exit_code::failure;
}

} // namespace

void add_cpus_plan(subcommand cpus, action& chosen) {
    const subcommand command = cpus.add_subcommand(
        "plan", "Say what keeps CPUs free: at run time, and from the next boot on");
    const auto arguments = std::make_shared<plan_arguments>();
    plan_arguments& a = *arguments;
    command.add_option("cpus", a.cpus, "The CPUs, in the kernel's notation: 2-5,8 or 1-N:1/2")
        .type_name("LIST")
        .required();
    command.add_flag("--move-others", a.move_others,
                     "At run time, let other programs' tasks be moved where it needs that");
    command.add_flag("--move-interrupts", a.move_interrupts,
                     "At run time, send the interrupts of devices to other CPUs");
    add_json_option(command, a.files, "the whole plan");
    command
        .add_option("--root", a.root,
                    "A directory with another machine's /sys, /proc, /boot and /etc")
        .check(check_directory)
        .type_name("DIR");
    command.footer(
        "Examples:\n"
        "  regatta cpus plan 2-5\n"
        "  regatta cpus plan 1-N:1/2 --json plan.json\n"
        "\nIt only looks, and needs no privilege. A reboot and the boot loader's files are yours.\n"
        "\nExit status: 0 all well, 1 there is no line for the kernel (no CPU would be left for "
        "the system), or\nthe result could not be written; 2 wrong usage, or a file that cannot be "
        "opened.");
    command.runs(chosen, [arguments] { return run_command(*arguments); });
}

} // namespace regatta::command
