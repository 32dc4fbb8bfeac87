// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The options with which the kernel keeps CPUs free from its start on.

#include <regatta/base/config.hpp>
#include <regatta/boot/kernel_config.hpp>
#include <regatta/cpu/cpu_set.hpp>
#include <regatta/cpu/topology.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace regatta {

/// What a warning of a `boot_line` is about.
enum class boot_concern {
    no_housekeeping,   ///< Nothing is left for the system: there is no line.
    cpu_zero,          ///< The CPU that the system starts on, and needs more than the others.
    split_core,        ///< A sibling stays with the system and slows the other down.
    whole_node,        ///< No CPU next to a node's memory is left for the system's work on it.
    not_online,        ///< A CPU is offline or not plugged in.
    not_in_kernel,     ///< The kernel was built without an option, which is left out.
    unknown_in_kernel, ///< Nobody knows what the kernel was built with.
    old_kernel,        ///< A part of an option is newer than the kernel, and is left out.
    already_set,       ///< The running kernel has been started with an option.
};

/// The enumerator's name.
constexpr std::string_view to_string(boot_concern concern) noexcept {
    constexpr std::string_view names[] = {
        "no_housekeeping", "cpu_zero",          "split_core", "whole_node",  "not_online",
        "not_in_kernel",   "unknown_in_kernel", "old_kernel", "already_set",
    };
    return names[static_cast<std::size_t>(concern)];
}

/// Something to know before the line is used, in whole sentences.
struct boot_warning {
    boot_concern concern{};
    std::string text;
};

/// One option of the kernel's command line.
struct boot_option {
    std::string name;
    std::string value;
    std::string purpose; ///< What it does, without a full stop.
    /// What the running kernel was started with; nothing where it has no such option.
    std::optional<std::string> current{};

    std::string text() const { return name + '=' + value; }
};

/// What a plan needs to know of the running kernel.
struct REGATTA_SYSTEM_API running_kernel {
    std::string release;      ///< "6.1.0-40-amd64"; empty: unknown.
    std::string command_line; ///< What it was started with.
    std::optional<kernel_config> config{};

    /// Reads /proc and /boot. Failure: none; what cannot be read is unknown.
    /// @param root a directory that stands in for `/`.
    static running_kernel read(const std::string& root = {});

    /// The value of the last `name=value` before the words for the first program; nothing if there
    /// is none.
    std::optional<std::string> option(std::string_view name) const;

    /// Whether it is of this version or a later one; also where the version is unknown.
    bool is_at_least(unsigned major, unsigned minor) const;
};

/// The options that keep some CPUs free from the next boot on, and what speaks against them.
struct REGATTA_SYSTEM_API boot_line {
    cpu_set cpus;
    cpu_set housekeeping;             ///< The CPUs that are present and stay with the system.
    std::vector<boot_option> options; ///< Empty where no line could be obeyed.
    std::vector<boot_warning> warnings;

    /// The options, apart by blanks.
    std::string text() const;
    /// Whether the running kernel has been started with just these options.
    bool in_force() const;
    bool warns_of(boot_concern concern) const;
};

/// Plans the kernel's command line for a machine on which `cpus` are to be kept free of everything
/// that is not pinned to them. It changes nothing; the reboot is the user's.
///
/// Failure: `std::invalid_argument` for no CPU at all, or one that this machine can never have.
/// Everything else that speaks against it is a warning. Source: the kernel's documentation of its
/// command line and of CPU isolation, NO_HZ and RCU callbacks.
REGATTA_SYSTEM_API boot_line plan_boot_line(const cpu_set& cpus, const topology& machine,
                                            const running_kernel& kernel);

} // namespace regatta
