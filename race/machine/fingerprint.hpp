// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What this machine is, how this program was built, and what here spoils a measurement.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace regatta::race {

/// Where a result comes from. What cannot be read is empty or absent.
struct fingerprint {
    std::string cpu_model;
    unsigned online_cpus = 0;      ///< Of the machine.
    unsigned available_cpus = 0;   ///< That this process may keep busy.
    std::string allowed_cpus;      ///< Its affinity mask, as a list: "0-3,8".
    std::optional<unsigned> cores; ///< Physical ones among those online.
    std::string kernel;
    std::string system; ///< The distribution.
    std::string architecture;
    std::string governor;            ///< How the clock is set ("performance").
    std::optional<double> clock_mhz; ///< At this moment.
    std::optional<bool> boost;       ///< Whether the clock may rise above its nominal rate.
    std::string virtualisation;      ///< Hypervisor or container; empty: none seen.
    std::uint64_t memory_bytes = 0;
    std::optional<double> cpu_quota;    ///< CPUs that the control groups grant.
    std::optional<double> load_average; ///< Of the last minute.
    std::string compiler;
    std::string flags;
    std::string build_type;
    std::string version; ///< Of this program.
    std::string time;    ///< When it was taken, UTC, ISO 8601.
};

/// Reads it. Failure: none.
/// @param root stands in for `/`, so that a test can be another machine.
fingerprint take_fingerprint(const std::string& root = {});

/// What in it spoils a benchmark, each in a plain sentence with what to do; empty where all is
/// well.
std::vector<std::string> warnings_of(const fingerprint& machine);

} // namespace regatta::race
