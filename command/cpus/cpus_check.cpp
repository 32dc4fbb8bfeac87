// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "cpus/cpus_check.hpp"

#include "common/argument_checks.hpp"
#include "common/duration_argument.hpp"
#include "common/interrupt.hpp"
#include "common/result_files.hpp"
#include "common/terminal.hpp"
#include "common/usage_error.hpp"
#include "machine/fingerprint.hpp"
#include "report/cpus/cpus_check_report.hpp"
#include "sampling/race_control.hpp"

#include <regatta/inspect/exclusivity_check.hpp>
#include <regatta/inspect/task_scan.hpp>
#include <regatta/lease/exclusive_leases.hpp>

#include <fmt/core.h>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace regatta::command {
namespace {

constexpr int largest_pid = 4'194'304; // The kernel's own limit.

/// As they were typed.
struct check_arguments {
    std::string cpus;
    std::string duration = "10s";
    std::optional<std::string> threshold;
    std::vector<int> owners;
    bool look_on = false;
    result_paths files;
};

/// A line on standard error that says how far the check is, where that is a terminal.
class countdown {
public:
    countdown(std::string cpus, std::chrono::nanoseconds duration)
        : cpus_(std::move(cpus))
        , end_(std::chrono::steady_clock::now() + duration)
        , live_(is_live_terminal(STDERR_FILENO)) {}
    countdown(const countdown&) = delete;
    countdown& operator=(const countdown&) = delete;
    ~countdown() {
        if (live_) {
            draw("");
        }
    }

    void show() {
        const auto left =
            std::chrono::ceil<std::chrono::seconds>(end_ - std::chrono::steady_clock::now());
        if (live_ && left != shown_) {
            shown_ = left;
            const std::string line = fmt::format("looking at CPUs {}: {} s to go", cpus_,
                                                 std::max<long long>(left.count(), 0));
            draw(line.substr(0, width_of(STDERR_FILENO) - 1));
        }
    }

private:
    /// A terminal that went away costs the line, and not the check.
    static void draw(const std::string& line) { std::fprintf(stderr, "\r\x1b[K%s", line.c_str()); }

    std::string cpus_;
    std::chrono::steady_clock::time_point end_;
    std::chrono::seconds shown_{-1};
    bool live_;
};

/// Whether this process can see the owner of a lease. It may be in another container, have ended
/// since, or be hidden from this user.
bool is_owner_seen(const exclusive_lease& lease) {
    return !lease.numbered_elsewhere && read_process(lease.process).has_value();
}

/// Makes the owners of leases of `cpus` the owners in the check, which then runs no loop there.
/// @returns notes for the report.
std::vector<std::string> mind_leases(const cpu_set& cpus, exclusivity_check_options& options) {
    std::vector<std::string> notes;
    for (const exclusive_lease& lease : exclusive_status(notes)) {
        const cpu_set leased = lease.cpus & cpus;
        if (lease.taken && !lease.stale && !leased.empty()) {
            const bool seen = is_owner_seen(lease);
            if (seen) {
                options.owners.push_back(lease.process);
            }
            notes.push_back(fmt::format(
                "CPUs {} are leased to process {}{}{}{}.", leased.to_string(), lease.process,
                lease.title.empty() ? "" : " (" + lease.title + ")",
                seen ? "; it counts as their owner"
                     : ", which cannot be seen from here: its tasks count as intruders",
                std::exchange(options.gap_loop, false) ? ", and no loop was run beside it" : ""));
        }
    }
    return notes;
}

int run_command(const check_arguments& arguments) {
    cpu_set cpus;
    try {
        cpus = cpu_set::parse(arguments.cpus);
    } catch (const std::invalid_argument& e) {
        throw usage_error(e.what());
    }
    race::race_control control;
    exclusivity_check_options options;
    options.duration = parse_duration(arguments.duration).value_or(options.duration);
    options.threshold =
        parse_duration(arguments.threshold.value_or("")).value_or(options.threshold);
    options.owners = arguments.owners;
    options.gap_loop = !arguments.look_on && arguments.owners.empty();
    if (arguments.threshold && !options.gap_loop) {
        throw usage_error("--threshold is for the loop that feels interruptions, and with "
                          "--look-on and --owner none runs");
    }
    std::vector<std::string> notes;
    if (arguments.owners.empty()) {
        notes = mind_leases(cpus, options);
    }
    const interrupt_guard guard(control);
    result_files to(arguments.files);
    const std::string time = race::utc_text();
    const auto check = [&] {
        countdown progress(cpus.to_string(), options.duration);
        options.stop = [&] {
            progress.show();
            return control.stop_requested();
        };
        return check_exclusivity(cpus, options);
    };
    exclusivity_report report = check();
    interrupt_guard::measured();
    report.notes.insert(report.notes.begin(), notes.begin(), notes.end());
    const bool written = to.write(
        [&] { return race::cpus_check_json(report, time); },
        [&](const race::text_style& style) { return race::cpus_check_text(report, style); });
    return interrupt_guard::exit_status(written && report.exclusive() && report.conclusive()
                                            ? exit_code::success
                                            : exit_code::failure);
}

} // namespace

void add_cpus_check(subcommand cpus, action& chosen) {
    const subcommand command = cpus.add_subcommand(
        "check", "Find out whether CPUs are one's own: who else runs there, what interrupts");
    const auto arguments = std::make_shared<check_arguments>();
    check_arguments& a = *arguments;
    command.add_option("cpus", a.cpus, "The CPUs, in the kernel's notation: 2-5,8")
        .type_name("LIST")
        .required();
    command.add_option("--for", a.duration, "How long to look")
        .check(length_of_time("1ns", "30d"))
        .type_name("TIME")
        .default_str(a.duration);
    command
        .add_option("--owner", a.owners,
                    "A process that runs there by right, with its descendants: look on, and keep "
                    "the CPUs free for it. May be given several times")
        .check(whole_number(1, largest_pid))
        .type_name("PID")
        .one_value_each();
    command.add_flag("--look-on", a.look_on,
                     "Run nothing there; without this (or --owner) a loop on each CPU keeps it "
                     "busy and feels each interruption");
    command.add_option("--threshold", a.threshold, "The shortest interruption that counts")
        .check(length_of_time("100ns", "30d"))
        .type_name("TIME")
        .default_str("1us");
    add_json_option(command, a.files, "the whole result");
    command.footer(
        "Examples:\n"
        "  regatta cpus check 2-3                     CPUs that I am about to use\n"
        "  regatta cpus check 2-3 --owner 4711        CPUs on which my program runs\n"
        "  regatta cpus check 2-3 --for 1min --json result.json\n"
        "\nAs root (or with CAP_PERFMON) it names everybody who ran there, from the kernel's own "
        "record of switches. Without, it sees that somebody did, and names those whom /proc "
        "shows.\n"
        "\nExit status: 0 exclusive, 1 not, or it could not be found out, 2 wrong usage, 129, "
        "130 and 143 ended by SIGHUP, Ctrl-C and SIGTERM.");
    command.runs(chosen, [arguments] { return run_command(*arguments); });
}

} // namespace regatta::command
