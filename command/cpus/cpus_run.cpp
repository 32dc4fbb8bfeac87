// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "cpus/cpus_run.hpp"

#include "common/argument_checks.hpp"
#include "common/exclusivity_names.hpp"
#include "common/lease_watcher.hpp"
#include "common/terminal.hpp"
#include "common/usage_error.hpp"
#include "cpus/owned_run.hpp"

#include <regatta/cpu/cpu_set.hpp>
#include <regatta/lease/exclusive_cpus.hpp>
#include <regatta/lease/exclusive_leases.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace regatta::command {
namespace {

/// As they were typed.
struct run_arguments {
    std::string cpus; ///< Until `sort_words`: the first word that is no option.
    std::optional<unsigned> count;
    std::string at_least = "soft";
    bool move_others = false;
    bool move_interrupts = false;
    bool unbalanced = false;
    bool quiet = false;
    bool explain = false;
    std::vector<std::string> words;
};

exclusivity level_of(const std::string& text) {
    const std::vector<std::string> names = exclusivity_names();
    std::string allowed;
    for (std::size_t level = 0; level < names.size(); ++level) {
        if (names[level] == text) {
            return static_cast<exclusivity>(level);
        }
        allowed += (allowed.empty() ? "" : ", ") + names[level];
    }
    throw usage_error(
        fmt::format("--at-least: there is no level \"{}\"; there are {}", text, allowed));
}

/// Tells the list of CPUs from the program: `--` stands between them, but is no word.
/// @param list whether there was any word. @param words the whole command line.
void sort_words(run_arguments& a, bool list, const std::vector<std::string>& words) {
    const auto mark = std::find(words.begin(), words.end(), "--");
    if (mark != words.end()) {
        list = list && static_cast<std::size_t>(words.end() - mark - 1) <= a.words.size();
    } else if (cpu_list_error error; list && !cpu_set::try_parse(a.cpus, error)) {
        list = !a.count && !a.words.empty(); // Where CPUs belong it is a list with a mistake.
    }
    if (list && a.count) {
        throw usage_error("say which CPUs as a list or with --count, not both");
    }
    if (!list && !a.count) {
        throw usage_error("say which CPUs, as a list or with --count N, then -- and the program: "
                          "regatta cpus run 2-3 -- PROGRAM");
    }
    if (!list && !a.cpus.empty()) {
        a.words.insert(a.words.begin(), std::move(a.cpus));
        a.cpus.clear();
    }
    if (a.words.empty()) {
        throw usage_error("say which program to run, after --");
    }
}

exclusive_cpus take(const run_arguments& arguments, const exclusive_options& options) {
    return arguments.count ? exclusive_cpus::acquire(*arguments.count, options)
                           : exclusive_cpus::acquire(cpu_set::parse(arguments.cpus), options);
}

/// Tells once of a lease that is not what it was any more, and once when it is again.
class breach_watch {
public:
    explicit breach_watch(exclusive_cpus& lease) : lease_(lease) {}
    void look() {
        auto breach = lease_.check();
        if (breach) {
            breach = lease_.renew();
        }
        if (breach && told_ != breach) {
            tell("WARNING: the CPUs are no longer owned: " + *breach);
        } else if (!breach && told_) {
            tell("the CPUs are owned again");
        }
        told_ = std::move(breach);
    }

private:
    exclusive_cpus& lease_;
    std::optional<std::string> told_;
};

int run_command(const run_arguments& arguments) {
    exclusive_options options;
    options.at_least = level_of(arguments.at_least);
    options.move_others = arguments.move_others;
    options.move_interrupts = arguments.move_interrupts;
    options.balanced = !arguments.unbalanced;
    options.whole_processes = true;
    options.title = arguments.words.at(0);

    held_program program(arguments.words);
    const lease_watcher watcher(program.pidfd());
    exclusive_cpus lease = take(arguments, options);
    try {
        lease.enter_process(program.pid());
    } catch (const std::system_error&) {
        if (!program.ended_within(std::chrono::milliseconds(10))) {
            throw;
        }
        return program.wait([] {}); // A signal has ended it before it began.
    }
    if (!arguments.quiet) {
        std::vector<std::string> unread;
        if (!arguments.explain) { // Which tells of it, too.
            exclusive_status(unread);
        }
        for (const std::string& sentence : unread) {
            tell(sentence);
        }
        const std::vector<std::string> sentences = lease.explain();
        for (std::size_t i = 0; i < sentences.size(); ++i) {
            // What is less than asked for in the name of the command is said in any case.
            if (i == 0 || arguments.explain || (i == 1 && lease.level() <= exclusivity::swept)) {
                tell(sentences[i]);
            }
        }
    }
    if (const int error = program.start()) {
        tell(fmt::format("cannot run {}: {}", arguments.words[0],
                         std::generic_category().message(error)));
        return error == ENOENT ? 127 : 126;
    }
    breach_watch watch(lease);
    const int status = program.wait([&] { watch.look(); });
    std::string problem;
    if (lease.try_release(problem)) {
        return status;
    }
    tell("give back CPUs: " + problem);
    return status == exit_code::success ? exit_code::failure : status;
}

} // namespace

void add_cpus_run(subcommand cpus, action& chosen, const std::vector<std::string>& words) {
    const subcommand command =
        cpus.add_subcommand("run", "Run a program on CPUs that it owns while it runs");
    const auto arguments = std::make_shared<run_arguments>();
    run_arguments& a = *arguments;
    const option list =
        command.add_option("cpus", a.cpus, "The CPUs, in the kernel's notation: 2-5,8 or 1-N:1/2")
            .type_name("LIST");
    command.add_option("program", a.words, "The program and its arguments, after --")
        .type_name("PROGRAM...");
    command
        .add_option("--count", a.count, "Take as many CPUs, whichever are best, instead of a list")
        .check(whole_number(1, cpu_set::max_width))
        .type_name("N");
    command
        .add_option("--at-least", a.at_least,
                    "Run only if this much can be had: soft (the default), swept, shielded, "
                    "root-partition, isolated-partition or isolated-at-boot")
        .type_name("LEVEL");
    command.add_flag("--move-others", a.move_others,
                     "Let other programs' tasks be moved where it needs that");
    command.add_flag("--move-interrupts", a.move_interrupts,
                     "Send the interrupts of devices to other CPUs meanwhile");
    command.add_flag("--unbalanced", a.unbalanced,
                     "The program pins its threads itself: isolate the CPUs from the scheduler");
    const option explain =
        command.add_flag("--explain", a.explain, "Say what could not be had, and why");
    command.add_flag("--quiet", a.quiet, "Say nothing unless something is wrong").excludes(explain);
    command.footer(
        "Examples:\n"
        "  regatta cpus run 2-3 -- ./server --port 80\n"
        "  regatta cpus run --count 2 --move-others --at-least shielded -- make test\n"
        "\nAt the end, also after Ctrl-C or a kill, everything is as it was. Whatever of the "
        "program "
        "is still running then goes on; without groups it keeps the affinity that it inherited.\n"
        "\nExit status: the program's, or 128 and the number of the signal that ended it; 127 "
        "there is no such program, 126 it cannot be run; 1 the CPUs cannot be had at that level, "
        "or not all could be given back and the program's is 0; 2 wrong usage, and CPUs that are "
        "offline, not granted, or all there are.");
    command.final_callback([&chosen, arguments, list, &words] {
        if (!chosen) {
            sort_words(*arguments, list.count() > 0, words);
            chosen = [arguments] { return run_command(*arguments); };
        }
    });
}

} // namespace regatta::command
