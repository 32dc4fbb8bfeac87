// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What the samples of the experiment mean.

#include "isolation/isolation_result.hpp"

namespace regatta::race {

/// Which of the two parts of a difference made it: the time without a CPU, the dearer work, or,
/// where each is a third of it or more, both. `none` where neither is above 0.
cause cause_of(double displaced_ns, double slower_ns) noexcept;

/// Fills in all that follows from the samples: the medians, what compares with alone, verdicts,
/// causes, the noise floor, and notes on disturbed modes. A mode of whose samples none is clean is
/// compared by all of them and gets no verdict.
/// @param result has `workers`, `seed`, `control` and of each mode status, `measured` and `runs`.
void evaluate_isolation(isolation_result& result);

} // namespace regatta::race
