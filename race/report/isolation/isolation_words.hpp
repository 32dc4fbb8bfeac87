// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What the experiment on pinning and owning showed, in plain words.

#include "isolation/isolation_result.hpp"
#include "text/text.hpp"

#include <string>
#include <vector>

namespace regatta::race {

/// Of each mode beside the noise how it fared against alone and why, then what owning the CPUs
/// gained over pinning to them, and whether that was displaced time or slower execution.
std::vector<std::string> isolation_sentences(const isolation_result& result,
                                             const text_style& style);

} // namespace regatta::race
