// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "boot/option_in_force.hpp"

#include <regatta/boot/boot_line.hpp>

#include <regatta/base/detail/system_files.hpp>
#include <regatta/base/error.hpp>
#include <regatta/cpu/cpu_set.hpp>
#include <regatta/cpu/detail/compact_list.hpp>
#include <regatta/cpu/topology.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace regatta {
namespace {

/// Plans a `boot_line`, one concern after the other.
class boot_line_planner {
public:
    boot_line_planner(const cpu_set& cpus, const topology& machine, const running_kernel& kernel)
        : machine_(machine)
        , kernel_(kernel) {
        line_.cpus = cpus;
        line_.housekeeping = machine.present - cpus;
    }

    boot_line plan() {
        if ((line_.housekeeping & machine_.online).empty()) {
            line_.housekeeping = {};
            warn(boot_concern::no_housekeeping,
                 "No CPU that is online would be left for the system, and the kernel would keep "
                 "one back or ignore these options. Leave it at least one.");
            return std::move(line_);
        }
        look_at_the_machine();
        add_options();
        look_at_the_command_line();
        return std::move(line_);
    }

private:
    void warn(boot_concern concern, std::string text) {
        line_.warnings.push_back({concern, std::move(text)});
    }
    static std::string named(const cpu_set& cpus) {
        return (cpus.count() == 1 ? "CPU " : "CPUs ") + cpus.to_string();
    }

    void look_at_the_machine() {
        const cpu_set& cpus = line_.cpus;
        if (cpus.contains(0)) {
            warn(boot_concern::cpu_zero,
                 "CPU 0 is the one that the system starts on: some interrupts and timekeeping "
                 "stay there, and many kernels exclude it from nohz_full. Choose another.");
        }
        const auto split = machine_.split_cores(cpus);
        cpu_set whole;
        for (const cpu_core& core : split) {
            whole |= core.cpus;
        }
        for (const cpu_core& core : split) {
            const cpu_set siblings = core.cpus - cpus;
            const bool one = siblings.count() == 1;
            warn(boot_concern::split_core,
                 named(siblings) + (one ? " shares a core with " : " share a core with ") +
                     named(core.cpus & cpus) +
                     " and stays with the system: what runs there takes part of the core." +
                     advice_on_siblings(siblings, whole));
        }
        const bool several = machine_.nodes.size() > 1;
        for (const numa_node& node :
             several ? machine_.whole_nodes(cpus) : decltype(machine_.nodes){}) {
            warn(boot_concern::whole_node,
                 "All CPUs of memory node " + std::to_string(node.id) + " (" +
                     node.cpus.to_string() +
                     ") are taken: the system's own work on that node's memory is done from "
                     "farther away. Leave it one CPU there.");
        }
        if (const cpu_set off = cpus - machine_.online; !off.empty()) {
            warn(boot_concern::not_online, named(off) + (off.count() == 1 ? " is" : " are") +
                                               " not online now: the options hold as soon as " +
                                               (off.count() == 1 ? "it is." : "they are."));
        }
    }

    /// What to do about siblings that stay with the system. @param whole all CPUs of the cores that
    /// the plan splits.
    std::string advice_on_siblings(const cpu_set& siblings, const cpu_set& whole) const {
        const cpu_set& cpus = line_.cpus;
        std::string advice;
        const auto offer = [&](const std::string& what) {
            advice += (advice.empty() ? " " : ", or ") + what;
        };
        if (leaves_some(cpus | whole) && !(whole - cpus).contains(0)) {
            offer("Plan " + detail::compact_list(cpus | whole));
        } else if (!(cpus - whole).empty()) {
            offer("Plan " + detail::compact_list(cpus - whole));
        }
        if (!siblings.contains(0) && leaves_some(cpus | siblings)) { // x86 keeps CPU 0 on.
            offer(std::string(advice.empty() ? "S" : "s") +
                  (siblings.count() == 1 ? "witch the sibling off" : "witch the siblings off"));
        }
        return advice + (advice.empty() ? "" : ".");
    }
    /// Whether the system would have a CPU left.
    bool leaves_some(const cpu_set& cpus) const { return !(machine_.online - cpus).empty(); }

    void add_options() {
        const std::string cpus = detail::compact_list(line_.cpus);
        if (!kernel_.config) {
            warn(boot_concern::unknown_in_kernel,
                 "The configuration of this kernel is unknown, so it may lack some options. They "
                 "need CONFIG_CPU_ISOLATION, CONFIG_NO_HZ_FULL and "
                 "CONFIG_RCU_NOCB_CPU.");
        }
        const bool managed = kernel_.is_at_least(5, 6);
        if (!managed) {
            warn(boot_concern::old_kernel,
                 "isolcpus=managed_irq is newer than kernel " + kernel_.release +
                     ", which would ignore the whole option, so it is left out: interrupts of "
                     "devices with a queue for each CPU stay.");
        }
        // Without flags it means `domain`; a kernel before 4.15 knows none, and has isolcpus
        // always.
        add("isolcpus", (managed ? "managed_irq,domain," : "") + cpus,
            kernel_.is_at_least(4, 15) ? "CONFIG_CPU_ISOLATION" : "",
            std::string("load balancing moves no thread there") +
                (managed
                     ? ", and devices with a queue for each CPU interrupt other CPUs where they "
                       "can"
                     : ""));
        add("nohz_full", cpus, "CONFIG_NO_HZ_FULL",
            "no timer tick while one thread runs there, and the kernel's own work goes elsewhere");
        add("rcu_nocbs", cpus, "CONFIG_RCU_NOCB_CPU",
            "RCU callbacks, which free memory late, run on other CPUs");
        add("irqaffinity", detail::compact_list(line_.housekeeping), "",
            "interrupts of devices go to the other CPUs");
    }

    void add(std::string name, std::string value, std::string_view needs, std::string purpose) {
        if (kernel_.config && !needs.empty() && !kernel_.config->has(needs)) {
            warn(boot_concern::not_in_kernel,
                 name + " is left out: this kernel was built without " + std::string(needs) + " (" +
                     kernel_.config->source() + ").");
            return;
        }
        auto current = kernel_.option(name);
        line_.options.push_back(
            {std::move(name), std::move(value), std::move(purpose), std::move(current)});
    }

    void look_at_the_command_line() {
        if (line_.in_force()) {
            warn(boot_concern::already_set,
                 "This kernel was started with just these options: there is nothing to do.");
            return;
        }
        for (const boot_option& option : line_.options) {
            if (option.current) {
                warn(boot_concern::already_set, detail::advice_on_current(option));
            }
        }
        if (const cpu_set given_up = isolated_at_boot() - line_.cpus; !given_up.empty()) {
            warn(
                boot_concern::already_set,
                named(given_up) +
                    (given_up.count() == 1 ? ", isolated now, goes" : ", isolated now, go") +
                    " back to the system with this line." +
                    (leaves_some(line_.cpus | given_up)
                         ? " Plan " + detail::compact_list(line_.cpus | given_up) + " to keep them."
                         : ""));
        }
    }

    /// The CPUs that the running kernel's isolcpus= keeps the scheduler off; none if it cannot be
    /// parsed. The first option counts that is about the scheduler (kernel/sched/isolation.c).
    cpu_set isolated_at_boot() const {
        for (const auto& [name, value] : detail::options_of(kernel_.command_line)) {
            if (name != "isolcpus") {
                continue;
            }
            if (const auto list = list_of_isolated(value)) {
                unsigned width = 1;
                for (const unsigned cpu : machine_.possible) {
                    width = cpu + 1;
                }
                cpu_list_error error;
                return cpu_set::try_parse(*list, width, error).value_or(cpu_set()) &
                       machine_.possible;
            }
        }
        return {};
    }

    /// The list in "managed_irq,domain,2-3". Flags are words, so a list does not begin with a
    /// letter. Nothing if only interrupts or ticks stay away, by other known flags than `domain`.
    static std::optional<std::string_view> list_of_isolated(std::string_view value) {
        constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
        bool domain = false;
        bool other = false;
        while (!value.empty() && letters.find(value.front()) != value.npos) {
            const std::string_view flag = value.substr(0, value.find(','));
            if (flag.size() == value.size() ||
                flag.find_first_not_of(std::string(letters) + '_') != flag.npos) {
                return std::nullopt; // A flag without a list, or the kernel refuses the option.
            }
            domain = domain || flag == "domain";
            other = other || flag == "nohz" || flag == "managed_irq";
            value.remove_prefix(flag.size() + 1);
        }
        return other && !domain ? std::nullopt : std::optional(value);
    }

    const topology& machine_;
    const running_kernel& kernel_;
    boot_line line_{};
};

} // namespace

running_kernel running_kernel::read(const std::string& root) {
    running_kernel kernel;
    kernel.release = kernel_release(root);
    const auto line = detail::read_small_file(root + "/proc/cmdline");
    kernel.command_line = line ? std::string(detail::trimmed(*line)) : std::string();
    kernel.config = kernel_config::read(kernel.release, root);
    return kernel;
}

std::optional<std::string> running_kernel::option(std::string_view name) const {
    // The kernel keeps the first list of these (kernel/sched/isolation.c).
    const bool first_counts = name == "isolcpus" || name == "nohz_full";
    std::optional<std::string> value;
    for (auto& one : detail::options_of(command_line)) {
        if (one.first == name && (!value || !first_counts)) {
            value = std::move(one.second);
        }
    }
    return value;
}

std::vector<std::pair<std::string, std::string>> detail::options_of(std::string_view command_line) {
    constexpr std::string_view blanks = " \t\n\v\f\r";
    std::vector<std::pair<std::string, std::string>> options;
    std::size_t at = 0;
    while ((at = command_line.find_first_not_of(blanks, at)) != command_line.npos) {
        std::string word;
        for (bool quoted = false;
             at < command_line.size() && (quoted || blanks.find(command_line[at]) == blanks.npos);
             ++at) {
            const char c = command_line[at];
            quoted = quoted != (c == '"');
            word.append(c == '"' ? 0 : 1, c);
        }
        if (word == "--") {
            break;
        }
        if (const auto equals = word.find('='); equals != word.npos) {
            std::string name = word.substr(0, equals);
            std::replace(name.begin(), name.end(), '-', '_'); // The same to the kernel.
            options.emplace_back(std::move(name), word.substr(equals + 1));
        }
    }
    return options;
}

bool detail::same_setting(std::string_view one, std::string_view other) {
    const auto parts = [](std::string_view value) {
        std::vector<std::string_view> flags;
        std::string_view list = value;
        while (!list.empty() && (list.front() < '0' || list.front() > '9')) {
            const std::size_t end = list.find(',');
            flags.push_back(list.substr(0, end));
            list.remove_prefix(end == list.npos ? list.size() : end + 1);
        }
        if (flags.empty()) {
            flags.emplace_back("domain"); // What isolcpus means without a flag.
        }
        std::sort(flags.begin(), flags.end());
        constexpr unsigned widest = 1u << 16; // More CPUs than a kernel can have.
        cpu_list_error error;
        return std::pair(flags, cpu_set::try_parse(list, widest, error));
    };
    const auto first = parts(one);
    const auto second = parts(other);
    return one == other || (first.second && second.second && *first.second == *second.second &&
                            first.first == second.first);
}

bool running_kernel::is_at_least(unsigned major, unsigned minor) const {
    const auto numbers = detail::split(release, '.');
    if (numbers.size() < 2) {
        return true;
    }
    const auto first = detail::to_number(numbers[0]);
    const auto second =
        detail::to_number(numbers[1].substr(0, numbers[1].find_first_not_of("0123456789")));
    return !first || !second || *first > major || (*first == major && *second >= minor);
}

std::string boot_line::text() const {
    std::string text;
    for (const boot_option& option : options) {
        text += text.empty() ? "" : " ";
        text += option.text();
    }
    return text;
}

bool boot_line::in_force() const {
    return !options.empty() &&
           std::all_of(options.begin(), options.end(),
                       [](const boot_option& option) { return detail::holds(option); });
}

bool boot_line::warns_of(boot_concern concern) const {
    return std::any_of(warnings.begin(), warnings.end(),
                       [concern](const boot_warning& w) { return w.concern == concern; });
}

boot_line plan_boot_line(const cpu_set& cpus, const topology& machine,
                         const running_kernel& kernel) {
    if (cpus.empty()) {
        fail_argument("the list names no CPU; this machine has " + machine.possible.to_string());
    }
    if (!machine.possible.contains(cpus)) {
        fail_argument("this machine has no CPU " + (cpus - machine.possible).to_string() +
                      ", only " + machine.possible.to_string());
    }
    return boot_line_planner(cpus, machine, kernel).plan();
}

} // namespace regatta
