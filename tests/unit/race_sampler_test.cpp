// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "sampling/paired_comparison.hpp"
#include "sampling/sampler.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace race = regatta::race;

namespace {

race::contender constant(std::string name, double ns) {
    return {std::move(name), [ns] { return race::outcome{ns, {}}; }};
}

race::sample at(unsigned round, double ns, bool contaminated = false) {
    race::sample s{round, ns, {}};
    s.load.contaminated = contaminated;
    return s;
}

} // namespace

TEST(race_sampler, runs_everyone_once_a_round_in_changing_order) {
    std::vector<std::string> calls;
    std::vector<race::contender> contenders;
    for (const char* name : {"a", "b", "c"}) {
        contenders.push_back({name, [&calls, name] {
                                  calls.emplace_back(name);
                                  return race::outcome{1, {}};
                              }});
    }
    const auto result = race::measure(contenders, {.rounds = 20, .warm_up = 2, .seed = 3});
    ASSERT_EQ(calls.size(), 3u * 22u);
    std::set<std::string> orders;
    for (std::size_t i = 0; i < calls.size(); i += 3) {
        const std::set<std::string> round(calls.begin() + static_cast<std::ptrdiff_t>(i),
                                          calls.begin() + static_cast<std::ptrdiff_t>(i) + 3);
        EXPECT_EQ(round.size(), 3u);
        orders.insert(calls[i] + calls[i + 1] + calls[i + 2]);
    }
    EXPECT_EQ(orders.size(), 6u);
    EXPECT_EQ(result.rounds, 20u);
    EXPECT_FALSE(result.stopped);
    for (const auto& one : result.all) {
        EXPECT_EQ(one.samples.size(), 20u);
    }
}

// A race of days would need more memory than there is, and lose its result.
TEST(race_sampler, a_time_gives_no_more_rounds_than_can_be_asked_for) {
    const auto result = race::measure(
        {constant("a", 1)}, {.rounds = 0, .time = std::chrono::milliseconds(500), .warm_up = 0});
    EXPECT_LE(result.rounds, race::most_rounds_of_all);
    EXPECT_FALSE(result.stopped);
}

TEST(race_sampler, repeats_its_order_with_the_seed) {
    const auto order = [](std::uint64_t seed) {
        std::string calls;
        std::vector<race::contender> contenders;
        for (const char* name : {"a", "b", "c", "d"}) {
            contenders.push_back({name, [&calls, name] {
                                      calls += name;
                                      return race::outcome{1, {}};
                                  }});
        }
        race::measure(contenders, {.rounds = 10, .seed = seed});
        return calls;
    };
    EXPECT_EQ(order(1), order(1));
    EXPECT_NE(order(1), order(2));
}

TEST(race_sampler, a_failure_takes_one_out_and_the_others_go_on) {
    int runs = 0;
    const std::vector<race::contender> contenders{
        constant("good", 5),
        {"late",
         [&]() -> race::outcome {
             if (++runs > 3) {
                 throw std::runtime_error("worker 2 died of signal 9");
             }
             return {7, {}};
         }},
        {"never", [] { return race::outcome::failed("wrong result"); }},
        {"strange", []() -> race::outcome { throw 1; }},
        {"mute", []() -> race::outcome { throw std::runtime_error(""); }},
    };
    const auto result = race::measure(contenders, {.rounds = 10, .warm_up = 1});
    EXPECT_EQ(result.of("good").samples.size(), 10u);
    EXPECT_EQ(result.of("late").samples.size(), 2u);
    EXPECT_EQ(result.of("late").failure, "worker 2 died of signal 9");
    EXPECT_EQ(runs, 4);
    EXPECT_EQ(result.of("never").failure, "wrong result");
    EXPECT_TRUE(result.of("never").samples.empty());
    EXPECT_EQ(result.of("strange").failure, "exception of an unknown type");
    EXPECT_EQ(result.of("mute").failure, "exception without a text");
    EXPECT_THROW(result.of("nobody"), std::out_of_range);
}

TEST(race_sampler, ends_when_nobody_is_left) {
    const auto result = race::measure({{"a", [] { return race::outcome::failed("no"); }}},
                                      {.rounds = 0, .time = std::chrono::hours(1), .warm_up = 0});
    EXPECT_TRUE(result.of("a").failed());
}

TEST(race_sampler, a_stop_ends_it_and_forgets_the_sample_that_it_spoilt) {
    int runs = 0;
    race::sampling_options options{.rounds = 100, .warm_up = 0};
    options.stop = [&] { return runs >= 7; };
    const auto result = race::measure({{"a",
                                        [&] {
                                            ++runs;
                                            return race::outcome{1, {}};
                                        }}},
                                      options);
    EXPECT_TRUE(result.stopped);
    EXPECT_EQ(runs, 7);
    EXPECT_EQ(result.of("a").samples.size(), 6u);
    EXPECT_EQ(result.rounds, 6u);
}

TEST(race_sampler, what_fails_because_of_a_stop_has_not_failed) {
    bool stop = false;
    race::sampling_options options{.rounds = 5, .warm_up = 0};
    options.stop = [&] { return stop; };
    const auto result = race::measure({{"a",
                                        [&] {
                                            stop = true;
                                            return race::outcome::failed("interrupted");
                                        }}},
                                      options);
    EXPECT_TRUE(result.stopped);
    EXPECT_FALSE(result.of("a").failed());
}

TEST(race_sampler, a_time_budget_ends_it_after_at_least_one_round) {
    const auto none =
        race::measure({constant("a", 1)}, {.rounds = 0, .time = std::chrono::nanoseconds(1)});
    EXPECT_EQ(none.rounds, 1u);
    int runs = 0;
    race::sampling_options ample{.rounds = 0, .time = std::chrono::hours(1), .warm_up = 0};
    ample.stop = [&] { return runs >= 4; };
    const auto some = race::measure({{"a",
                                      [&] {
                                          ++runs;
                                          return race::outcome{1, {}};
                                      }}},
                                    ample);
    EXPECT_EQ(some.rounds, 3u);
    const auto both =
        race::measure({constant("a", 1)}, {.rounds = 3, .time = std::chrono::seconds(100)});
    EXPECT_EQ(both.rounds, 3u);
}

// It is told from the rounds before: one that would end too late does not begin.
TEST(race_sampler, a_round_that_would_not_end_in_time_does_not_begin) {
    const auto result =
        race::measure({{"a",
                        [] {
                            const auto end =
                                std::chrono::steady_clock::now() + std::chrono::milliseconds(60);
                            while (std::chrono::steady_clock::now() < end) {
                            }
                            return race::outcome{1, {}};
                        }}},
                      {.rounds = 0, .time = std::chrono::milliseconds(100), .warm_up = 0});
    EXPECT_EQ(result.rounds, 1u);
}

// "After `rounds`, further ones begin that end within this time, up to `most_rounds_to_fill` times
// as many."
TEST(race_sampler, more_rounds_fill_a_time_but_no_more_than_four_times_as_many) {
    const auto rounds = [](std::chrono::nanoseconds fill, std::chrono::nanoseconds time) {
        const auto too_many = [asked = 0]() mutable { return ++asked > 1000; };
        return race::measure({constant("a", 1)},
                             {.rounds = 5, .time = time, .fill = fill, .stop = too_many})
            .rounds;
    };
    using namespace std::chrono_literals;
    EXPECT_EQ(rounds(0s, 0s), 5u);
    EXPECT_EQ(rounds(1h, 0s), 5u * race::most_rounds_to_fill);
    EXPECT_EQ(rounds(1ns, 0s), 5u) << "a round does not end within that";
    EXPECT_EQ(rounds(1h, 1ns), 1u) << "the time is a limit for all rounds";
}

TEST(race_sampler, the_observer_sees_each_sample_and_a_growing_share) {
    std::map<std::string, int> seen;
    double last = 0;
    int warm = 0;
    race::measure({constant("a", 1), constant("b", 1)}, {.rounds = 4, .warm_up = 1},
                  [&](const race::progress& p) {
                      ++seen[std::string(p.contender)];
                      warm += p.warm_up ? 1 : 0;
                      EXPECT_LE(p.done, 1);
                      EXPECT_GE(p.done, 0);
                      last = p.done;
                  });
    EXPECT_EQ(seen["a"], 5);
    EXPECT_EQ(seen["b"], 5);
    EXPECT_EQ(warm, 2);
    EXPECT_GT(last, 0);
}

// "Expected": of a measurement that time alone ends, what is left of that time.
TEST(race_sampler, the_observer_is_told_how_long_it_takes) {
    double done = 0;
    const double whole = 3600e9;
    race::measure({constant("a", 1)},
                  {.rounds = 0, .time = std::chrono::hours(1), .stop = [&] { return done > 0; }},
                  [&](const race::progress& p) {
                      done = p.done;
                      EXPECT_NEAR(static_cast<double>(p.left.count()), whole * (1 - done), 10);
                  });
    EXPECT_GT(done, 0);
}

// "Called before each sample", and each try of one.
TEST(race_sampler, leftovers_settle_before_each_try) {
    int settled = 0;
    int runs = 0;
    race::sampling_options options{.rounds = 3, .warm_up = 1, .tries_again = 2};
    options.settle = [&] { EXPECT_EQ(settled++, runs); };
    race::measure({{"a",
                    [&] {
                        race::outcome got{1, {}};
                        got.load.emplace().contaminated = ++runs == 2;
                        return got;
                    }}},
                  options);
    EXPECT_EQ(runs, 5);
    EXPECT_EQ(settled, 5);
}

// "Where the contender tells; otherwise what disturbed the call counts".
TEST(race_sampler, a_contender_that_tells_of_its_disturbance_is_believed) {
    const race::load_meter meter;
    const auto result = race::measure({{"a",
                                        [] {
                                            race::outcome got{1, {}};
                                            got.load.emplace().stolen_ns = 77;
                                            return got;
                                        }}},
                                      {.rounds = 1, .meter = &meter});
    EXPECT_EQ(result.of("a").samples.at(0).load.stolen_ns, 77);
}

TEST(race_sampler, the_observer_is_told_the_rounds_of_the_phase_where_they_are_known) {
    const auto rounds_of = [](std::chrono::nanoseconds fill) {
        std::set<std::pair<bool, unsigned>> seen;
        race::measure({constant("a", 1)}, {.rounds = 4, .fill = fill, .warm_up = 2},
                      [&](const race::progress& p) { seen.emplace(p.warm_up, p.rounds); });
        return seen;
    };
    using phases = std::set<std::pair<bool, unsigned>>;
    EXPECT_EQ(rounds_of({}), (phases{{true, 2}, {false, 4}}));
    EXPECT_EQ(rounds_of(std::chrono::nanoseconds(1)), (phases{{true, 2}, {false, 0}}));
}

TEST(race_sampler, after_a_stop_nothing_runs) {
    int runs = 0;
    const std::vector<race::contender> contenders{{"a", [&] {
                                                       ++runs;
                                                       return race::outcome{1, {}};
                                                   }}};
    race::sampling_options options;
    options.stop = [] { return true; };
    EXPECT_TRUE(race::measure(contenders, options).stopped);
    EXPECT_EQ(runs, 0);
}

TEST(race_series, contaminated_samples_are_dropped_unless_there_are_no_others) {
    race::series s{"s", {at(0, 1), at(1, 100, true), at(2, 3)}, {}};
    EXPECT_EQ(s.contaminated(), 1u);
    EXPECT_FALSE(s.disturbed());
    ASSERT_EQ(s.usable().size(), 2u);
    EXPECT_EQ(s.time().median, 2);

    race::series all{"all", {at(0, 1, true), at(1, 3, true)}, {}};
    EXPECT_TRUE(all.disturbed());
    EXPECT_EQ(all.usable().size(), 2u);
    EXPECT_FALSE(race::series{}.disturbed());
}

TEST(race_series, ratios_are_paired_within_rounds) {
    // The machine becomes ten times slower halfway; within each round the subject takes twice.
    const race::series peer{"p", {at(0, 10), at(1, 11), at(2, 100), at(3, 110)}, {}};
    const race::series subject{"s", {at(0, 20), at(1, 22), at(2, 200), at(3, 220)}, {}};
    const auto ratio = race::paired_ratio(subject, peer);
    EXPECT_NEAR(ratio.median, 2, 1e-12);
    EXPECT_NEAR(ratio.low, 2, 1e-12);
    EXPECT_NEAR(ratio.high, 2, 1e-12);
    EXPECT_EQ(ratio.count, 4u);
}

TEST(race_series, a_pair_needs_both) {
    const race::series peer{"p", {at(0, 10), at(2, 10, true), at(3, 10)}, {}};
    const race::series subject{"s", {at(0, 30), at(1, 99), at(2, 99), at(3, 30)}, {}};
    EXPECT_EQ(race::paired_ratio(subject, peer).count, 2u);
    EXPECT_DOUBLE_EQ(race::paired_ratio(subject, peer).median, 3);

    const race::series odd{"o", {at(0, 40, true), at(1, 40), at(2, 40)}, {}};
    const race::series even{"e", {at(0, 10), at(1, 10, true), at(2, 10, true)}, {}};
    EXPECT_EQ(race::paired_ratio(odd, even).count, 0u); // no round is clean for both
    const race::series noisy{"n", {at(0, 40, true), at(1, 40, true), at(2, 40, true)}, {}};
    EXPECT_EQ(race::paired_ratio(noisy, even).count, 0u); // its samples are all there is of it,
    EXPECT_DOUBLE_EQ(race::paired_ratio(noisy, even).median, 4); // but no verdict may rest on them
    EXPECT_EQ(race::paired_ratio(race::series{}, peer).count, 0u);
    const race::series idle{"i", {at(0, 0), at(1, 10)}, {}};
    EXPECT_EQ(race::paired_ratios(subject, idle).size(), 1u); // Of no time there is no multiple.

    race::sampling_result both;
    both.all = {peer, odd, noisy};
    EXPECT_DOUBLE_EQ(both.contaminated_share(), 5.0 / 9);
}

TEST(race_series, a_baseline_that_ran_twice_counts_by_the_geometric_mean_or_by_what_there_is) {
    const race::series base{"b", {at(0, 10), at(1, 10, true), at(2, 10), at(3, 10)}, {}};
    const race::series control{"c", {at(0, 40), at(1, 10), at(2, 10, true), at(3, 10)}, {}};
    const race::series subject{"s", {at(0, 60), at(1, 30), at(2, 30), at(3, 30, true)}, {}};
    const race::paired_comparison found(subject, base, control);
    EXPECT_EQ(found.pairs(), 3u);
    EXPECT_DOUBLE_EQ(found.ratio().median, 3); // 60 / √(10 · 40), 30 / 10, 30 / 10
    EXPECT_DOUBLE_EQ(found.ratio().low, 3);
    EXPECT_DOUBLE_EQ(found.ratio().high, 3);

    const race::series bad{"c", {at(0, 1, true), at(1, 1, true)}, {}};
    EXPECT_EQ(race::paired_comparison(subject, base, bad).pairs(), 2u); // without its control
    EXPECT_EQ(race::paired_comparison(subject, bad, control).pairs(), 0u);
    EXPECT_EQ(race::paired_comparison(subject, bad, control).ratio().count, 0u);
}

namespace {

/// One that tells which of its tries others disturbed.
race::contender disturbed_when(std::string name, std::function<bool(int)> bad) {
    return {std::move(name), [bad = std::move(bad), run = 0]() mutable {
                race::outcome got{100.0 + run, {}};
                got.load.emplace().contaminated = bad(run++);
                return got;
            }};
}

} // namespace

TEST(race_sampler, a_contaminated_sample_is_taken_again_at_most_twice) {
    int calls = 0;
    // Tries 3, 4 and 5 are of one sample, try 8 of another.
    const auto result = race::measure({disturbed_when("a",
                                                      [&](int run) {
                                                          ++calls;
                                                          return (run >= 3 && run <= 5) || run == 8;
                                                      })},
                                      {.rounds = 10, .warm_up = 0, .tries_again = 2});
    const race::series& one = result.of("a");
    EXPECT_EQ(calls, 13);
    ASSERT_EQ(one.samples.size(), 10u);
    EXPECT_EQ(one.contaminated(), 1u); // the third try was, too
    EXPECT_EQ(one.dropped(), 1u);
    ASSERT_EQ(one.first_tries.size(), 2u);
    EXPECT_EQ(one.first_tries[0].round, 3u);
    EXPECT_EQ(one.samples[3].ns, 105);
    EXPECT_EQ(one.samples[6].ns, 109); // in the place of 108
    // Had nothing been dropped, the first tries would count.
    const race::series all = one.undropped();
    EXPECT_EQ(all.usable().size(), 10u);
    EXPECT_EQ(all.samples[3].ns, 103);
    EXPECT_EQ(all.samples[6].ns, 108);
    EXPECT_EQ(all.samples[9].ns, 112);
}

TEST(race_sampler, the_memory_of_tries_that_are_taken_again_is_kept) {
    int run = 0;
    const auto one = [&run] {
        race::outcome got{100, {}};
        const bool again = run == 2 || run == 3;
        got.load.emplace().contaminated = again;
        got.details.emplace().usage = race::program_usage{0, 0, 1, run == 3 ? 500 : 10};
        got.details->figures.push_back({"figure", 1});
        ++run;
        return got;
    };
    const auto result = race::measure({{"a", one}}, {.rounds = 10, .warm_up = 0, .tries_again = 2});
    ASSERT_EQ(result.of("a").first_tries.size(), 1u);
    const auto& kept = result.of("a").first_tries[0].details;
    ASSERT_TRUE(kept && kept->usage);
    EXPECT_EQ(kept->usage->peak_bytes, 500);
    EXPECT_TRUE(kept->figures.empty());
}

TEST(race_sampler, where_more_than_half_are_contaminated_none_is_taken_again_for_long) {
    int calls = 0;
    const auto result = race::measure({disturbed_when("a",
                                                      [&](int) {
                                                          ++calls;
                                                          return true;
                                                      })},
                                      {.rounds = 100, .warm_up = 0, .tries_again = 2});
    EXPECT_LT(calls, 110);
    EXPECT_TRUE(result.of("a").disturbed());
    EXPECT_EQ(result.of("a").samples.size(), 100u);
}

TEST(race_sampler, no_sample_is_taken_again_unless_that_is_asked_for) {
    int calls = 0;
    race::measure({disturbed_when("a",
                                  [&](int run) {
                                      ++calls;
                                      return run == 1;
                                  })},
                  {.rounds = 10, .warm_up = 0});
    EXPECT_EQ(calls, 10);
}

TEST(race_sampler, what_nobody_could_have_seen_is_not_called_clean) {
    const auto result = race::measure({disturbed_when("a", [](int run) { return run == 2; })},
                                      {.rounds = 5, .warm_up = 0});
    EXPECT_EQ(result.of("a").not_measurable(), 4u); // the one that was seen was measurable
}
