// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The one way to measure: contenders run interleaved, in rounds, in random order.
///
///     load_meter meter;
///     std::vector<contender> all{{"ours", run_ours}, {"theirs", run_theirs}};
///     add_control(all, "theirs");
///     const auto result = measure(all, {.rounds = 30, .meter = &meter});
///     const auto ratio = paired_ratio(result.of("ours"), result.of("theirs")); //
///     paired_comparison.hpp

#include "machine/load_meter.hpp"
#include "sampling/run_details.hpp"
#include "sampling/statistics.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace regatta::race {

/// Times below this are lost in what surrounds them: a wake-up, a tick, a reading of counters.
inline constexpr std::chrono::nanoseconds usual_shortest_sample{5'000'000};

/// Rounds of a measurement at most, whatever its time: a sample takes 250 bytes to the end, and
/// several times as much while a document is written.
inline constexpr unsigned most_rounds_of_all = 100'000;

/// How many times as many rounds as asked for there may be where time is left.
inline constexpr unsigned most_rounds_to_fill = 4;

/// What one run of a contender yields: its time, or why there is none.
struct outcome {
    double ns = 0;
    std::string failure{}; ///< Empty: the time counts. Otherwise the contender is out.
    std::optional<run_details> details{};
    /// What disturbed the timed stretch, where the contender tells; otherwise what disturbed the
    /// call of `run` counts, as `sampling_options::meter` reads it.
    std::optional<disturbance> load{};

    static outcome failed(std::string why) { return {0, std::move(why), {}, {}}; }
};

/// Something to measure.
struct contender {
    std::string name;
    /// Runs one sample. An exception counts as a failure with its text.
    std::function<outcome()> run;
};

/// One measured time.
struct sample {
    unsigned round = 0;
    double ns = 0;
    disturbance load{};
    std::optional<run_details> details{}; ///< Where the contender tells more than its time.
};

/// How to measure.
struct sampling_options {
    unsigned rounds = 15;             ///< 0: until `time` is up, `most_rounds_of_all` at most.
    std::chrono::nanoseconds time{0}; ///< 0: no limit. No round begins that would end after it.
    /// After `rounds`, further ones begin that end within this time, up to `most_rounds_to_fill`
    /// times as many. 0: none.
    std::chrono::nanoseconds fill{0};
    unsigned warm_up = 1;   ///< Rounds before that; they only find out who can run.
    std::uint64_t seed = 1; ///< Of the order within the rounds.
    /// Null: only what contenders tell of themselves is called contaminated.
    const load_meter* meter = nullptr;
    /// How often a contaminated sample is taken again, at once. While more than half of all tries
    /// are contaminated, that is given up: they would be, too.
    unsigned tries_again = 0;
    /// Called before each sample: lets the last one's leftovers come to rest. Null: nothing.
    std::function<void()> settle{};
    /// Asked before each sample and after it: true ends the measurement. A sample during which it
    /// became true is forgotten.
    std::function<bool()> stop{};
    /// Called after each sample that is kept, with the contender's number. Null: nothing.
    std::function<void(std::size_t, const sample&)> taken{};
};

/// What was measured of one contender.
struct series {
    std::string name;
    std::vector<sample> samples{}; ///< At most one a round, in the order of the rounds.
    std::string failure{};         ///< Empty, or why it is out; the samples before that remain.
    unsigned settled = 0;          ///< Samples of earlier rounds do not count: `cut_heads`.
    /// The first try of each sample that was taken again, in the order of the rounds.
    std::vector<sample> first_tries{};

    bool failed() const noexcept { return !failure.empty(); }
    /// Whether a sample is clean, and of a round when it had settled.
    bool clean(const sample& s) const noexcept {
        return !s.load.contaminated && s.round >= settled;
    }
    /// How many samples are contaminated.
    std::size_t contaminated() const noexcept;
    /// All samples are contaminated, so that they had to be used nevertheless.
    bool disturbed() const noexcept { return !samples.empty() && contaminated() == samples.size(); }
    /// How many samples do not count for that reason.
    std::size_t dropped() const noexcept { return disturbed() ? 0 : contaminated(); }
    /// How many samples are of rounds before it had settled.
    std::size_t cut() const noexcept;
    /// The samples that count: the clean ones once it had settled, or all where none is clean.
    std::vector<sample> usable() const;
    /// What would have been measured had nothing been dropped: the first try of each sample, all of
    /// which count.
    series undropped() const;
    /// How many samples are not contaminated, but would not be known to be if they were.
    std::size_t not_measurable() const noexcept;
    /// The median time of those with its interval.
    estimate time() const;
};

/// Where a measurement stands.
struct progress {
    bool warm_up = false;
    unsigned round = 0;  ///< Of this phase, from 0.
    unsigned rounds = 0; ///< Of this phase; 0: not known, time decides.
    std::string_view contender;
    double done = 0;                 ///< Of the measurement, 0…1; the warm-up counts as rounds.
    std::chrono::nanoseconds left{}; ///< Expected; 0 while nothing is known.
};

/// What was measured.
struct sampling_result {
    std::vector<series> all; ///< As many as there were contenders, in their order.
    unsigned rounds = 0;     ///< That were completed.
    bool stopped = false;    ///< Before its end, by `stop`.

    /// The series of that name. Throws `std::out_of_range` where there is none.
    const series& of(std::string_view name) const;
    /// The share of samples that were contaminated.
    double contaminated_share() const noexcept;
};

/// Measures: in each round every contender that is still in runs once, in random order.
///
/// Threads: everything runs on the calling thread. Failure: a contender that fails is out, and the
/// others go on; exceptions of `observer` and of the options' functions are passed on.
/// @param observer called before each sample; may be null.
sampling_result measure(const std::vector<contender>& contenders, const sampling_options& options,
                        const std::function<void(const progress&)>& observer = {});

/// The times of `subject` as multiples of those of `peer`, of each round in which both have a
/// usable sample, in the order of the rounds.
std::vector<double> paired_ratios(const series& subject, const series& peer);
/// The same by rounds: nothing for a round in which one of them has none.
std::vector<std::optional<double>> ratios_by_round(const series& subject, const series& peer);

} // namespace regatta::race
