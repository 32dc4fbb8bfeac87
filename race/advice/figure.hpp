// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A figure that was measured, and where it stands.

#include <cstddef>
#include <string>

namespace regatta::race {

/// A number of a result file.
struct figure {
    double value = 0;
    std::string file;   ///< As it was given: "race.json".
    std::string member; ///< "schemes[3].vs_baseline.median".
};

/// An estimate of a result file.
struct figure_interval {
    figure median;
    double low = 0;
    double high = 0;
    std::size_t count = 0; ///< Of values behind it.
};

} // namespace regatta::race
