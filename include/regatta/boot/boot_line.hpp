// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The kernel options that keep CPUs free and reserve huge pages from boot on, and where a boot
/// loader takes them from.

#include <regatta/base/config.hpp>
#include <regatta/cpu/cpu_set.hpp>
#include <regatta/cpu/topology.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace regatta {

/// The release of the running kernel, as `uname -r` prints it; empty if unknown.
/// @param root a directory to use instead of `/`.
REGATTA_SYSTEM_API std::string kernel_release(const std::string& root = {});

/// A kernel's configuration: lines "CONFIG_SMP=y", as its build leaves them.
class REGATTA_SYSTEM_API kernel_config {
public:
    /// @param text the lines, for example those of /proc/config.gz, unpacked.
    /// @param source their origin, for messages.
    explicit kernel_config(std::string text, std::string source = {})
        : text_('\n' + std::move(text))
        , source_(std::move(source)) {}

    /// Reads the file that distributions install with the kernel `release`; nothing if there is
    /// none. The kernel's own copy, /proc/config.gz, is compressed and left to the caller.
    /// @param root a directory to use instead of `/`.
    static std::optional<kernel_config> read(std::string_view release,
                                             const std::string& root = {});

    /// Whether an option is built in.
    /// @param option with its prefix, "CONFIG_NO_HZ_FULL".
    bool has(std::string_view option) const;
    const std::string& source() const noexcept { return source_; }

private:
    std::string text_; ///< Begins with a line break, so that one precedes each line.
    std::string source_;
};

/// The subject of a warning of a `boot_line`.
enum class boot_concern {
    no_housekeeping,   ///< No CPU is left for the system: there is no line.
    cpu_zero,          ///< The boot CPU, which the system needs more than the others.
    split_core,        ///< A sibling stays with the system and slows the other down.
    whole_node,        ///< No CPU near a node's memory is left for the system's work on it.
    not_online,        ///< A CPU is offline or not plugged in.
    not_in_kernel,     ///< The kernel was built without an option, which is left out.
    unknown_in_kernel, ///< The configuration of the kernel is unknown.
    old_kernel,        ///< A part of an option is newer than the kernel, and is left out.
    already_set,       ///< The running kernel was started with an option.
    too_much_memory,   ///< Huge pages would leave the system little memory, or none.
};

/// The enumerator's name.
constexpr std::string_view to_string(boot_concern concern) noexcept {
    constexpr std::string_view names[] = {
        "no_housekeeping", "cpu_zero",          "split_core", "whole_node",  "not_online",
        "not_in_kernel",   "unknown_in_kernel", "old_kernel", "already_set", "too_much_memory",
    };
    return names[static_cast<std::size_t>(concern)];
}

/// A warning to read before the line is used, in whole sentences.
struct boot_warning {
    boot_concern concern{};
    std::string text;
};

/// One option of the kernel's command line.
struct boot_option {
    std::string name;
    std::string value;
    std::string purpose; ///< Its effect, without a full stop.
    /// The value that the running kernel was started with; nothing if it has no such option.
    std::optional<std::string> current{};

    std::string text() const { return name + '=' + value; }
};

/// The properties of the running kernel that a plan needs.
struct REGATTA_SYSTEM_API running_kernel {
    std::string release;      ///< "6.1.0-40-amd64"; empty: unknown.
    std::string command_line; ///< The options that it was started with.
    std::optional<kernel_config> config{};

    /// Reads /proc and /boot.
    /// Failure: none; unreadable properties are unknown.
    /// @param root a directory to use instead of `/`.
    static running_kernel read(const std::string& root = {});

    /// The value of the last `name=value` before `--`, where the arguments of init begin; nothing
    /// if there is none. For `isolcpus` and `nohz_full` it is the value of the first one, because
    /// the kernel keeps its list; a later one can only add flags for the same CPUs.
    std::optional<std::string> option(std::string_view name) const;

    /// Whether it is of this version or a later one; true if the version is unknown.
    bool is_at_least(unsigned major, unsigned minor) const;
};

/// The options that keep CPUs free from the next boot on, and warnings about them.
struct REGATTA_SYSTEM_API boot_line {
    cpu_set cpus;
    cpu_set housekeeping;             ///< The CPUs that are present and stay with the system.
    std::vector<boot_option> options; ///< Empty if the kernel would ignore any line.
    std::vector<boot_warning> warnings;

    /// The options, separated by blanks.
    std::string text() const;
    /// Whether the running kernel was started with exactly these options.
    bool in_force() const;
    bool warns_of(boot_concern concern) const;
};

/// Plans the kernel's command line for a machine that keeps `cpus` free of all tasks that are not
/// pinned to them. Changes nothing; the reboot is left to the user.
///
/// Failure: `std::invalid_argument` for no CPU at all, or one that this machine can never have.
/// Every other objection is a warning.
/// Source: the kernel's documentation of its command line and of CPU isolation, NO_HZ and RCU
/// callbacks.
REGATTA_SYSTEM_API boot_line plan_boot_line(const cpu_set& cpus, const topology& machine,
                                            const running_kernel& kernel);

/// Huge pages to reserve at boot, all of one size.
struct huge_pages {
    std::uint64_t size = 0; ///< In bytes.
    std::size_t count = 0;
};

/// The huge pages that a machine can have.
struct REGATTA_SYSTEM_API huge_page_memory {
    std::vector<std::uint64_t> sizes; ///< In bytes, ascending; empty if the kernel has none.
    std::uint64_t usual_size = 0;     ///< Of a page whose size is not named; 0: unknown.
    std::uint64_t memory = 0;         ///< Of the machine, in bytes; 0: unknown.

    /// Reads /sys/kernel/mm/hugepages and /proc/meminfo.
    /// Failure: none; unreadable properties are unknown.
    /// @param root a directory to use instead of `/`.
    static huge_page_memory read(const std::string& root = {});
};

/// Adds `hugepagesz=` and `hugepages=` to a planned line. The kernel reserves the pages before any
/// program runs, while the memory is still in one piece. They are lost to all other uses.
///
/// Failure: `std::invalid_argument` for no page, for a size that the kernel does not have, and for
/// more than the memory of the machine. A line without options stays as it is. More than half of
/// the memory is a warning.
/// Source: the kernel's documentation of hugetlbpage and of its command line.
REGATTA_SYSTEM_API void add_huge_pages(boot_line& line, const huge_pages& pages,
                                       const huge_page_memory& machine,
                                       const running_kernel& kernel);

/// "2M", "1G", "64K": a size as the kernel's command line has it.
REGATTA_SYSTEM_API std::string huge_page_size_text(std::uint64_t bytes);

/// A boot loader that was found, and how to add kernel options through it.
struct boot_loader {
    std::string name;
    std::string file;    ///< The file to edit; empty if a command sets the options.
    std::string edit;    ///< The edit: "add the options to its one line".
    std::string command; ///< The command to run before the reboot; empty: none.
};

/// The boot loaders whose files this system has; the one that started it comes first if it gave its
/// name. None in containers, and none if the host starts the kernel.
///
/// `OPTIONS` in a command is a placeholder for the options.
///
/// Failure: none; unreadable files count as missing.
/// Cost: checks about thirty paths.
/// Source: grub-mkconfig(8), kernel-install(8), the documents of U-Boot and of Debian's
/// u-boot-menu; the Boot Loader Interface of systemd for the name.
/// @param root a directory to use instead of `/`.
REGATTA_SYSTEM_API std::vector<boot_loader> find_boot_loaders(const std::string& root = {});

} // namespace regatta
