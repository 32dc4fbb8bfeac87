// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The threads of OpenMP for one run. Included only by files that are compiled for OpenMP.

#include "schemes/scheme.hpp"

#include <omp.h>

#include <string>

namespace regatta::race {

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
