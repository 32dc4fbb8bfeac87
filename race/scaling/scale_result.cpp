// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "scaling/scale_result.hpp"

#include <algorithm>

namespace regatta::race {

std::string_view to_string(scale_warning_kind kind) noexcept {
    switch (kind) {
    case scale_warning_kind::disturbed:
        return "disturbed";
    case scale_warning_kind::super_linear:
        return "super_linear";
    case scale_warning_kind::clock_changed:
        return "clock_changed";
    case scale_warning_kind::baseline_drifted:
        return "baseline_drifted";
    case scale_warning_kind::within_noise:
        return "within_noise";
    case scale_warning_kind::oversubscribed:
        return "oversubscribed";
    case scale_warning_kind::few_rounds:
        return "few_rounds";
    case scale_warning_kind::short_samples:
        return "short_samples";
    case scale_warning_kind::late:
        return "late";
    case scale_warning_kind::stopped:
        break;
    }
    return "stopped";
}

const scale_point* scale_result::find(unsigned workers) const noexcept {
    const auto found = std::ranges::find(points, workers, &scale_point::workers);
    return found == points.end() ? nullptr : &*found;
}

bool scale_result::disturbed() const noexcept {
    return std::ranges::find(warnings, scale_warning_kind::disturbed, &scale_warning::kind) !=
           warnings.end();
}

} // namespace regatta::race
