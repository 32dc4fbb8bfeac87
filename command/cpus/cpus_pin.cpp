// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "cpus/cpus_pin.hpp"

#include "common/argument_checks.hpp"
#include "common/output_file.hpp"
#include "common/usage_error.hpp"
#include "machine/process_activity.hpp"
#include "text/text.hpp"

#include <regatta/base/detail/system_files.hpp>
#include <regatta/base/error.hpp>
#include <regatta/cpu/affinity.hpp>
#include <regatta/cpu/cpu_set.hpp>
#include <regatta/process/process_affinity.hpp>

#include <fmt/core.h>

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

namespace regatta::command {
namespace {

/// As they were typed.
struct pin_arguments {
    std::string cpus;
    std::optional<unsigned> process;
};

cpu_set chosen_cpus(const std::string& text) {
    cpu_set cpus;
    try {
        cpus = cpu_set::parse(text);
    } catch (const std::invalid_argument& e) {
        throw usage_error(std::string("cpus: ") + e.what());
    }
    if (cpus.empty()) {
        throw usage_error("cpus: \"" + text + "\" names no CPU");
    }
    return cpus;
}

/// Whether it is a thread of the kernel that keeps to the CPUs that the kernel chose.
bool is_bound(process_number process) {
    // The number of `flags` in proc_pid_stat(5), and that of the first field after the name.
    constexpr std::size_t flags = 9 - 3;
    constexpr std::int64_t no_setaffinity = 0x04000000; // PF_NO_SETAFFINITY
    const std::string text =
        detail::read_small_file("/proc/" + std::to_string(process) + "/stat").value_or("");
    const auto fields = detail::split(std::string_view(text).substr(text.rfind(')') + 1), ' ');
    return fields.size() > flags &&
           (detail::to_number(fields[flags]).value_or(0) & no_setaffinity) != 0;
}

int run_command(const pin_arguments& arguments) {
    const cpu_set wanted = chosen_cpus(arguments.cpus);
    const auto process = static_cast<process_number>(arguments.process.value());
    if (const auto of = race::process_of_task(process); of && *of != process) {
        throw usage_error(fmt::format("--pid: {} is a thread of process {}", process, *of));
    }
    cpu_set before;
    if (const int error = try_affinity_of_thread(process, before)) {
        fail_system(error, "pin process " + std::to_string(process));
    }
    try {
        pin_process(process, wanted);
    } catch (const std::system_error& e) {
        if (e.code() == std::errc::invalid_argument && is_bound(process)) {
            throw std::runtime_error(fmt::format(
                "pin process {}: the kernel has bound it to its CPUs, and lets nobody move it",
                process));
        }
        if (e.code() == std::errc::invalid_argument) {
            throw std::runtime_error(fmt::format(
                "pin process {}: it may use none of the CPUs {}; `regatta cpus` shows the others",
                process, wanted.to_string()));
        }
        throw;
    }
    const auto threads = threads_of(process).size();
    write_all(STDOUT_FILENO,
              fmt::format("process {}: {} on CPUs {}, before on {}\n", process,
                          race::counted(threads, "thread"), affinity_of_thread(process).to_string(),
                          before.to_string()),
              "cannot write to standard output");
    return exit_code::success;
}

} // namespace

void add_cpus_pin(subcommand cpus, action& chosen) {
    const subcommand command =
        cpus.add_subcommand("pin", "Restrict every thread of a running process to CPUs");
    const auto arguments = std::make_shared<pin_arguments>();
    pin_arguments& a = *arguments;
    command.add_option("cpus", a.cpus, "The CPUs, in the kernel's notation: 2-5,8 or 1-N:1/2")
        .type_name("LIST")
        .required();
    command.add_option("--pid", a.process, "The process")
        .check(whole_number(1, std::numeric_limits<process_number>::max()))
        .type_name("PID")
        .required();
    command.footer(
        "Examples:\n"
        "  regatta cpus pin --pid 4711 2-3     as taskset -a -cp 2-3 4711 does\n"
        "\nThreads that it starts later inherit that. Others may use the CPUs as before; to own "
        "them see regatta cpus run. Where some of the CPUs are not for this process, the kernel "
        "takes the others; the line that is printed says which.\n"
        "\nExit status: 0 pinned, 1 there is no such process or it may not be pinned there, "
        "2 wrong usage.");
    command.runs(chosen, [arguments] { return run_command(*arguments); });
}

} // namespace regatta::command
