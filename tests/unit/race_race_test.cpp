// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "race_of_fakes.hpp"
#include "sampling/race.hpp"

#include <regatta/base/detail/monotonic_ns.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace race = regatta::race;
namespace fakes = regatta::race::fakes;
using regatta::race::fakes::race_of_fakes;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST_F(race_of_fakes, measures_verifies_and_compares_everyone) {
    enter(fakes::info("serial", fakes::run_serially));
    enter(fakes::info("std_thread", fakes::run_on_threads));
    const auto result = run();
    EXPECT_EQ(result.workload, "counting");
    EXPECT_EQ(result.items, 200u);
    EXPECT_EQ(result.rounds, 7u);
    EXPECT_FALSE(result.stopped);
    EXPECT_EQ(result.baseline, "std_thread");
    EXPECT_EQ(result.control.samples.size(), 7u);
    EXPECT_GT(result.floor.control.median, 0);
    for (const auto& one : result.schemes) {
        EXPECT_TRUE(one.ok()) << one.reason;
        EXPECT_TRUE(one.verified);
        EXPECT_EQ(one.measured.samples.size(), 7u);
        EXPECT_GT(one.time.median, 0);
        ASSERT_TRUE(one.speedup.has_value());
    }
    const auto& threads = *result.find("std_thread");
    EXPECT_NEAR(threads.efficiency.value(), threads.speedup->median / 2, 1e-9);
    EXPECT_FALSE(result.find("serial")->efficiency.has_value()); // it has one worker
    EXPECT_EQ(result.find("std_thread")->word, race::verdict::baseline);
    EXPECT_EQ(result.find("std_thread")->vs_baseline.median, 1);
    EXPECT_EQ(result.find("serial")->speedup->median, 1);
}

// "not while what was measured is evaluated": a signal must not give up then.
TEST_F(race_of_fakes, tells_measuring_from_evaluating) {
    bool measuring = false;
    enter(fakes::info("serial", [&](race::run_context& c) {
        measuring = control.is_measuring();
        fakes::run_serially(c);
    }));
    for (int race = 0; race < 2; ++race) { // as in a sweep
        measuring = false;
        run();
        EXPECT_TRUE(measuring);
        EXPECT_FALSE(control.is_measuring());
    }
}

TEST_F(race_of_fakes, a_wrong_result_disqualifies_and_the_others_go_on) {
    enter(fakes::info("good", fakes::run_serially));
    enter(fakes::info("forgetful", [](race::run_context& c) {
        race::item_runner runner(c.work, c.log);
        for (std::size_t i = 1; i < c.work.items(); ++i) {
            runner(i);
        }
    }));
    const auto result = run();
    const auto& bad = *result.find("forgetful");
    EXPECT_EQ(bad.status, race::scheme_status::failed);
    EXPECT_TRUE(bad.wrong_result);
    EXPECT_FALSE(bad.verified);
    EXPECT_EQ(bad.reason, "wrong result: 199 items were run, and there are 200");
    EXPECT_EQ(result.find("good")->measured.samples.size(), 7u);
    EXPECT_THAT(result.leaders, Not(Contains("forgetful")));
}

TEST_F(race_of_fakes, a_result_that_goes_wrong_later_disqualifies_too) {
    int runs = 0;
    enter(fakes::info("good", fakes::run_serially));
    enter(fakes::info("flaky", [&runs](race::run_context& c) {
        if (++runs < 5) {
            fakes::run_serially(c);
        }
    }));
    const auto result = run();
    EXPECT_TRUE(result.find("flaky")->wrong_result);
    EXPECT_FALSE(result.find("flaky")->verified);
    EXPECT_EQ(result.find("flaky")->measured.samples.size(), 3u);
    EXPECT_THAT(result.leaders, Not(Contains("flaky")));
}

// The output looks right, but the log says that an item ran twice and another not at all.
TEST_F(race_of_fakes, an_item_run_twice_in_place_of_another_disqualifies) {
    enter(fakes::info("good", fakes::run_serially));
    enter(fakes::info("double", [](race::run_context& c) {
        race::item_runner runner(c.work, c.log);
        for (std::size_t i = 1; i < c.work.items(); ++i) {
            runner(i);
        }
        runner(1);
        c.work.run(0);
    }));
    enter(fakes::info("more", [](race::run_context& c) {
        fakes::run_serially(c);
        race::item_runner(c.work, c.log)(0);
    }));
    const auto result = run();
    EXPECT_TRUE(result.find("double")->wrong_result);
    EXPECT_THAT(result.find("double")->reason, HasSubstr("twice"));
    EXPECT_TRUE(result.find("more")->wrong_result);
    EXPECT_THAT(result.find("more")->reason, HasSubstr("201 items were run, and there are 200"));
    EXPECT_TRUE(result.find("good")->ok());
}

TEST_F(race_of_fakes, a_dying_scheme_fails_with_its_reason) {
    enter(fakes::info("good", fakes::run_serially));
    enter(fakes::info("dying", [](race::run_context&) {
        throw race::scheme_failure("worker 1 (process 77) was killed by signal 9");
    }));
    const auto result = run();
    EXPECT_EQ(result.find("dying")->status, race::scheme_status::failed);
    EXPECT_FALSE(result.find("dying")->wrong_result);
    EXPECT_EQ(result.find("dying")->reason, "worker 1 (process 77) was killed by signal 9");
    EXPECT_TRUE(result.find("good")->ok());
}

TEST_F(race_of_fakes, a_missing_one_is_skipped_with_its_reason) {
    enter(fakes::info("good", fakes::run_serially));
    auto absent = fakes::info("absent", fakes::run_serially);
    absent.obstacle = [](const race::workload&) { return std::string("install libabsent-dev"); };
    enter(std::move(absent));
    const auto result = run();
    EXPECT_EQ(result.find("absent")->status, race::scheme_status::skipped);
    EXPECT_EQ(result.find("absent")->reason, "install libabsent-dev");
    EXPECT_TRUE(result.find("absent")->measured.samples.empty());
}

TEST_F(race_of_fakes, nobody_runs) {
    enter(fakes::info("dying", [](race::run_context&) { throw race::scheme_failure("no"); }));
    const auto result = run();
    EXPECT_THAT(result.baseline, IsEmpty());
    EXPECT_THAT(result.leaders, IsEmpty());
}

TEST_F(race_of_fakes, one_scheme_under_two_names) {
    enter(fakes::info("serial", fakes::run_serially), "a");
    enter(fakes::info("serial", fakes::run_serially), "b");
    const auto result = run();
    EXPECT_TRUE(result.find("a")->ok());
    EXPECT_TRUE(result.find("b")->ok());
    EXPECT_EQ(result.find("b")->scheme, "serial");
    EXPECT_EQ(result.baseline, "a");
}

TEST_F(race_of_fakes, a_baseline_that_cannot_run_is_replaced_and_that_is_said) {
    enter(fakes::info("dying", [](race::run_context&) { throw race::scheme_failure("no"); }));
    enter(fakes::info("good", fakes::run_serially));
    options.baseline = "dying";
    const auto result = run();
    EXPECT_EQ(result.baseline, "good");
    ASSERT_FALSE(result.notes.empty());
    EXPECT_THAT(result.notes, testing::Contains(HasSubstr("dying could not run")));
}

TEST_F(race_of_fakes, a_control_that_fails_fails_its_scheme) {
    // Each round runs the baseline twice; the death comes in one of the runs of the third round, as
    // the baseline's own or as its control's.
    for (const int deadly : {6, 7}) {
        infos.clear();
        entrants.clear();
        int runs = 0;
        enter(fakes::info("mortal", [&](race::run_context& c) {
            if (++runs == deadly) {
                throw race::scheme_failure("worker 0 was killed by signal 9");
            }
            fakes::run_serially(c);
        }));
        const auto result = run();
        EXPECT_EQ(result.find("mortal")->status, race::scheme_status::failed);
        EXPECT_EQ(result.find("mortal")->reason, "worker 0 was killed by signal 9");
        EXPECT_FALSE(result.find("mortal")->verified);
        EXPECT_THAT(result.leaders, IsEmpty());
    }
}

TEST_F(race_of_fakes, who_runs_std_thread_is_the_baseline_under_any_name) {
    enter(fakes::info("serial", fakes::run_serially));
    enter(fakes::info("std_thread", fakes::run_on_threads), "mine");
    EXPECT_EQ(run().baseline, "mine");
}

TEST_F(race_of_fakes, at_a_rate_those_that_take_single_tasks_are_judged_by_their_latency) {
    enter(fakes::info("loop", fakes::run_serially));
    enter(fakes::info_of_tasks("prompt", fakes::run_when_due));
    // Hands over the items in tens: nine of ten wait.
    enter(fakes::info_of_tasks("in_tens", [](race::run_context& c) {
        race::item_runner runner(c.work, c.log);
        for (std::size_t item = 0; item < c.work.items(); ++item) {
            c.log.offered.hand_over(item / 10 * 10 + 9, c.log.stop);
            runner(item);
        }
    }));
    options.rate = 5'000;
    const auto result = run();
    EXPECT_EQ(result.rate, 5'000);
    EXPECT_EQ(result.find("loop")->status, race::scheme_status::skipped);
    EXPECT_THAT(result.find("loop")->reason, HasSubstr("no single tasks"));
    EXPECT_EQ(result.baseline, "prompt");
    for (const char* name : {"prompt", "in_tens"}) {
        const auto& one = *result.find(name);
        EXPECT_TRUE(one.verified) << one.reason;
        EXPECT_EQ(one.latency.count(), 200 * one.measured.usable().size());
        EXPECT_EQ(one.latency_to_end.count(), one.latency.count());
        EXPECT_GE(one.latency_to_end.max(), one.latency.max());
        EXPECT_EQ(one.where.total_ns(), 0); // no time of workers is lost by waiting for arrivals
        EXPECT_FALSE(one.efficiency.has_value());
    }
    // The first of ten waits for nine intervals of 0.2 ms.
    EXPECT_GE(result.find("in_tens")->time.median, 1.8e6 / 1.04);
    EXPECT_GE(result.find("in_tens")->latency.percentile(0.95), 1'700'000);
}

TEST_F(race_of_fakes, a_rate_that_cannot_be_offered_is_refused) {
    enter(fakes::info_of_tasks("prompt", fakes::run_when_due));
    for (const double rate : {0.0, -1.0, 0.5}) { // at the last 200 items take 7 minutes to arrive
        options.rate = rate;
        EXPECT_THROW(run(), std::invalid_argument) << rate;
    }
    try {
        run();
    } catch (const std::invalid_argument& error) {
        EXPECT_THAT(error.what(), HasSubstr("take 7 minutes to arrive; allowed are up to 5, so "
                                            "offer 0.6667 or more"));
    }
}

TEST_F(race_of_fakes, who_takes_fewer_items_than_are_offered_is_named) {
    // 200 items of 0.2 ms and more arrive within 2 ms.
    enter(fakes::info_of_tasks("slow", [](race::run_context& c) {
        race::item_runner runner(c.work, c.log);
        for (std::size_t item = 0; item < c.work.items(); ++item) {
            c.log.offered.hand_over(item, c.log.stop);
            const auto until = regatta::detail::monotonic_ns() + 200'000;
            while (regatta::detail::monotonic_ns() < until) {
            }
            runner(item);
        }
    }));
    options.rate = 100'000;
    EXPECT_THAT(run().notes, Contains(HasSubstr("items a second that were offered")));
}

TEST_F(race_of_fakes, bad_options_are_refused) {
    enter(fakes::info("good", fakes::run_serially));
    options.scheme.workers = 0;
    EXPECT_THROW(run(), std::invalid_argument);
    options.scheme.workers = 1025;
    EXPECT_THROW(run(), std::invalid_argument);
    options.scheme.workers = 1;
    options.baseline = "nobody";
    EXPECT_THROW(run(), std::invalid_argument);
    options.baseline.clear();
    options.rounds = 0;
    EXPECT_THROW(run(), std::invalid_argument);
    options.rounds = 1;
    enter(fakes::info("good", fakes::run_serially));
    EXPECT_THROW(run(), std::invalid_argument);
    entrants.clear();
    EXPECT_THROW(run(), std::invalid_argument);
}

TEST_F(race_of_fakes, a_stop_returns_what_was_measured) {
    int runs = 0;
    enter(fakes::info("good", [&](race::run_context& c) {
        if (++runs == 5) {
            control.request_stop(); // as a signal handler would, in the middle of a run
        }
        fakes::run_serially(c);
    }));
    options.rounds = 100;
    const auto result = run();
    EXPECT_TRUE(result.stopped);
    EXPECT_TRUE(result.find("good")->ok());
    EXPECT_GE(result.find("good")->measured.samples.size(), 1u);
    EXPECT_LT(result.find("good")->measured.samples.size(), 5u);
}

TEST_F(race_of_fakes, what_dies_because_of_the_stop_has_not_failed) {
    int runs = 0;
    enter(fakes::info("good", [&](race::run_context& c) {
        if (++runs == 5) {
            control.request_stop();
            throw race::scheme_failure("worker 0 was killed by signal 2");
        }
        fakes::run_serially(c);
    }));
    const auto result = run();
    EXPECT_TRUE(result.stopped);
    EXPECT_TRUE(result.find("good")->ok());
}

TEST_F(race_of_fakes, more_workers_than_cpus_work_and_are_labelled) {
    enter(fakes::info("std_thread", fakes::run_on_threads));
    options.scheme.workers = 64;
    options.rounds = 2;
    const auto result = run();
    EXPECT_TRUE(result.find("std_thread")->ok());
    EXPECT_EQ(result.oversubscribed(), result.cpus < 64);
}
