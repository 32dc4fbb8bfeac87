// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The boot loaders that set the kernel's command line.

#include <regatta/base/config.hpp>

#include <string>
#include <vector>

namespace regatta {

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
