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

#include <fmt/core.h>

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace regatta::command {
namespace {

/// As they were typed.
struct plan_arguments {
    std::string cpus;
    std::string root;
    bool move_others = false;
    bool move_interrupts = false;
    std::string huge_pages;
    result_paths files;
};

/// "1G:4", or "512" of the usual size. What the machine has is not known yet.
std::optional<huge_pages> parse_huge_pages(std::string_view text) {
    huge_pages pages;
    if (const auto colon = text.find(':'); colon != text.npos) {
        constexpr std::string_view units = "KMG";
        const auto unit = colon != 0 ? units.find(text[colon - 1]) : units.npos;
        std::uint64_t number = 0;
        if (unit == units.npos ||
            !is_whole_number(std::string(text.substr(0, colon - 1)), number) || number == 0 ||
            number > 1024) {
            return std::nullopt;
        }
        pages.size = static_cast<std::size_t>(number) << (10 * (unit + 1));
        text.remove_prefix(colon + 1);
    }
    std::uint64_t count = 0;
    if (!is_whole_number(std::string(text), count) || count == 0) {
        return std::nullopt;
    }
    pages.count = static_cast<std::size_t>(count);
    return pages;
}

void plan_huge_pages(const plan_arguments& arguments, race::cpus_plan& plan) {
    auto pages = parse_huge_pages(arguments.huge_pages);
    if (!pages) {
        return;
    }
    const huge_page_memory machine = huge_page_memory::read(arguments.root);
    if (pages->size == 0) {
        pages->size = machine.usual_size;
    }
    try {
        add_huge_pages(plan.boot, *pages, machine, plan.kernel);
    } catch (const std::invalid_argument& e) {
        throw usage_error(std::string("--huge-pages: ") + e.what());
    }
}

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
    plan_huge_pages(arguments, plan);
    plan.loaders = find_boot_loaders(arguments.root);

    exclusive_options options;
    options.move_others = arguments.move_others;
    options.move_interrupts = arguments.move_interrupts;
    options.whole_processes = true; // As `regatta cpus run` does.
    options.balanced = true;
    plan.run_time = preview_exclusive(cpus, options, arguments.root);
    plan.permissions = arguments.move_others ? " --move-others" : "";
    plan.permissions += arguments.move_interrupts ? " --move-interrupts" : "";

    result_files to(data_alone(arguments.files));
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
    command
        .add_option("--huge-pages", a.huge_pages,
                    "From the next boot on, reserve so many huge pages, of the usual size or of "
                    "this one: 512, 2M:512, 1G:4")
        .check([](const std::string& text) {
            return parse_huge_pages(text)
                       ? std::string()
                       : fmt::format("\"{}\" is no number of huge pages; write 512, 2M:512 or 1G:4",
                                     text);
        })
        .type_name("[SIZE:]N");
    add_json_option(command, a.files, "the whole plan");
    command
        .add_option("--root", a.root,
                    "A directory with another machine's /sys, /proc, /boot, /etc, /usr and /run")
        .check(check_directory)
        .type_name("DIR");
    command.footer(
        "Examples:\n"
        "  regatta cpus plan 2-5\n"
        "  regatta cpus plan 1-N:1/2 --json plan.json\n"
        "  regatta cpus plan 2-5 --huge-pages 1G:4\n"
        "\nIt only looks, and needs no privilege. A reboot and the boot loader's files are yours.\n"
        "\nExit status: 0 all well, 1 there is no line for the kernel (no CPU would be left for "
        "the system), the machine cannot be read, or the result could not be written; 2 wrong "
        "usage, or a file that cannot be opened.");
    command.runs(chosen, [arguments] { return run_command(*arguments); });
}

} // namespace regatta::command
