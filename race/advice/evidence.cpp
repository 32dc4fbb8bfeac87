// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "advice/evidence.hpp"

#include "sampling/verdict.hpp"

#include <algorithm>

namespace regatta::race {
namespace {

template<class T>
const T* find_named(const std::vector<T>& all, std::string_view name) noexcept {
    const auto found = std::ranges::find(all, name, &T::name);
    return found == all.end() ? nullptr : &*found;
}

} // namespace

const figure* scheme_evidence::part(std::string_view wanted) const noexcept {
    for (const auto& [part_name, ns] : parts) {
        if (part_name == wanted) {
            return &ns;
        }
    }
    return nullptr;
}

double scheme_evidence::share(std::string_view wanted) const noexcept {
    double sum = 0;
    for (const auto& one : parts) {
        sum += one.second.value;
    }
    const figure* found = part(wanted);
    return found == nullptr || sum <= 0 ? 0 : found->value / sum;
}

const scheme_evidence* race_evidence::find(std::string_view name) const noexcept {
    return find_named(schemes, name);
}

const point_evidence* scale_evidence::find(unsigned workers) const noexcept {
    const auto found = std::ranges::find(points, workers, &point_evidence::workers);
    return found == points.end() ? nullptr : &*found;
}

bool scale_evidence::warned(std::string_view kind, unsigned workers) const noexcept {
    return std::ranges::any_of(warnings, [&](const warning_evidence& one) {
        return one.kind == kind && (one.workers == 0 || one.workers == workers);
    });
}

bool scale_evidence::has_sure_peak() const noexcept {
    constexpr double least_coherence = 1e-9; // With less the peak is beyond any machine.
    constexpr double most_workers = 1e6;
    return preferred_law == "usl" && peak_workers && coherence &&
           coherence->count >= pairs_for_a_verdict && coherence->low >= least_coherence &&
           peak_workers->value <= most_workers;
}

const mode_evidence* isolation_evidence::find(std::string_view name) const noexcept {
    return find_named(modes, name);
}

} // namespace regatta::race
