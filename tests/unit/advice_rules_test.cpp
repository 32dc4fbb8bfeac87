// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// @file
/// The rules of docs/reference/advise.md ("How it decides") at their limits: how many rounds count,
/// what the noise floor excuses, and where one limit ends and the next begins.

#include "advice_results.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>

using namespace regatta::race;
using fakes::advised;
using fakes::changed;
using fakes::disturb;
using fakes::document;
using fakes::isolation_file;
using fakes::isolation_maker;
using fakes::left_open;
using fakes::primes_race;
using fakes::race_file;
using fakes::result_maker;
using fakes::said;
using fakes::scale_maker;
using fakes::stream_file;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

namespace {

/// Two workers 1.33 times as fast as one.
result_maker losing_race() {
    return primes_race().add("serial", 200).add("std_thread", 150, 0.6);
}

/// Each mode's wall time, where 100 ms is that of workers alone.
isolation_maker placed(double free, double pinned, double owned) {
    return isolation_maker()
        .add(isolation_mode::alone, 100, 100)
        .add(isolation_mode::unpinned, free, 100)
        .add(isolation_mode::pinned, pinned, 100)
        .add(isolation_mode::exclusive, owned, 100);
}

} // namespace

// "More than a quarter of its samples disturbed, cut short, warnings"
TEST(advice_rules, every_result_is_judged_and_a_disturbance_told_once) {
    auto maker = scale_maker(2).add(1, 1, 100).add(2, 1.9, 101);
    maker.warn(scale_warning_kind::disturbed, 0, "during 50 % of the runs others used the CPUs");
    maker.result.contaminated = 0.5;
    const std::string trust = said(advised({maker.finish()}), topic::trust);
    EXPECT_THAT(trust, HasSubstr("scale.json warns: during 50 % of the runs"));
    EXPECT_THAT(trust, Not(HasSubstr("quiet the machine")));

    const auto cut = [](document& d) { d["stopped"] = true; };
    const auto made = advised({scale_maker(2).add(1, 1, 100).add(2, 1.9, 101).finish(),
                               changed(stream_file(1.1), cut),
                               changed(isolation_file(placed(150, 110, 101)), cut)});
    EXPECT_THAT(said(made, topic::trust), AllOf(HasSubstr("stream.json was cut short"),
                                                HasSubstr("isolation.json was cut short")));
}

TEST(advice_rules, a_warning_of_the_clock_cites_the_clock) {
    const auto made =
        advised({scale_maker(2)
                     .add(1, 1, 100, 3.6e9)
                     .add(2, 1.96, 101, 3.2e9)
                     .warn(scale_warning_kind::clock_changed, 2, "with 2 workers it was 3.20 GHz")
                     .finish()});
    ASSERT_EQ(made.sentences.front().about, topic::trust);
    EXPECT_EQ(made.sentences.front().figures.front().from.member, "points[1].clock_hz");
}

TEST(advice_rules, what_would_be_measured_has_the_seed_of_the_results) {
    const auto with_seed = [](const char* seed) {
        result_maker maker = losing_race();
        maker.result.settings.back().second = seed;
        return left_open(advised({race_file(maker)}), topic::workers);
    };
    EXPECT_THAT(with_seed("7"), HasSubstr("--max-prime 10000 --seed 7 --rounds"));
    EXPECT_THAT(with_seed("1"), Not(HasSubstr("--seed")));
}

TEST(advice_rules, the_next_after_the_winner_runs_the_items_too) {
    const auto made = advised({race_file(
        primes_race().add("std_thread", 100).add("eigen", 110, 1, false).add("steady", 120))});
    EXPECT_THAT(said(made, topic::scheme), HasSubstr("of the time of steady, the next"));
}

// "The fewest whose speed-up is within the noise floor of the best"
TEST(advice_rules, workers_within_the_noise_floor_are_as_good) {
    const auto made =
        advised({scale_maker(4).add(1, 1, 100).add(2, 1.6, 101).add(4, 1.61, 101).finish()});
    EXPECT_EQ(made.workers, 2u);
    const auto fewer =
        advised({scale_maker(4).add(1, 1, 100).add(2, 1.6, 101).add(4, 1.59, 101).finish()});
    EXPECT_THAT(said(fewer, topic::workers), HasSubstr("0.99 times as fast as 2, which is the "
                                                       "same"));
    const auto without_one = advised({scale_maker(4).add(2, 1.6, 101).add(4, 3, 101).finish()});
    EXPECT_FALSE(without_one.workers);
}

TEST(advice_rules, a_peak_is_predicted_where_it_is_beyond_what_was_measured) {
    const auto said_of = [](double coherence) {
        scale_maker maker(16);
        for (const unsigned p : {1U, 2U, 4U, 8U, 16U}) {
            maker.add(p, p / (1 + 0.02 * (p - 1) + coherence * p * (p - 1)), 100);
        }
        return said(advised({maker.finish()}), topic::workers);
    };
    EXPECT_THAT(said_of(0.001), HasSubstr("has its peak with 32 workers"));
    EXPECT_THAT(said_of(0.01), Not(HasSubstr("has its peak")));
}

// "A disturbed result", "no sound figure of several workers beside one"
TEST(advice_rules, a_disturbed_measurement_of_scaling_supports_nothing) {
    const auto made = advised({scale_maker(2)
                                   .add(1, 1, 100)
                                   .add(2, 1.5, 101)
                                   .warn(scale_warning_kind::disturbed, 2, "from round 9 of 15 on")
                                   .finish()});
    EXPECT_FALSE(made.workers);
    EXPECT_EQ(made.limit, limit_kind::unknown);
    EXPECT_THAT(said(made, topic::limit), IsEmpty());
}

TEST(advice_rules, a_race_tells_no_limit_without_sound_figures_of_several_workers_with_cpus) {
    const auto limit_of = [](const result_text& file) {
        const auto made = advised({file});
        EXPECT_EQ(said(made, topic::limit).empty(),
                  made.limit == limit_kind::unknown && made.machine.available_cpus > 1);
        return made.limit;
    };
    EXPECT_EQ(limit_of(race_file(losing_race())), limit_kind::serial_part);
    EXPECT_EQ(limit_of(race_file(losing_race(), 1)), limit_kind::unknown); // 2 workers, 1 CPU
    result_maker alone = losing_race();
    alone.result.how.workers = 1;
    EXPECT_EQ(limit_of(race_file(alone)), limit_kind::unknown);
    result_maker disturbed = losing_race();
    for (scheme_result& one : disturbed.result.schemes) {
        disturb(one, 7);
    }
    EXPECT_EQ(limit_of(race_file(disturbed)), limit_kind::unknown);
    result_maker few = losing_race();
    few.result.schemes.front().measured.samples.resize(5);
    EXPECT_EQ(limit_of(race_file(few)), limit_kind::unknown);
    const auto noisy = changed(race_file(losing_race()), [](document& d) {
        d["noise_floor"] = 0.4; // and a third is lost
    });
    EXPECT_EQ(limit_of(noisy), limit_kind::unknown);
}

// "With the most workers that have a CPU each"
TEST(advice_rules, workers_without_a_cpu_each_show_no_limit) {
    const auto made =
        advised({scale_maker(2).add(1, 1, 100).add(2, 1.96, 101).add(4, 1.5, 300).finish()});
    EXPECT_EQ(made.limit, limit_kind::none);
}

// "Half of the loss or more … (without latencies, inflation)"
TEST(advice_rules, inflation_is_the_cost_of_items_beyond_that_in_serial) {
    // Two workers take 150 ms, 270 of their 300 in items that cost serial 200.
    const auto made =
        advised({race_file(primes_race().add("serial", 200, 0.5).add("std_thread", 150, 0.9))});
    EXPECT_EQ(made.limit, limit_kind::items);
    EXPECT_THAT(said(made, topic::limit),
                AllOf(HasSubstr("they cost 1.35 times as much as alone"), HasSubstr("70 % of")));
}

TEST(advice_rules, the_largest_wait_is_named_of_a_race_with_as_many_workers) {
    result_maker maker = losing_race();
    for (sample& one : maker.result.schemes.back().measured.samples) {
        one.details->split.tear_down_ns = one.details->split.dispatch_ns / 4;
        one.details->split.dispatch_ns *= 0.75;
    }
    EXPECT_THAT(said(advised({race_file(maker)}), topic::limit),
                HasSubstr("goes into handing items out: 30 % of their time"));
    const auto others =
        advised({race_file(losing_race(), 4),
                 scale_maker(4).add(1, 1, 100).add(2, 1.33, 100).add(4, 1.6, 100).finish()});
    EXPECT_THAT(said(others, topic::limit),
                AllOf(HasSubstr("worker"), Not(HasSubstr("share of the waiting"))));
}

// "Items that cost more than the whole loss, by over 10 % of the time and the noise floor"
TEST(advice_rules, figures_may_disagree_by_the_noise_floor) {
    auto maker = scale_maker(2).add(1, 1, 100).add(2, 1.25, 190); // 1.19 of the time
    EXPECT_EQ(advised({maker.finish()}).limit, limit_kind::unknown);
    maker.result.floor.distance = 0.3;
    EXPECT_EQ(advised({maker.finish()}).limit, limit_kind::items);
}

TEST(advice_rules, a_loss_beyond_the_noise_floor_is_one) {
    auto maker = scale_maker(2).add(1, 1, 100).add(2, 1.7, 118);
    maker.result.floor.distance = 0.1;
    EXPECT_EQ(advised({maker.finish()}).limit, limit_kind::items);
}

// "The clock explains half of it or more"
TEST(advice_rules, items_that_cost_less_than_half_of_the_loss_are_not_the_limit) {
    const auto limit_of = [](double item_us) {
        return advised({scale_maker(2).add(1, 1, 100).add(2, 1.6, item_us).finish()}).limit;
    };
    EXPECT_EQ(limit_of(115), limit_kind::items); // 0.15 of 0.25
    EXPECT_EQ(limit_of(110), limit_kind::serial_part);
}

TEST(advice_rules, a_clock_that_explains_less_than_half_is_not_blamed) {
    const auto at = [](double hz) {
        return advised({scale_maker(2).add(1, 1, 100, 3.6e9).add(2, 1.5, 131, hz).finish()}).limit;
    };
    EXPECT_EQ(at(3.0e9), limit_kind::clock);
    EXPECT_EQ(at(3.2e9), limit_kind::items);
}

// "`stream` has an efficiency below 90 % with as many workers"
TEST(advice_rules, below_90_percent_of_stream_memory_bandwidth_is_used_up) {
    const auto beside = [](double speedup) {
        const auto slow = scale_maker(2).add(1, 1, 100).add(2, 1.25, 159).finish();
        return advised({slow, stream_file(speedup)}).limit;
    };
    EXPECT_EQ(beside(1.79), limit_kind::memory);
    EXPECT_EQ(beside(1.81), limit_kind::core);
}

// "A figure counts from 6 clean rounds on"
TEST(advice_rules, a_serial_fraction_of_few_rounds_is_not_told) {
    const auto of_rounds = [](unsigned rounds) {
        const auto file = scale_maker(2).add(1, 1, 100).add(2, 1 / 0.6, 100.5).finish();
        return said(advised({changed(file,
                                     [&](document& d) {
                                         d["fit"]["amdahl"]["serial_fraction"]["count"] = rounds;
                                     })}),
                    topic::limit);
    };
    EXPECT_THAT(of_rounds(6), HasSubstr("Amdahl's law"));
    EXPECT_THAT(of_rounds(5), Not(HasSubstr("Amdahl's law")));
}

TEST(advice_rules, the_peak_is_as_uncertain_as_the_terms_of_the_law) {
    scale_maker maker(16);
    for (const unsigned p : {1U, 2U, 4U, 8U, 16U}) {
        maker.add(p, p / (1 + 0.02 * (p - 1) + 0.01 * p * (p - 1)), 100);
    }
    const auto file = changed(maker.finish(), [](document& d) {
        d["fit"]["usl"]["contention"]["low"] = 0; // √((1 − 0) / 0.005) and √((1 − 0.5) / 0.02)
        d["fit"]["usl"]["contention"]["high"] = 0.5;
        d["fit"]["usl"]["coherence"]["low"] = 0.005;
        d["fit"]["usl"]["coherence"]["high"] = 0.02;
    });
    EXPECT_THAT(said(advised({file}), topic::limit), HasSubstr("from some 5 to 14 workers on"));
}

TEST(advice_rules, threads_and_processes_within_the_noise_floor_are_alike) {
    const auto kind_of = [](double processes) {
        const auto file =
            race_file(primes_race().add("std_thread", 100).add("processes", processes));
        return advised({changed(file, [](document& d) { d["noise_floor"] = 0.02; })}).kind;
    };
    EXPECT_EQ(kind_of(101), "either");
    EXPECT_EQ(kind_of(99), "either");
    EXPECT_EQ(kind_of(105), "threads");
    EXPECT_EQ(kind_of(95), "processes");
}

TEST(advice_rules, threads_that_run_items_are_held_against_processes) {
    result_maker maker = primes_race()
                             .add("std_thread", 100)
                             .add("processes", 130, 0.77)
                             .add("blas_threads", 20, 1, false);
    for (sample& one : maker.result.schemes[1].measured.samples) {
        time_split& split = one.details->split;
        split.set_up_ns = split.wall_ns / 5; // a tenth of what two workers have
        split.dispatch_ns -= split.set_up_ns;
    }
    EXPECT_THAT(said(advised({race_file(maker)}), topic::processes),
                AllOf(HasSubstr("times as long as std_thread"),
                      HasSubstr("before its first item 10 % of its workers' time is gone")));
    disturb(maker.result.schemes[1], 3);
    const auto few = advised({race_file(maker)});
    EXPECT_FALSE(few.kind);
    EXPECT_THAT(said(few, topic::processes), IsEmpty());
}

TEST(advice_rules, the_fastest_of_all_processes_is_held_against_threads) {
    const auto made = advised({race_file(primes_race()
                                             .add("std_thread", 100)
                                             .add("processes", 130)
                                             .add("zmq_ipc", 120)
                                             .add("process_pool", 110))});
    EXPECT_THAT(said(made, topic::processes), HasSubstr("process_pool takes 1."));
}

// "Items that fork or hand over others run in threads only: nothing is said."
TEST(advice_rules, of_forks_no_processes_are_asked_for) {
    result_maker maker = losing_race();
    maker.result.workload = "fib";
    maker.result.settings = {{"size", "20"}};
    const auto made = advised({race_file(maker)});
    EXPECT_THAT(left_open(made, topic::workers), HasSubstr("regatta scale fib"));
    EXPECT_THAT(left_open(made, topic::processes), IsEmpty());
    EXPECT_THAT(said(made, topic::processes), IsEmpty());
}

// "A way is advised if its interval lies below the others' by more than the noise floor."
TEST(advice_rules, a_way_of_placing_threads_is_advised_beyond_the_noise_floor) {
    const auto placement_of = [](isolation_maker maker, double floor) {
        return advised({changed(isolation_file(std::move(maker)),
                                [&](document& d) { d["noise_floor"] = floor; })})
            .placement;
    };
    EXPECT_EQ(placement_of(placed(150, 110, 110), 0.02), "pinned");
    EXPECT_EQ(placement_of(placed(150, 110, 110), 0.5), "free");
    EXPECT_EQ(placement_of(placed(150, 110, 101), 0.02), "exclusive");
    EXPECT_EQ(placement_of(placed(150, 101, 101), 0.02), "pinned");
}

TEST(advice_rules, too_few_or_disturbed_rounds_do_not_tell_whether_to_pin) {
    const auto open_after = [](const std::function<void(document&)>& change) {
        const auto made = advised({changed(isolation_file(placed(150, 110, 101)), change)});
        EXPECT_FALSE(made.placement);
        return left_open(made, topic::pinning);
    };
    EXPECT_THAT(open_after([](document& d) { d["load"]["contaminated_share"] = 0.5; }),
                HasSubstr("Whether to pin: the 15 rounds of isolation.json do not tell"));
    EXPECT_THAT(open_after([](document& d) { d["noise_floor"] = nullptr; }),
                HasSubstr("Whether to pin: the 15 rounds of isolation.json do not tell"));
    EXPECT_THAT(open_after([](document& d) {
                    for (document& mode : d["modes"]) {
                        if (mode["name"] == "pinned") {
                            mode["intervals"]["slowdown"]["count"] = 5;
                        }
                    }
                }),
                HasSubstr("that takes 6 clean ones of unpinned and pinned"));
}

// A verdict does not rest on the noise floor.
TEST(advice_rules, a_scheme_is_advised_without_a_noise_floor) {
    const auto file =
        race_file(primes_race().add("serial", 200).add("std_thread", 100).add("steady", 150));
    const auto made = advised({changed(file, [](document& d) { d["noise_floor"] = nullptr; })});
    EXPECT_EQ(made.scheme, "std_thread");
    EXPECT_THAT(said(made, topic::scheme),
                AllOf(HasSubstr("of the time of steady, the next."), Not(HasSubstr("noise"))));
    EXPECT_THAT(left_open(made, topic::scheme), IsEmpty());
}
