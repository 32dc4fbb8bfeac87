// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The measurements that `regatta advise` makes itself.

#include "advice/evidence.hpp"
#include "common/measure_arguments.hpp"
#include "report/common/provenance.hpp"
#include "sampling/race_control.hpp"

#include <vector>

namespace regatta::command {

/// Rounds of each of the two measurements, unless others are asked for.
inline constexpr unsigned advise_rounds = 9;

struct advice_measurement {
    std::vector<race::result_text> results;
    bool failed = false; ///< The scaling could not be measured.
};

/// Races all schemes of the workload and measures how far threads scale it; the results are the
/// documents that `regatta race` and `regatta scale` would write. Unless `quiet`, it draws progress
/// bars, and says first what it measures.
///
/// After `control.request_stop()` it returns what there is by then. Failure: `usage_error` for an
/// option that the workload does not read; otherwise as `run_race`. Where one worker alone fails in
/// the scaling, it says so, and the race remains.
advice_measurement measure_for_advice(const race::workload_info& workload,
                                      const measure_arguments& arguments, bool quiet,
                                      const race::provenance& from, race::race_control& control);

} // namespace regatta::command
