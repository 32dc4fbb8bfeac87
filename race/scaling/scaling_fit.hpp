// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The laws of scaling, fitted to measured speed-ups.

#include "sampling/statistics.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace regatta::race {

/// Speed-ups of one worker count, each paired with the baseline of its round.
struct scaling_observation {
    double workers = 1;
    /// Of round 0, 1 …; nothing where one of the two was not measured undisturbed.
    std::vector<std::optional<double>> speedups;
};

/// Amdahl's law: S(p) = 1 / (s + (1 − s) / p).
/// Source: G. Amdahl, "Validity of the single processor approach", 1967.
struct amdahl_fit {
    estimate serial_fraction; ///< s, 0…1.
    double residual = 0;      ///< Root of the mean square of the relative errors.
    bool describes = true;    ///< The points: see `most_off`.

    double speedup(double workers) const noexcept;
};

/// The Universal Scalability Law: S(p) = p / (1 + σ (p − 1) + κ p (p − 1)).
/// Source: N. Gunther, "Guerrilla Capacity Planning", 2007.
struct usl_fit {
    estimate contention; ///< σ: the share that is serialised, ≥ 0.
    estimate coherence;  ///< κ: what each pair of workers costs, ≥ 0.
    double residual = 0;
    /// `usl_peak_workers`, and the speed-up there. Absent where κ is 0.
    std::optional<double> peak_workers;
    std::optional<double> peak_speedup;

    double speedup(double workers) const noexcept;
};

/// From so many workers on further ones slow down: √((1 − σ) / κ), and at least 1.
/// @param coherence above 0.
double usl_peak_workers(double contention, double coherence) noexcept;

enum class scaling_law { none, amdahl, usl };
/// "none", "amdahl", "usl".
std::string_view to_string(scaling_law law) noexcept;

/// A law with a larger residual does not describe the points, unless the noise is larger. Nor does
/// Amdahl's where more workers take longer than one, by more than `usual_margin`: it knows nothing
/// slower.
inline constexpr double most_off = 0.1;

/// Both laws, as far as the points allow.
struct scaling_fit {
    std::optional<amdahl_fit> amdahl;          ///< Needs two worker counts.
    std::optional<usl_fit> usl;                ///< Needs three.
    scaling_law preferred = scaling_law::none; ///< None where none describes the points.
    std::size_t points = 0; ///< Worker counts behind it: undisturbed ones up to the CPUs available.
};

/// Fits both by least squares of the relative errors, with intervals from a bootstrap over the
/// rounds. The same observations and seed give the same fit.
/// @param noise the noise floor, as a share.
scaling_fit fit_scaling(const std::vector<scaling_observation>& observed, std::uint64_t seed = 1,
                        double noise = 0);

} // namespace regatta::race
