// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Whether a measurement ends with the exit status of a failure: of race, scale and advise.

#include "sampling/race_result.hpp"
#include "scaling/scale_result.hpp"

#include <algorithm>

namespace regatta::command {

/// Whether a scheme failed, or one that was named cannot run here.
inline bool any_failed(const race::race_result& result) {
    return std::ranges::any_of(result.schemes, [](const race::scheme_result& one) {
        return one.status == race::scheme_status::failed ||
               (one.status == race::scheme_status::skipped && one.named);
    });
}

/// Whether a number of workers failed.
inline bool any_failed(const race::scale_result& result) {
    return !std::ranges::all_of(result.points, &race::scale_point::ok);
}

} // namespace regatta::command
