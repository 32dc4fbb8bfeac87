// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The threads of OpenMP for one run. Included only by files that are compiled for OpenMP.

#include "schemes/scheme.hpp"

#include <regatta/cpu/affinity.hpp>
#include <regatta/cpu/cpu_set.hpp>

#include <omp.h>

#include <cstddef>
#include <string>
#include <vector>

namespace regatta::race {

/// Binds the calling thread where the environment tells OpenMP to bind its threads. GCC's library
/// binds the main thread only once, when it is loaded, which the command has undone for the others.
inline void bind_caller_of_openmp() {
    const int place = omp_get_place_num();
    if (omp_get_proc_bind() == omp_proc_bind_false || place < 0) {
        return;
    }
    std::vector<int> numbers(static_cast<std::size_t>(omp_get_place_num_procs(place)));
    omp_get_place_proc_ids(place, numbers.data());
    cpu_set cpus;
    for (const int number : numbers) {
        cpus.insert(static_cast<unsigned>(number));
    }
    try_pin_this_thread(cpus); // Undone after the run, as what any scheme does to the thread.
}

/// Makes OpenMP start its threads now, that many with the calling one.
/// Failure: `scheme_failure` if it starts fewer.
inline void start_openmp_team(unsigned workers) {
    omp_set_dynamic(0);
    const int wanted = static_cast<int>(workers);
    int got = 0;
#pragma omp parallel num_threads(wanted)
#pragma omp single
    got = omp_get_num_threads();
    if (got != wanted) {
        throw scheme_failure("OpenMP gave " + std::to_string(got) + " of " +
                             std::to_string(wanted) + " threads (OMP_THREAD_LIMIT?)");
    }
    bind_caller_of_openmp();
}

/// Ends all threads of OpenMP.
inline void end_openmp_team() {
    omp_pause_resource_all(omp_pause_hard);
}

/// The number of the standard, where this file knows what the date in _OPENMP stands for.
inline std::string openmp_version() {
    switch (const long date = _OPENMP) {
    case 201511:
        return "OpenMP 4.5";
    case 201811:
        return "OpenMP 5.0";
    case 202011:
        return "OpenMP 5.1";
    default:
        return "OpenMP of " + std::to_string(date);
    }
}

} // namespace regatta::race
