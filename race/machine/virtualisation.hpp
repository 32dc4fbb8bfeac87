// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Whether this is a guest on a machine that it cannot see.

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace regatta::race {

/// What lies between this process and the machine.
struct virtualisation {
    std::string hypervisor; ///< "KVM"; "unknown" where it does not say which; empty: none seen.
    std::string container;  ///< "docker", …; empty: none seen.
    /// Of the time since boot in which this guest wanted CPUs, the share that the hypervisor gave
    /// to others. Absent: nobody counts it.
    std::optional<double> stolen_share;

    /// "virtual machine (KVM), container (docker)"; empty: neither.
    std::string text() const;
};

/// The hypervisor by its signatures in CPUID, in the order of their leaves; empty: none is known.
std::string_view hypervisor_by(std::span<const std::string> signatures);

/// Reads it, and asks the processor where it can tell. Failure: none. Cost: some small files.
/// Source: the hypervisors' signatures in the leaves from 0x40000000 of CPUID; sysfs(5) for the
/// rest.
/// @param root a directory that stands in for `/`.
virtualisation read_virtualisation(const std::string& root = {});

} // namespace regatta::race
