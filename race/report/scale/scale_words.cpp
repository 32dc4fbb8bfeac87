// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "report/scale/scale_words.hpp"

#include "scaling/speedup.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string_view>

namespace regatta::race {
namespace {

/// A coefficient of the law: small ones have an exponent.
std::string coefficient(double value) {
    return value == 0 ? std::string("0") : fmt::format("{:#.2g}", value);
}

std::string span(const std::string& low, const std::string& high, const text_style& style) {
    return fmt::format("{}{}{}", low, style.unicode ? "…" : "..", high);
}

/// A share below this is shown as 0 %.
constexpr double no_share = 0.0005;

/// Whether there is an interval: too few rounds have none.
bool has_interval(const estimate& e) {
    return e.count >= pairs_for_a_verdict;
}

/// "19×": two figures are all that a law can tell.
std::string about_times(double ratio, const text_style& style) {
    return about_text(ratio) + (style.unicode ? "×" : "x");
}

/// One of them where both are the same.
std::string range_of(const std::string& low, const std::string& high, const text_style& style) {
    return low == high ? low : span(low, high, style);
}

/// "19×…23×": between which speed-ups a serial share has its limit.
std::string limit_of(const estimate& share, const text_style& style) {
    return range_of(about_times(1 / share.high, style), about_times(1 / share.low, style), style);
}

/// The points that the laws were fitted to, in the rising order of workers.
std::vector<const scale_point*> fitted_points(const scale_result& result) {
    std::vector<const scale_point*> points;
    for (const scale_point& one : result.points) {
        if (one.ran() && !one.measured.disturbed() && one.workers > 1 &&
            one.workers <= result.cpus) {
            points.push_back(&one);
        }
    }
    return points;
}

/// Whether any speed-up is less than the ideal by more than its noise.
bool loses_something(const std::vector<const scale_point*>& points) {
    return points.empty() || std::ranges::any_of(points, [](const scale_point* one) {
               return one->speedup.high < one->workers;
           });
}

/// What the upper end of the interval means where the lower one is 0. The speed-up of most workers
/// has its say too: the noise floor is part of its interval.
std::string no_serial_part(const amdahl_fit& fit, const std::vector<const scale_point*>& points,
                           const text_style& style) {
    double most = fit.serial_fraction.high;
    if (!points.empty() && points.back()->speedup.low > 0) {
        const double p = points.back()->workers;
        most = std::max(most, std::min(1.0, (p / points.back()->speedup.low - 1) / (p - 1)));
    }
    const std::string head = "Amdahl's law: no serial part can be told from none here";
    return most < no_share
               ? head + "; there is too little of it to set a limit."
               : head + fmt::format(". At most {} of the work is serial: {} and more stay "
                                    "possible.",
                                    percent_text(most), about_times(1 / most, style));
}

std::string amdahl_sentence(const amdahl_fit& fit, const scale_result& result,
                            const text_style& style) {
    const estimate& serial = fit.serial_fraction;
    if (!has_interval(serial)) {
        return fmt::format("Amdahl's law: {} of the work is serial, as it looks; too few clean "
                           "rounds to tell a limit.",
                           percent_text(serial.median));
    }
    const std::vector<const scale_point*> points = fitted_points(result);
    if (serial.low < no_share || !loses_something(points)) {
        return no_serial_part(fit, points, style);
    }
    return fmt::format("Amdahl's law: {} of the work is serial ({}), which limits the speed-up to "
                       "{}, however many workers there are.",
                       percent_text(serial.median),
                       span(percent_text(serial.low), percent_text(serial.high), style),
                       limit_of(serial, style));
}

std::string usl_sentence(const usl_fit& fit, const text_style& style) {
    const auto term = [&](std::string_view name, std::string_view sign, const estimate& e) {
        const std::string interval =
            has_interval(e)
                ? fmt::format(" ({})", span(coefficient(e.low), coefficient(e.high), style))
                : std::string();
        return fmt::format("{} {}{}{}", name, style.unicode ? fmt::format("{} = ", sign) : "",
                           coefficient(e.median), interval);
    };
    return fmt::format("Universal Scalability Law: {}, {}.",
                       term("contention", "σ", fit.contention),
                       term("coherence", "κ", fit.coherence));
}

/// Where a peak would be at the earliest, if κ may also be 0; and what σ alone allows.
std::string no_peak(const usl_fit& fit, const text_style& style) {
    std::string text = "No peak can be told";
    const double least = fit.coherence.high > 0
                             ? std::floor(usl_peak_workers(fit.contention.high, fit.coherence.high))
                             : 0;
    if (least > 1) { // no peak is below one worker anyway
        text += fmt::format(": if there is one, it lies beyond {} workers", about_text(least));
    }
    return text + (fit.contention.low < no_share
                       ? "."
                       : fmt::format("; contention alone limits the speed-up to {}.",
                                     limit_of(fit.contention, style)));
}

/// Where more workers stop helping, as that law has it.
std::string peak_of(const usl_fit& fit, const scale_result& result, const text_style& style) {
    if (!has_interval(fit.coherence)) {
        return "Too few clean rounds to tell a peak.";
    }
    if (fit.coherence.low <= 0 || !fit.peak_workers || !fit.peak_speedup) {
        return no_peak(fit, style);
    }
    const double from = std::floor(usl_peak_workers(fit.contention.high, fit.coherence.high));
    const double to = std::ceil(usl_peak_workers(fit.contention.low, fit.coherence.low));
    std::string text =
        fmt::format("Its predicted peak: some {} at {} worker{}; with more it slows down.",
                    about_times(*fit.peak_speedup, style),
                    range_of(about_text(from), about_text(to), style), to > 1 ? "s" : "");
    if (*fit.peak_workers > 2.0 * result.cpus) {
        text +=
            fmt::format(" That is far beyond the {} measured: read it as an order of magnitude.",
                        counted(result.cpus, "CPU"));
    }
    return text;
}

/// Why no law says anything.
std::string undescribed(const scaling_fit& fit) {
    if (!fit.usl && fit.amdahl->serial_fraction.median >= 1) {
        return "Amdahl's law knows nothing slower than one worker: no serial part can be told from "
               "these figures.";
    }
    if (!fit.usl) {
        return fmt::format("Amdahl's law does not describe the {} numbers of workers: it is {} "
                           "off. No serial part can be told from them.",
                           fit.points, percent_text(fit.amdahl->residual));
    }
    return fmt::format("Neither law of scaling describes the {} numbers of workers: on average "
                       "Amdahl's is {} off, the Universal Scalability Law {}. No serial part and "
                       "no peak can be told from them.",
                       fit.points, percent_text(fit.amdahl->residual),
                       percent_text(fit.usl->residual));
}

/// The end of a conclusion that notes cast doubt upon.
constexpr std::string_view settle_the_notes = " Settle the notes above before you rely on this.";

bool to_be_measured_again(const scale_result& result) {
    return std::ranges::any_of(result.warnings, [&](const scale_warning& one) {
        return one.kind == scale_warning_kind::disturbed ||
               (one.kind == scale_warning_kind::super_linear && !result.items_wait) ||
               one.kind == scale_warning_kind::clock_changed;
    });
}

/// One beside the other within the rounds, with an interval that is widened by the noise floor.
verdict beside(const scale_point& one, const scale_point& other, const scale_result& result) {
    return judge(widened(paired_ratio(one.measured, other.measured), result.floor.distance),
                 result.margin);
}

/// The least number of workers that no larger one clearly beats, both of those that clearly beat
/// one worker, if any do.
const scale_point& best_of(const std::vector<const scale_point*>& points,
                           const scale_result& result) {
    const auto is_faster = [](const scale_point* point) { return point->word == verdict::faster; };
    const bool scales = std::ranges::any_of(points, is_faster);
    const auto counts = [&](const scale_point* point) { return !scales || is_faster(point); };
    // The largest that counts is unbeaten.
    return **std::ranges::find_if(points, [&](const scale_point* point) {
        return counts(point) && std::ranges::none_of(points, [&](const scale_point* larger) {
                   return larger->workers > point->workers && counts(larger) &&
                          beside(*larger, *point, result) == verdict::faster;
               });
    });
}

/// "8 workers are not clearly faster (4.53×)".
std::string fate_beyond(const scale_point& point, const scale_point& best,
                        const scale_result& result, const text_style& style) {
    const verdict word = beside(point, best, result);
    const std::string_view how = word == verdict::slower ? "are slower"
                                 : word == verdict::faster
                                     ? "are faster, but not clearly faster than one"
                                     : "are not clearly faster";
    return fmt::format("{} workers {} ({})", point.workers, how,
                       times_text(point.speedup.median, style));
}

/// What a conclusion from too few clean rounds begins with.
std::string too_few_clean_rounds() {
    return fmt::format("Too few clean rounds for a verdict ({} are needed); as it looks, ",
                       pairs_for_a_verdict);
}

std::string rate_conclusion(const std::vector<const scale_point*>& points,
                            const scale_result& result, const text_style& style) {
    const auto is_late = [&](const scale_point* point) {
        return std::ranges::any_of(result.warnings, [&](const scale_warning& one) {
            return one.kind == scale_warning_kind::late && one.workers == point->workers;
        });
    };
    const auto latency = [&](const scale_point& point) {
        const auto most = static_cast<double>(point.latency.percentile(0.95));
        return fmt::format("{} with {}", duration_text(most, style),
                           counted(point.workers, "worker"));
    };
    const bool known = std::ranges::all_of(points, [](const scale_point* one) {
        return !one->measured.disturbed() && one->measured.usable().size() >= pairs_for_a_verdict;
    });
    const bool doubtful = known && to_be_measured_again(result);
    std::string text = !known ? too_few_clean_rounds() : doubtful ? "As measured, " : "";
    const std::string_view end = doubtful ? settle_the_notes : "";
    const auto first = std::ranges::find_if_not(points, is_late);
    if (first == points.end()) {
        return text + fmt::format("{} items/s are more than {} can take.{}",
                                  amount_text(*result.rate),
                                  counted(points.back()->workers, "worker"), end);
    }
    text += fmt::format("{} {} up with {} items/s.", counted((*first)->workers, "worker"),
                        (*first)->workers == 1 ? "keeps" : "keep", amount_text(*result.rate));
    std::string all;
    for (auto one = first; one != points.end(); ++one) {
        if ((*one)->latency.count() != 0 && !is_late(*one)) {
            all += (all.empty() ? "" : ", ") + latency(**one);
        }
    }
    text += all.empty() ? "" : fmt::format(" 95 % of the items took no longer than {}.", all);
    return text.append(end);
}

} // namespace

std::vector<std::string> fit_sentences(const scale_result& result, const text_style& style) {
    const scaling_fit& fit = result.fit;
    std::vector<std::string> all;
    if (result.rate || (!fit.amdahl && !fit.usl)) {
        return all;
    }
    const bool above = std::ranges::any_of(result.warnings, [](const scale_warning& one) {
        return one.kind == scale_warning_kind::super_linear;
    });
    if (above) {
        all.emplace_back("The laws of scaling know nothing above linear: no serial part and no "
                         "peak can be told from these figures.");
        return all;
    }
    if (fit.preferred == scaling_law::none && fit.amdahl) {
        all.push_back(undescribed(fit));
        return all;
    }
    if (fit.amdahl && fit.amdahl->describes) {
        all.push_back(amdahl_sentence(*fit.amdahl, result, style));
    }
    if (fit.usl) {
        all.push_back(usl_sentence(*fit.usl, style) + ' ' + peak_of(*fit.usl, result, style));
    }
    if (fit.amdahl && fit.usl && has_interval(fit.usl->coherence)) {
        const bool amdahl = fit.preferred == scaling_law::amdahl;
        all.push_back(fmt::format(
            "{} the {} numbers of workers{}: on average it is {} off, the other {}.",
            amdahl ? "Amdahl's law suffices for" : "The Universal Scalability Law describes",
            fit.points, amdahl ? "" : " better",
            percent_text(amdahl ? fit.amdahl->residual : fit.usl->residual),
            percent_text(amdahl ? fit.usl->residual : fit.amdahl->residual)));
    } else if (fit.points < 3) {
        all.push_back(fmt::format("With {} of workers up to the {} that is a line through the "
                                  "points; whether the law holds takes three.",
                                  counted(fit.points, "number"), counted(result.cpus, "CPU")));
    }
    return all;
}

std::string peak_sentence(const scale_result& result) {
    const scale_point* one = result.find(1);
    if (result.rate || !result.peak || *result.peak <= 0 || one == nullptr || !one->ran()) {
        return {};
    }
    return fmt::format("One worker reaches {} of {} {}/s, the peak of a core ({}).",
                       percent_text(one->throughput.median / *result.peak),
                       amount_text(*result.peak), result.unit, result.peak_source);
}

std::string scale_conclusion(const scale_result& result, const text_style& style) {
    std::vector<const scale_point*> points;
    for (const scale_point& one : result.points) {
        if (one.ran()) {
            points.push_back(&one);
        }
    }
    if (points.empty() || points.front()->workers != 1) {
        const std::size_t before =
            result.points.empty() ? 0 : result.points.front().measured.samples.size();
        return points.empty() && before == 0 ? "Nothing was measured."
               : before == 0 ? "One worker was not measured: there is nothing to compare with."
                             : fmt::format("One worker failed after {}: {}there is no conclusion.",
                                           counted(before, "round"),
                                           result.rate ? "" : "speed-ups rest on those, and ");
    }
    if (result.rate) {
        return rate_conclusion(points, result, style);
    }
    const scale_point& first = *points.front();
    const std::string rate =
        fmt::format("{} {}/s", amount_text(first.throughput.median), result.unit);
    if (points.size() == 1) {
        return fmt::format("One worker: {}. How far it scales takes two numbers of workers.", rate);
    }
    const bool known = std::ranges::all_of(
        points, [](const scale_point* one) { return one->word != verdict::undecided; });
    if (!known) {
        const scale_point& most = **std::ranges::max_element(
            points, {}, [](const scale_point* one) { return one->speedup.median; });
        const std::string head = too_few_clean_rounds();
        return most.workers == 1
                   ? head + fmt::format("no number of workers is faster than one, which does {}.",
                                        rate)
                   : head + fmt::format("{} workers do {:.2f} times one worker's {}.", most.workers,
                                        most.speedup.median, rate);
    }
    const scale_point& best = best_of(points, result);
    const bool doubtful = to_be_measured_again(result);
    std::string text = doubtful ? "As measured, " : "";
    if (&best == &first || best.word != verdict::faster) {
        text += fmt::format("{} does not scale here: no number of workers is clearly faster than "
                            "one, which does {}.",
                            result.workload, rate);
    } else {
        const double possible = std::min(best.workers, std::max(1U, result.cpus));
        // Items that wait take no CPU meanwhile, so that CPUs set no limit.
        const std::string share =
            result.items_wait ? std::string()
                              : fmt::format(", {} of what {} can give",
                                            percent_text(best.speedup.median / possible),
                                            counted(static_cast<std::size_t>(possible), "CPU"));
        text += fmt::format("{} scales to {}: {} ({}) of one worker's {}{}.", result.workload,
                            counted(best.workers, "worker"), times_text(best.speedup.median, style),
                            span(fmt::format("{:.2f}", best.speedup.low),
                                 fmt::format("{:.2f}", best.speedup.high), style),
                            rate, share);
    }
    std::string beyond;
    for (const scale_point* one : points) {
        if (one->workers > best.workers && &best != &first) {
            beyond += (beyond.empty() ? " " : ", ") + fate_beyond(*one, best, result, style);
        }
    }
    text += beyond.empty() ? "" : beyond + ".";
    return doubtful ? text.append(settle_the_notes) : text;
}

} // namespace regatta::race
