// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What this machine is, how this program was built, and what here spoils a measurement.

#include "machine/blas_record.hpp"
#include "machine/clock_settings.hpp"
#include "machine/control_group.hpp"
#include "machine/kernel_settings.hpp"
#include "machine/memory_state.hpp"
#include "machine/pressure.hpp"
#include "machine/processor.hpp"
#include "machine/python.hpp"
#include "machine/virtualisation.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace regatta::race {

/// Where a result comes from. What cannot be read is empty or absent.
struct fingerprint {
    std::string kernel;
    std::string system; ///< The distribution.
    std::string architecture;
    std::vector<std::string> boot_options; ///< As `read_boot_options` says.
    std::vector<mitigation> mitigations;
    race::virtualisation guest;

    std::string cpu_model;
    std::string board; ///< Of a small machine without firmware tables: "Raspberry Pi 4 Model B".
    processor cpu;
    unsigned online_cpus = 0;                ///< Of the machine.
    unsigned available_cpus = 0;             ///< That this process may keep busy.
    cpu_set allowed_cpus;                    ///< Its affinity mask.
    std::optional<unsigned> available_cores; ///< In which those of the mask lie.
    clock_settings clock;

    memory_state memory;
    control_group group;

    std::optional<double> load_average; ///< Of the last minute.
    pressure waiting;
    std::optional<int> nice; ///< How much this process lets others go first; absent: not asked.

    std::optional<blas_record> blas; ///< Absent: not asked, as of files of another machine.
    std::optional<python_interpreter> python; ///< The same.

    std::string compiler;
    std::string flags;
    std::string build_type;
    std::string version; ///< Of this program.
    std::string time;    ///< When it was taken, UTC, ISO 8601.
};

/// Reads it. Failure: none.
/// Blocks: until OpenBLAS and Python have said what they are, some 100 ms; with `root` they are not
/// asked.
/// @param root a directory that stands in for `/`, so that another machine can be looked at: what
/// is known only to its running kernel and processes is then absent.
fingerprint take_fingerprint(const std::string& root = {});

/// What in it spoils any benchmark, each in a plain sentence with what to do; the worst first,
/// empty where all is well.
std::vector<std::string> warnings_of(const fingerprint& machine);

/// What slows down programs that compute with the BLAS or the numpy of this machine.
std::vector<std::string> library_warnings_of(const fingerprint& machine);

/// A moment, UTC, as "2026-02-28T13:05:09Z".
std::string utc_text(std::chrono::system_clock::time_point time = std::chrono::system_clock::now());

} // namespace regatta::race
