// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Where the kernel's command line is kept on this system.

#include <regatta/base/config.hpp>

#include <string>
#include <vector>

namespace regatta {

/// A boot loader that was found, and how to hand the kernel further options through it.
struct boot_loader {
    std::string name;
    std::string file;    ///< The file to edit; empty where the options are set by a command.
    std::string edit;    ///< What to do there: "add the options to its one line".
    std::string command; ///< What to run before the reboot; empty: nothing.
};

/// The boot loaders whose files this system has, the one that has started it first where it told
/// its name; none in containers and where a host starts the kernel.
///
/// Failure: none; what cannot be read is not there. Cost: about thirty looks for a file. `OPTIONS`
/// in a command stands for the options.
/// Source: grub-mkconfig(8), kernel-install(8), the documents of U-Boot and of Debian's
/// u-boot-menu; the Boot Loader Interface of systemd for the name.
/// @param root a directory that stands in for `/`.
REGATTA_SYSTEM_API std::vector<boot_loader> find_boot_loaders(const std::string& root = {});

} // namespace regatta
