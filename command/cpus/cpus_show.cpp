// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "cpus/cpus_show.hpp"

#include "common/argument_checks.hpp"
#include "common/result_files.hpp"
#include "common/usage_error.hpp"
#include "machine/processor_name.hpp"
#include "report/cpus/cpus_show_report.hpp"

#include <regatta/cpu/affinity.hpp>
#include <regatta/cpu/available_cpus.hpp>
#include <regatta/lease/exclusive_leases.hpp>

#include <memory>
#include <string>

namespace regatta::command {
namespace {

/// As they were typed.
struct show_arguments {
    std::string root;
    result_paths files;
};

int run_command(const show_arguments& arguments) {
    const std::string& root = arguments.root;
    race::cpus_view view;
    view.machine = topology::read(root);
    view.model = race::processor_name(root);
    view.this_machine = root.empty();
    if (cpu_set allowed; view.this_machine && try_affinity_of_this_thread(allowed) == 0) {
        view.allowed = allowed;
    }
    view.quota = view.this_machine ? cpu_quota() : std::nullopt;
    view.groups = race::find_cpuset_groups(view.machine, root);
    view.leases = exclusive_status(view.unread, root);

    result_files to(data_alone(arguments.files));
    const bool written = to.write(
        [&] { return race::cpus_view_json(view); },
        [&](const race::text_style& style) {
            return race::cpus_view_text(view, style) +
                   (view.this_machine
                        ? '\n' + race::wrapped("More: regatta cpus check, isolation, pin, plan, "
                                               "release, run and status",
                                               2, style)
                        : "");
        });
    return written ? exit_code::success : exit_code::failure;
}

} // namespace

void add_cpus_show(subcommand cpus, action& chosen) {
    const auto arguments = std::make_shared<show_arguments>();
    show_arguments& a = *arguments;
    add_json_option(cpus, a.files, "all of it");
    cpus.add_option("--root", a.root, "A directory with another machine's /sys, /proc and /run")
        .check(check_directory)
        .type_name("DIR");
    cpus.footer("Examples:\n"
                "  regatta cpus                     packages, cores, siblings, caches, memory\n"
                "  regatta cpus --json -            the same for programs\n"
                "  regatta cpus COMMAND --help      about one of the commands\n"
                "\nWhether CPUs of one's own are worth it: regatta race isolation.\n"
                "\nExit status: 0 all well, 1 it could not be written, 2 wrong usage.");
    cpus.runs(chosen, [arguments] { return run_command(*arguments); });
}

} // namespace regatta::command
