// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "report/scale/scale_words.hpp"
#include "scale_results.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace race = regatta::race;
namespace fakes = regatta::race::fakes;
using race::scale_warning_kind;
using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(scale_words, one_worker_that_failed_late_leaves_no_conclusion) {
    fakes::scale_maker maker(2, "items", 400, 400);
    maker.add(1, 1000).add(2, 1900);
    maker.result.points[0].failure = "late death";
    EXPECT_THAT(
        race::scale_conclusion(maker.result, {}),
        AllOf(StartsWith("One worker failed after "), HasSubstr("speed-ups rest on those")));
}

// Items that sleep: 16 workers wait at once on two CPUs.
TEST(scale_words, items_that_wait_are_not_held_against_the_cpus) {
    fakes::scale_maker maker(2, "events", 400, 400);
    maker.add(1, 1000).add(2, 1990).add(16, 11370);
    maker.warn(race::scale_warning_kind::super_linear, 16, "more than 2");
    maker.result.items_wait = true;
    EXPECT_THAT(race::scale_conclusion(maker.result, {}),
                AllOf(HasSubstr("scales to 16 workers: 11.37"), Not(HasSubstr("% of what")),
                      Not(HasSubstr("Settle the notes"))));
}

TEST(scale_words, one_worker_that_failed_alone_is_told_with_its_rounds) {
    fakes::scale_maker maker(2, "events", 400, 400);
    maker.add(1, 1000);
    maker.result.points.front().failure = "it crashed";
    EXPECT_THAT(race::scale_conclusion(maker.result, {}), HasSubstr("One worker failed after 15 "));
}

TEST(scale_words, a_law_without_a_peak_says_so) {
    fakes::scale_maker maker(4, "events", 400, 400);
    maker.add(1, 1000).add(2, 1900).add(4, 3500).fit_usl(0.05, 0, 0.01);
    EXPECT_THAT(race::fit_sentences(maker.result, {}).at(0),
                EndsWith(" No peak can be told; contention alone limits the speed-up to 18×…22×."));
    maker.fit_usl(0, 0, 0.01);
    EXPECT_THAT(race::fit_sentences(maker.result, {}).at(0), EndsWith(" No peak can be told."));
}

TEST(scale_words, a_coherence_that_may_be_none_has_its_peak_beyond_a_number_of_workers) {
    fakes::scale_maker maker(4, "events", 400, 400);
    maker.add(1, 1000).add(2, 1900).add(4, 3500).fit_usl(0.001, 0.0002, 0.01);
    maker.result.fit.usl->coherence.low = 0;
    maker.result.fit.usl->coherence.high = 0.0004;
    maker.result.fit.usl->contention.low = 0;
    EXPECT_THAT(race::fit_sentences(maker.result, {}).at(0),
                EndsWith(" No peak can be told: if there is one, it lies beyond 49 workers."));
}

TEST(scale_words, a_peak_at_one_worker_is_of_one_and_that_it_lies_there_or_beyond_says_nothing) {
    fakes::scale_maker maker(4, "events", 400, 400);
    maker.add(1, 1000).add(2, 400).add(4, 100).fit_usl(0.5, 2, 0.01);
    EXPECT_THAT(race::fit_sentences(maker.result, {}).at(0),
                EndsWith(" at 1 worker; with more it slows down."));
    maker.result.fit.usl->coherence.low = 0;
    EXPECT_THAT(race::fit_sentences(maker.result, {}).at(0),
                EndsWith(" No peak can be told; contention alone limits the speed-up to "
                         "1.8×…2.2×."));
}

TEST(scale_words, a_serial_part_that_may_be_none_sets_no_limit) {
    fakes::scale_maker maker(2, "events", 400, 400);
    maker.add(1, 1000).add(2, 1994).fit_amdahl(0.003, 0.001);
    maker.result.points[1].speedup = {1.994, 1.992, 2.001, 15};
    maker.result.fit.amdahl->serial_fraction = {0.003, 0, 0.004, 15};
    EXPECT_EQ(race::fit_sentences(maker.result, {}).at(0),
              "Amdahl's law: no serial part can be told from none here. At most 0.4 % of the work "
              "is serial: 250× and more stay possible.");
    // The fit alone would tell it, but the noise floor is in the interval of the speed-up.
    maker.result.points[1].speedup = {1.994, 1.98, 2.01, 15};
    maker.result.fit.amdahl->serial_fraction = {0.003, 0.002, 0.004, 15};
    EXPECT_EQ(race::fit_sentences(maker.result, {}).at(0),
              "Amdahl's law: no serial part can be told from none here. At most 1.0 % of the work "
              "is serial: 99× and more stay possible.");
    // One that may be what is shown as 0 % is not told, either.
    maker.result.points[1].speedup = {1.994, 1.992, 1.999, 15};
    maker.result.fit.amdahl->serial_fraction = {0.003, 0.0004, 0.004, 15};
    EXPECT_THAT(race::fit_sentences(maker.result, {}).at(0),
                HasSubstr("no serial part can be told from none here"));
    maker.result.points[1].speedup = {1.9998, 1.9995, 2.0001, 15};
    maker.result.fit.amdahl->serial_fraction = {0.0001, 0, 0.0002, 15};
    EXPECT_EQ(race::fit_sentences(maker.result, {}).at(0),
              "Amdahl's law: no serial part can be told from none here; there is too little of it "
              "to set a limit.");
}

TEST(scale_words, a_serial_part_that_is_there_has_its_limit_as_an_interval) {
    fakes::scale_maker maker(2, "events", 400, 400);
    maker.add(1, 1000).add(2, 1960).fit_amdahl(0.02, 0.001);
    EXPECT_EQ(race::fit_sentences(maker.result, {}).at(0),
              "Amdahl's law: 2.0 % of the work is serial (1.8 %…2.2 %), which limits the speed-up "
              "to 45×…56×, however many workers there are.");
}

TEST(scale_words, a_disturbed_point_shows_no_serial_part) {
    fakes::scale_maker maker(4, "events", 400, 400);
    maker.add(1, 1000).add(2, 1994).add(4, 1500).fit_amdahl(0.003, 0.001);
    maker.result.points[1].speedup = {1.994, 1.99, 2.001, 15};
    for (auto& sample : maker.result.points[2].measured.samples) {
        sample.load.contaminated = true;
    }
    EXPECT_EQ(race::fit_sentences(maker.result, {}).at(0),
              "Amdahl's law: no serial part can be told from none here. At most 0.5 % of the work "
              "is serial: 200× and more stay possible.");
}

TEST(scale_words, a_law_that_does_not_describe_the_points_tells_no_limit) {
    fakes::scale_maker maker(2, "events", 400, 400);
    maker.add(1, 1000).add(2, 500).fit_amdahl(1, 0.5);
    maker.result.fit.amdahl->describes = false;
    maker.result.fit.preferred = race::scaling_law::none;
    EXPECT_THAT(race::fit_sentences(maker.result, {}),
                ElementsAre("Amdahl's law knows nothing slower than one worker: no serial part can "
                            "be told from these figures."));
    maker.add(4, 300).fit_usl(0.11, 0, 0.35);
    maker.result.fit.preferred = race::scaling_law::none;
    EXPECT_THAT(race::fit_sentences(maker.result, {}),
                ElementsAre(StartsWith("Neither law of scaling describes the ")));
    // One that does is told alone.
    maker.result.fit.preferred = race::scaling_law::usl;
    EXPECT_THAT(race::fit_sentences(maker.result, {}).at(0),
                StartsWith("Universal Scalability Law: "));
}

TEST(scale_words, too_few_rounds_tell_no_limit) {
    fakes::scale_maker maker(4, "events", 400, 400);
    maker.add(1, 1000).add(2, 1960).add(4, 3700).fit_amdahl(0.02, 0.001).fit_usl(0.02, 0.001, 0.01);
    maker.result.fit.amdahl->serial_fraction.count = 5;
    maker.result.fit.usl->contention.count = 5;
    maker.result.fit.usl->coherence.count = 5;
    EXPECT_THAT(
        race::fit_sentences(maker.result, {}),
        testing::ElementsAre(
            "Amdahl's law: 2.0 % of the work is serial, as it looks; too few clean rounds "
            "to tell a limit.",
            "Universal Scalability Law: contention σ = 0.020, coherence κ = 0.0010. Too few "
            "clean rounds to tell a peak."));
}

TEST(scale_words, two_figures_of_what_is_known_about_so_well) {
    EXPECT_EQ(race::about_text(1.149), "1.1");
    EXPECT_EQ(race::about_text(8), "8");
    EXPECT_EQ(race::about_text(9.96), "10");
    EXPECT_EQ(race::about_text(22.9), "23");
    EXPECT_EQ(race::about_text(99.6), "100");
    EXPECT_EQ(race::about_text(385.7), "390");
    EXPECT_EQ(race::about_text(1'994), "2000");
    EXPECT_EQ(race::about_text(0), "0");
}

TEST(scale_words, a_peak_far_beyond_the_cpus_is_called_that) {
    fakes::scale_maker maker(4, "events", 400, 400);
    maker.add(1, 1000).add(2, 1990).add(4, 3960).fit_usl(0.003, 0.00001, 0.001);
    EXPECT_THAT(race::fit_sentences(maker.result, {}).at(0),
                HasSubstr("far beyond the 4 CPUs measured"));
    maker.fit_usl(0.003, 0.02, 0.001); // with 7 workers: not twice as many
    EXPECT_THAT(race::fit_sentences(maker.result, {}).at(0),
                AllOf(HasSubstr("Its predicted peak"), Not(HasSubstr("far beyond"))));
}

TEST(scale_words, more_workers_than_cpus_are_held_against_the_cpus) {
    fakes::scale_maker maker(2, "events", 400, 400);
    maker.add(1, 1000).add(2, 1500).add(4, 1900);
    EXPECT_THAT(race::scale_conclusion(maker.result, {}),
                AllOf(HasSubstr("scales to 4 workers"), HasSubstr("95 % of what 2 CPUs can give")));
}

TEST(scale_words, too_few_rounds_give_no_verdict) {
    auto maker = fakes::of_matrices();
    for (auto& one : maker.result.points) {
        one.word = race::verdict::undecided;
    }
    EXPECT_THAT(race::scale_conclusion(maker.result, {}),
                StartsWith("Too few clean rounds for a verdict (6 are needed); as it looks, 2 "
                           "workers do 1.95 times one worker's 78.40 GFLOP/s."));
    maker.result.points.resize(2);
    maker.result.points[1].speedup = fakes::scale_maker::around(0.98, 0.01);
    EXPECT_THAT(race::scale_conclusion(maker.result, {}),
                EndsWith("no number of workers is faster than one, which does 78.40 GFLOP/s."));
}

// The speed-ups' intervals overlap, since one worker scatters; within the rounds 4 beat 2 by a
// fifth.
TEST(scale_words, what_scatters_with_one_worker_hides_no_gain_of_more) {
    fakes::scale_maker maker(4, "events", 400, 400);
    maker.add(1, 1000).add(2, 1900).add(4, 2300);
    for (auto& one : maker.result.points) {
        one.speedup.low *= 0.8;
        one.speedup.high *= 1.25;
    }
    EXPECT_THAT(race::scale_conclusion(maker.result, {}),
                StartsWith("primes scales to 4 workers: 2.30×"));
}

TEST(scale_words, the_least_number_of_workers_that_is_not_beaten_wins) {
    fakes::scale_maker maker(8, "events", 400, 400);
    maker.add(1, 1000).add(2, 1990).add(4, 3900).add(8, 3910);
    EXPECT_THAT(race::scale_conclusion(maker.result, {}),
                AllOf(StartsWith("primes scales to 4 workers: 3.90× (3.88…3.92)"),
                      HasSubstr("98 % of what 4 CPUs can give"),
                      HasSubstr("8 workers are not clearly faster (3.91×)."),
                      Not(HasSubstr("notes"))));
}

// No number of workers beats the one before it, but 8 beat 2.
TEST(scale_words, small_steps_are_not_taken_one_by_one) {
    fakes::scale_maker maker(8, "events", 400, 400);
    maker.add(1, 1000).add(2, 1900).add(4, 1914).add(8, 1940);
    EXPECT_THAT(race::scale_conclusion(maker.result, {}), StartsWith("primes scales to 4 workers"));
    maker.result.points.pop_back();
    EXPECT_THAT(race::scale_conclusion(maker.result, {}), StartsWith("primes scales to 2 workers"));
}

// "--margin: differences below this are of no interest"
TEST(scale_words, more_workers_that_gain_less_than_the_margin_are_not_named) {
    fakes::scale_maker maker(4, "events", 400, 400);
    maker.add(1, 1000).add(2, 1900).add(4, 2090);
    EXPECT_THAT(race::scale_conclusion(maker.result, {}), StartsWith("primes scales to 4 workers"));
    maker.result.margin = 0.2;
    EXPECT_THAT(race::scale_conclusion(maker.result, {}),
                AllOf(StartsWith("primes scales to 2 workers"),
                      HasSubstr("4 workers are not clearly faster (2.09×).")));
}

// 4 workers beat one and 2 do not, though 4 do not beat 2.
TEST(scale_words, who_does_not_beat_one_worker_is_not_named) {
    fakes::scale_maker maker(4, "events", 400, 400);
    maker.add(1, 1000).add(2, 1009).add(4, 1017);
    EXPECT_THAT(race::scale_conclusion(maker.result, {}), StartsWith("primes scales to 4 workers"));
}

// Noise: 4 workers beat 2, and only 2 beat one.
TEST(scale_words, one_that_beats_the_best_and_not_one_worker_is_called_that) {
    fakes::scale_maker maker(4, "events", 400, 400);
    maker.add(1, 1000).add(2, 1020).add(4, 1100);
    maker.result.points[2].word = race::verdict::unclear;
    EXPECT_THAT(race::scale_conclusion(maker.result, {}),
                AllOf(StartsWith("primes scales to 2 workers"),
                      EndsWith("4 workers are faster, but not clearly faster than one (1.10×).")));
}

// The same of 8 beside 4, which beat 2 and one.
TEST(scale_words, the_best_is_not_beaten_by_another_that_beats_one_worker) {
    fakes::scale_maker maker(8, "events", 400, 400);
    maker.add(1, 1000).add(2, 1100).add(4, 1300).add(8, 1500);
    maker.result.points[3].word = race::verdict::unclear;
    EXPECT_THAT(race::scale_conclusion(maker.result, {}), StartsWith("primes scales to 4 workers"));
}

TEST(scale_words, an_offered_rate_that_nobody_can_take) {
    auto maker = fakes::at_a_rate();
    maker.warn(scale_warning_kind::late, 2, "late").warn(scale_warning_kind::late, 4, "late");
    EXPECT_EQ(race::scale_conclusion(maker.result, {}), "5000 items/s are more than 4 workers can "
                                                        "take.");
}

// It does what is offered, and may be able to do far more.
TEST(scale_words, at_a_rate_nothing_is_said_of_the_peak) {
    auto maker = fakes::of_matrices();
    EXPECT_THAT(race::peak_sentence(maker.result), HasSubstr("One worker reaches 82 % of"));
    maker.result.rate = 100;
    EXPECT_EQ(race::peak_sentence(maker.result), "");
}

TEST(scale_words, at_a_rate_too_few_clean_rounds_give_no_verdict) {
    auto late = fakes::at_a_rate();
    late.warn(scale_warning_kind::late, 2, "late").warn(scale_warning_kind::late, 4, "late");
    for (auto& one : late.result.points) {
        for (auto& sample : one.measured.samples) {
            sample.load.contaminated = true;
        }
    }
    EXPECT_EQ(
        race::scale_conclusion(late.result, {}),
        "Too few clean rounds for a verdict (6 are needed); as it looks, 5000 items/s are more "
        "than 4 workers can take.");
    auto kept = fakes::at_a_rate();
    kept.result.points[2].measured.samples.resize(5);
    EXPECT_THAT(race::scale_conclusion(kept.result, {}),
                StartsWith("Too few clean rounds for a verdict (6 are needed); as it looks, 2 "
                           "workers keep up with 5000 items/s."));
}

TEST(scale_words, at_a_rate_a_disturbance_is_no_sound_ground) {
    auto maker = fakes::at_a_rate();
    maker.warn(scale_warning_kind::disturbed, 0, "others used the CPUs");
    EXPECT_THAT(race::scale_conclusion(maker.result, {}),
                AllOf(StartsWith("As measured, 2 workers keep up with 5000 items/s."),
                      EndsWith(" Settle the notes above before you rely on this.")));
}
