// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "scaling/scaling_fit.hpp"

#include "sampling/random.hpp"
#include "sampling/verdict.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace regatta::race {
namespace {

/// A measured speed-up.
struct speedup_at {
    double workers = 1;
    double speedup = 1;
};

/// The error of a fit at a point is S / fit(p) − 1. By 1 / fit(p) both laws are straight lines of
/// their parameters, so the least squares of these errors have a closed form.
double amdahl_serial(const std::vector<speedup_at>& points) {
    // S / fit − 1 = S · (1 / p + s · (1 − 1 / p)) − 1
    double above = 0;
    double below = 0;
    for (const auto& [p, speedup] : points) {
        const double slope = speedup * (1 - 1 / p);
        above += slope * (1 - speedup / p);
        below += slope * slope;
    }
    return below > 0 ? std::clamp(above / below, 0.0, 1.0) : 0;
}

struct usl_terms {
    double contention = 0;
    double coherence = 0;
};

/// Where the free optimum lies outside of what the terms may be, the best is on an edge.
usl_terms usl_least_squares(const std::vector<speedup_at>& points) {
    // S / fit − 1 = S / p · (1 + σ · (p − 1) + κ · p · (p − 1)) − 1
    double aa = 0, ab = 0, bb = 0, ay = 0, by = 0;
    for (const auto& [p, speedup] : points) {
        const double a = speedup / p * (p - 1);
        const double b = a * p;
        const double y = 1 - speedup / p;
        aa += a * a;
        ab += a * b;
        bb += b * b;
        ay += a * y;
        by += b * y;
    }
    const double determinant = aa * bb - ab * ab;
    // Relative to what it is the difference of: of one worker count alone it is rounding.
    if (determinant > 1e-12 * aa * bb) {
        const usl_terms free{(ay * bb - by * ab) / determinant, (by * aa - ay * ab) / determinant};
        if (free.contention >= 0 && free.contention <= 1 && free.coherence >= 0) {
            return free;
        }
    }
    const auto only_contention = usl_terms{aa > 0 ? std::clamp(ay / aa, 0.0, 1.0) : 0, 0};
    const auto only_coherence = usl_terms{0, bb > 0 ? std::max(by / bb, 0.0) : 0};
    const auto all_contention = usl_terms{1, bb > 0 ? std::max((by - ab) / bb, 0.0) : 0};
    const auto squares = [&](const usl_terms& t) {
        // Σ (a σ + b κ − y)² without Σ y², which is the same for all.
        return t.contention * (t.contention * aa + 2 * t.coherence * ab - 2 * ay) +
               t.coherence * (t.coherence * bb - 2 * by);
    };
    return std::min(
        {only_contention, only_coherence, all_contention},
        [&](const usl_terms& x, const usl_terms& y) { return squares(x) < squares(y); });
}

template<class Fit>
double residual_of(const Fit& fit, const std::vector<speedup_at>& points) {
    double squares = 0;
    for (const auto& [p, speedup] : points) {
        const double error = speedup / fit.speedup(p) - 1;
        squares += error * error;
    }
    return points.empty() ? 0 : std::sqrt(squares / static_cast<double>(points.size()));
}

/// The estimate with the 2.5 and 97.5 percentiles of its bootstrap values as its interval. Rounds
/// that are drawn one by one are taken as independent, so it is stretched as far as the values of
/// neighbouring rounds resemble each other.
/// @param most that the value may be; the least is 0.
estimate with_interval(double value, std::vector<double> resampled,
                       const std::vector<double>& of_rounds, double most) {
    std::ranges::sort(resampled);
    const std::size_t cut = resampled.size() / 40;
    const double below = value - std::min(value, resampled[cut]);
    const double above = std::max(value, resampled[resampled.size() - 1 - cut]) - value;
    const double stretch = neighbour_stretch(of_rounds);
    return {value, std::max(0.0, value - below * stretch), std::min(most, value + above * stretch),
            of_rounds.size()};
}

/// Of each observation with more than one worker the median of its speed-ups.
std::vector<speedup_at> medians_of(const std::vector<scaling_observation>& observed) {
    std::vector<speedup_at> points;
    for (const scaling_observation& one : observed) {
        points.push_back({one.workers, median(one.speedups)});
    }
    return points;
}

/// The same of rounds drawn with replacement. A round is drawn for all observations at once, since
/// they share its baseline.
std::vector<speedup_at> resampled_medians(const std::vector<scaling_observation>& observed,
                                          random_source& random) {
    constexpr std::size_t range = std::size_t{1} << 31;
    std::size_t rounds = 0;
    for (const scaling_observation& one : observed) {
        rounds = std::max(rounds, one.speedups.size());
    }
    std::vector<std::size_t> drawn(rounds);
    for (std::size_t& place : drawn) {
        place = random.below(range);
    }
    std::vector<speedup_at> points;
    for (const scaling_observation& one : observed) {
        std::vector<double> values;
        for (std::size_t i = 0; i < one.speedups.size(); ++i) {
            values.push_back(one.speedups[drawn[i] * one.speedups.size() / range]);
        }
        points.push_back({one.workers, median(std::move(values))});
    }
    return points;
}

/// The speed-ups of one round. An observation with more rounds is thinned out.
std::vector<speedup_at> points_of_round(const std::vector<scaling_observation>& observed,
                                        std::size_t round, std::size_t rounds) {
    std::vector<speedup_at> points;
    for (const scaling_observation& one : observed) {
        points.push_back({one.workers, one.speedups[round * one.speedups.size() / rounds]});
    }
    return points;
}

void find_peak(usl_fit& fit) {
    const double sigma = fit.contention.median;
    const double kappa = fit.coherence.median;
    if (kappa <= 0) {
        return;
    }
    fit.peak_workers = usl_peak_workers(sigma, kappa);
    fit.peak_speedup = fit.speedup(*fit.peak_workers);
}

} // namespace

double amdahl_fit::speedup(double workers) const noexcept {
    return 1 / (serial_fraction.median + (1 - serial_fraction.median) / workers);
}

double usl_fit::speedup(double workers) const noexcept {
    return workers /
           (1 + contention.median * (workers - 1) + coherence.median * workers * (workers - 1));
}

double usl_peak_workers(double contention, double coherence) noexcept {
    return std::max(1.0, std::sqrt((1 - contention) / coherence));
}

std::string_view to_string(scaling_law law) noexcept {
    switch (law) {
    case scaling_law::amdahl:
        return "amdahl";
    case scaling_law::usl:
        return "usl";
    case scaling_law::none:
        break;
    }
    return "none";
}

scaling_fit fit_scaling(const std::vector<scaling_observation>& observed, std::uint64_t seed,
                        double noise) {
    constexpr std::size_t resamples = 1000;
    std::vector<scaling_observation> several; // one worker is the measure of all: it says nothing
    bool one_worker = false;
    for (const scaling_observation& one : observed) {
        if (one.workers > 1 && !one.speedups.empty()) {
            several.push_back(one);
        }
        one_worker = one_worker || one.workers == 1;
    }
    scaling_fit result;
    result.points = several.size() + (one_worker ? 1 : 0);
    if (several.empty()) {
        return result;
    }
    std::size_t rounds = several.front().speedups.size();
    for (const scaling_observation& one : several) {
        rounds = std::min(rounds, one.speedups.size());
    }
    const bool usl = several.size() >= 2;
    random_source random(seed);
    struct {
        std::vector<double> serial{}, contention{}, coherence{};
        void add(const std::vector<speedup_at>& points) {
            const usl_terms terms = usl_least_squares(points);
            serial.push_back(amdahl_serial(points));
            contention.push_back(terms.contention);
            coherence.push_back(terms.coherence);
        }
    } resampled, of_rounds;
    for (std::size_t i = 0; i < resamples; ++i) {
        resampled.add(resampled_medians(several, random));
    }
    for (std::size_t i = 0; i < rounds; ++i) {
        of_rounds.add(points_of_round(several, i, rounds));
    }
    const std::vector<speedup_at> points = medians_of(several);
    amdahl_fit& amdahl = result.amdahl.emplace();
    amdahl.serial_fraction =
        with_interval(amdahl_serial(points), std::move(resampled.serial), of_rounds.serial, 1);
    amdahl.residual = residual_of(amdahl, points);
    const double most = std::max(most_off, noise);
    const bool only_slower = amdahl.serial_fraction.median >= 1 && amdahl.residual > usual_margin;
    amdahl.describes = amdahl.residual <= most && !only_slower;
    result.preferred = amdahl.describes ? scaling_law::amdahl : scaling_law::none;
    if (usl) {
        const usl_terms terms = usl_least_squares(points);
        usl_fit& fit = result.usl.emplace();
        fit.contention = with_interval(terms.contention, std::move(resampled.contention),
                                       of_rounds.contention, 1);
        fit.coherence = with_interval(terms.coherence, std::move(resampled.coherence),
                                      of_rounds.coherence, HUGE_VAL);
        fit.residual = residual_of(fit, points);
        find_peak(fit);
        const bool better = fit.coherence.low > 0 && rounds >= pairs_for_a_verdict;
        if (fit.residual <= most && (better || !amdahl.describes)) {
            result.preferred = scaling_law::usl;
        }
    }
    return result;
}

} // namespace regatta::race
