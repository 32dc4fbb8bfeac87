// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What a run of a scheme tells besides its time.

#include "sampling/attribution.hpp"
#include "schemes/scheme.hpp"

#include <optional>
#include <vector>

namespace regatta::race {

/// What was found out about one run. It stays with the sample of that run.
struct run_details {
    time_split split{};
    std::optional<program_usage> usage{}; ///< Where a program of the user's ran.
    std::vector<run_figure> figures{};    ///< That the scheme measured itself.
};

} // namespace regatta::race
