// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Where the figures of a report come from.

#include "machine/fingerprint.hpp"

#include <string>
#include <vector>

namespace regatta::race {

/// What a report tells besides the result.
struct provenance {
    fingerprint machine;
    std::vector<std::string> command; ///< The command line, word by word.
};

} // namespace regatta::race
