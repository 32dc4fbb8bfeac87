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
/// @param count of rounds behind it.
estimate with_interval(double value, std::vector<double> resampled,
                       const std::vector<double>& of_rounds, double most, std::size_t count) {
    std::ranges::sort(resampled);
    const std::size_t cut = resampled.size() / 40;
    const double below = value - std::min(value, resampled[cut]);
    const double above = std::max(value, resampled[resampled.size() - 1 - cut]) - value;
    const double stretch = neighbour_stretch(of_rounds);
    return {value, std::max(0.0, value - below * stretch), std::min(most, value + above * stretch),
            count};
}

/// The speed-ups of one worker count: by rounds, and their median.
struct observed_workers {
    explicit observed_workers(const scaling_observation& one)
        : workers(one.workers)
        , by_round(one.speedups) {
        std::vector<double> values;
        for (const std::optional<double>& value : by_round) {
            if (value) {
                values.push_back(*value);
            }
        }
        count = values.size();
        middle = count == 0 ? 0 : median(std::move(values));
    }
    /// That of a round, if there was one.
    std::optional<double> of_round(std::size_t round) const {
        return round < by_round.size() ? by_round[round] : std::nullopt;
    }

    double workers;
    std::vector<std::optional<double>> by_round;
    std::size_t count = 0; ///< Of rounds with a value.
    double middle = 0;
};

/// The rounds of which some worker count has a value.
std::vector<std::size_t> rounds_of(const std::vector<observed_workers>& observed) {
    std::size_t end = 0;
    for (const observed_workers& one : observed) {
        end = std::max(end, one.by_round.size());
    }
    std::vector<std::size_t> rounds;
    for (std::size_t round = 0; round < end; ++round) {
        if (std::ranges::any_of(observed, [&](const observed_workers& one) {
                return one.of_round(round).has_value();
            })) {
            rounds.push_back(round);
        }
    }
    return rounds;
}

/// Of each worker count the median of its speed-ups.
std::vector<speedup_at> medians_of(const std::vector<observed_workers>& observed) {
    std::vector<speedup_at> points;
    for (const observed_workers& one : observed) {
        points.push_back({one.workers, one.middle});
    }
    return points;
}

/// The same of rounds drawn with replacement. A round is drawn for all worker counts at once, since
/// they share its baseline.
std::vector<speedup_at> resampled_medians(const std::vector<observed_workers>& observed,
                                          const std::vector<std::size_t>& rounds,
                                          random_source& random) {
    std::vector<std::size_t> drawn(rounds.size());
    for (std::size_t& round : drawn) {
        round = rounds[random.below(rounds.size())];
    }
    std::vector<speedup_at> points;
    for (const observed_workers& one : observed) {
        std::vector<double> values;
        for (const std::size_t round : drawn) {
            if (const auto value = one.of_round(round)) {
                values.push_back(*value);
            }
        }
        points.push_back({one.workers, values.empty() ? one.middle : median(std::move(values))});
    }
    return points;
}

/// The speed-ups of one round; where one is missing, the median stands in.
std::vector<speedup_at> points_of_round(const std::vector<observed_workers>& observed,
                                        std::size_t round) {
    std::vector<speedup_at> points;
    for (const observed_workers& one : observed) {
        points.push_back({one.workers, one.of_round(round).value_or(one.middle)});
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
    std::vector<observed_workers> several; // one worker is the measure of all: it says nothing
    bool one_worker = false;
    for (const scaling_observation& one : observed) {
        observed_workers mine(one);
        if (one.workers > 1 && mine.count != 0) {
            several.push_back(std::move(mine));
        }
        one_worker = one_worker || one.workers == 1;
    }
    scaling_fit result;
    result.points = several.size() + (one_worker ? 1 : 0);
    if (several.empty()) {
        return result;
    }
    const std::vector<std::size_t> rounds = rounds_of(several);
    const std::size_t fewest =
        std::ranges::min_element(several, {}, &observed_workers::count)->count;
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
        resampled.add(resampled_medians(several, rounds, random));
    }
    for (const std::size_t round : rounds) {
        of_rounds.add(points_of_round(several, round));
    }
    const std::vector<speedup_at> points = medians_of(several);
    amdahl_fit& amdahl = result.amdahl.emplace();
    amdahl.serial_fraction = with_interval(amdahl_serial(points), std::move(resampled.serial),
                                           of_rounds.serial, 1, fewest);
    amdahl.residual = residual_of(amdahl, points);
    const double most = std::max(most_off, noise);
    const bool only_slower = amdahl.serial_fraction.median >= 1 && amdahl.residual > usual_margin;
    amdahl.describes = amdahl.residual <= most && !only_slower;
    result.preferred = amdahl.describes ? scaling_law::amdahl : scaling_law::none;
    if (usl) {
        const usl_terms terms = usl_least_squares(points);
        usl_fit& fit = result.usl.emplace();
        fit.contention = with_interval(terms.contention, std::move(resampled.contention),
                                       of_rounds.contention, 1, fewest);
        fit.coherence = with_interval(terms.coherence, std::move(resampled.coherence),
                                      of_rounds.coherence, HUGE_VAL, fewest);
        fit.residual = residual_of(fit, points);
        find_peak(fit);
        const bool better = fit.coherence.low > 0 && fewest >= pairs_for_a_verdict;
        if (fit.residual <= most && (better || !amdahl.describes)) {
            result.preferred = scaling_law::usl;
        }
    }
    return result;
}

} // namespace regatta::race
