// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What the processor calls itself, or what it is called.

#include <string>

namespace regatta::race {

/// "AMD EPYC 7763 64-Core Processor"; an Arm processor has no name but numbers, which are looked
/// up: "Kunpeng-920 (TaiShan v110)", "4 x Cortex-A53, 2 x Cortex-A72". Empty: the kernel tells
/// nothing.
///
/// Failure: none. Cost: one file. Source: the part numbers in Arm's registers MIDR_EL1, as their
/// makers publish them.
/// @param root a directory that stands in for `/`.
std::string processor_name(const std::string& root = {});

} // namespace regatta::race
