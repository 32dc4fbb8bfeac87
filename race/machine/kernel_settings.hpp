// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// How the kernel was started, as far as that decides how fast programs are.

#include <string>
#include <vector>

namespace regatta::race {

/// A flaw of the processor and what the kernel does about it.
struct mitigation {
    std::string flaw;  ///< The kernel's name: "spectre_v2".
    std::string state; ///< The kernel's words: "Mitigation: …", "Vulnerable".
};

/// The flaws that this processor has. What is done against them makes system calls and changes
/// between processes slower.
///
/// Failure: none. Cost: a small file each.
/// @param root a directory that stands in for `/`.
std::vector<mitigation> read_mitigations(const std::string& root = {});

/// Of the options that the kernel was started with, those that decide how fast programs are:
/// "mitigations=off", "isolcpus=2-3", "idle=poll".
///
/// Failure: none. Cost: a small file.
/// @param root a directory that stands in for `/`.
std::vector<std::string> read_boot_options(const std::string& root = {});

} // namespace regatta::race
