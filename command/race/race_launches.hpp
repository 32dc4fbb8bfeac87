// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A race in several fresh processes: `regatta race --launches N`.

#include "sampling/race_control.hpp"
#include "sampling/sampler.hpp"
#include "text/json.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace regatta::command {

/// Runs this program again so many times, with the same words but those that say where the result
/// goes. The order of the runs of launch i has the seed `order_seed` + i.
/// @returns the document of each launch: of a race, or of a sweep.
///
/// Failure: `race::scheme_failure` with what the first launch said, if it wrote no result;
/// `std::system_error` where it cannot be started. A later one that fails in either way ends the
/// launches, and those before it count. After a stop of `control` it returns what was measured by
/// then.
/// @param failure gets why a later launch failed.
std::vector<race::json> run_launches(unsigned launches, std::uint64_t order_seed,
                                     const std::vector<std::string>& words,
                                     race::race_control& control,
                                     const std::function<void(const race::progress&)>& report,
                                     std::string& failure);

} // namespace regatta::command
