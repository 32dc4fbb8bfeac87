// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Which figures of a measurement of scaling cannot be true, or say less than they seem to.

#include "scaling/scale_result.hpp"
#include "scaling/scale_samples.hpp"

namespace regatta::race {

/// The share of disturbed runs from which on the whole measurement counts as disturbed. A few are
/// normal on any machine; they are dropped, and the rest stands.
inline constexpr double disturbed_share = 0.1;

/// Adds the warnings. docs/reference/scaling.md says what each of them rests on.
/// @param result with all its figures.
void check_truth(scale_result& result, const scale_samples& evidence);

} // namespace regatta::race
