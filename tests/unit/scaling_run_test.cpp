// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "race_fakes.hpp"
#include "scaling/scale.hpp"

#include <regatta/base/detail/monotonic_ns.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

using namespace regatta::race;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

/// A measurement of a fake scheme over a fake workload.
class scale_of_fakes : public testing::Test {
protected:
    scale_of_fakes() {
        options.work.size = 50;
        options.workers = {1, 2, 3};
        options.rounds = 7;
        options.shortest_sample = {}; // one run a sample
        options.tries_again = 0;      // whatever else runs here
    }

    scale_result run(const scheme_info& scheme) {
        return run_scale(fakes::counting_info(steps), scheme, options, control, observer);
    }
    scale_result run() { return run(fakes::info("threads", fakes::run_on_threads)); }

    /// What it complains about.
    template<class Error>
    std::string error_of(const scheme_info& scheme) {
        try {
            run(scheme);
        } catch (const Error& error) {
            return error.what();
        }
        return "nothing was thrown";
    }
    std::string argument_error() {
        return error_of<std::invalid_argument>(fakes::info("threads", fakes::run_on_threads));
    }

    bool has(const scale_result& result, scale_warning_kind kind) const {
        for (const scale_warning& one : result.warnings) {
            if (one.kind == kind) {
                return true;
            }
        }
        return false;
    }

    std::uint32_t steps = 60'000; // so long that each item is timed
    scale_options options;
    race_control control;
    std::function<void(const progress&)> observer;
};

} // namespace

TEST_F(scale_of_fakes, measures_each_number_of_workers_in_each_round) {
    const scale_result result = run();
    EXPECT_EQ(result.workload, "counting");
    EXPECT_EQ(result.scheme, "threads");
    EXPECT_EQ(result.unit, "items");
    EXPECT_EQ(result.items, 50u);
    EXPECT_EQ(result.rounds, 7u);
    EXPECT_FALSE(result.clock_source.empty());
    ASSERT_EQ(result.points.size(), 3u);
    for (const scale_point& point : result.points) {
        EXPECT_TRUE(point.ran()) << point.failure;
        EXPECT_EQ(point.measured.samples.size(), 7u);
        EXPECT_GT(point.events_per_second.median, 0);
        EXPECT_GT(point.speedup.median, 0);
        // Of each run that counts, each item.
        EXPECT_EQ(point.latency.count(), 50 * point.measured.usable().size());
        EXPECT_GT(point.latency.percentile(0.5), 0);
        EXPECT_LE(point.latency.percentile(0.5), point.latency.max());
    }
    EXPECT_EQ(result.control.samples.size(), 7u);
    EXPECT_GT(result.floor.control.median, 0);
    EXPECT_GT(result.baseline_drift.median, 0);
    EXPECT_EQ(result.points.front().speedup.median, 1);
}

// Two reads of the clock an item would be most of the time.
TEST_F(scale_of_fakes, items_too_short_to_be_timed_are_counted_as_in_a_race) {
    steps = 1;
    const scale_result result = run();
    for (const scale_point& point : result.points) {
        EXPECT_TRUE(point.ran()) << point.failure;
        EXPECT_EQ(point.latency.count(), 0u);
    }
}

TEST_F(scale_of_fakes, each_run_has_the_workers_that_it_should) {
    std::vector<unsigned> seen;
    options.workers = {4, 2, 2};
    options.rounds = 2;
    const scale_result result = run(fakes::info("recording", [&](run_context& c) {
        seen.push_back(c.workers);
        fakes::run_on_threads(c);
    }));
    ASSERT_EQ(result.points.size(), 3u); // one is always among them
    EXPECT_EQ(result.points[0].workers, 1u);
    EXPECT_EQ(result.points[1].workers, 2u);
    EXPECT_EQ(result.points[2].workers, 4u);
    // A warm-up and two rounds, one worker twice in each and twice before and after.
    EXPECT_EQ(std::ranges::count(seen, 1u), 2 * 3 + 2 + 2);
    EXPECT_EQ(std::ranges::count(seen, 2u), 3);
    EXPECT_EQ(std::ranges::count(seen, 4u), 3);
}

TEST_F(scale_of_fakes, goes_on_until_the_time_is_up) {
    options.rounds = 0;
    options.time = std::chrono::milliseconds(30);
    const scale_result result = run();
    EXPECT_GE(result.rounds, 1u);
    EXPECT_FALSE(result.stopped);
}

TEST_F(scale_of_fakes, a_count_that_cannot_run_fails_and_the_others_go_on) {
    const scale_result result = run(fakes::info("two at most", [](run_context& c) {
        if (c.workers > 2) {
            throw scheme_failure("there is no room for a third");
        }
        fakes::run_on_threads(c);
    }));
    EXPECT_EQ(result.find(3)->failure, "there is no room for a third");
    EXPECT_FALSE(result.find(3)->ran());
    EXPECT_TRUE(result.find(2)->ran());
    EXPECT_EQ(result.find(2)->measured.samples.size(), 7u);
}

TEST_F(scale_of_fakes, without_one_worker_there_is_nothing_to_compare_with) {
    EXPECT_EQ(error_of<scheme_failure>(fakes::info(
                  "dying", [](run_context&) { throw scheme_failure("a worker died"); })),
              "one worker: a worker died");
    EXPECT_THAT(error_of<scheme_failure>(fakes::info("idle", [](run_context&) {})),
                HasSubstr("wrong result"));
    scheme_info absent = fakes::info("absent", fakes::run_on_threads);
    absent.obstacle = [](const workload&) { return std::string("install libabsent-dev"); };
    EXPECT_EQ(error_of<scheme_failure>(absent), "absent cannot run: install libabsent-dev");
}

TEST_F(scale_of_fakes, one_worker_that_fails_late_leaves_what_was_measured) {
    // Warm-up and the runs before the first round take 5; then a round takes 2, and 3 come last.
    for (const int last : {8, 5 + 2 * 7}) {
        int runs = 0;
        const scale_result result = run(fakes::info("mortal", [&](run_context& c) {
            if (c.workers == 1 && ++runs > last) {
                throw scheme_failure("late death");
            }
            fakes::run_on_threads(c);
        }));
        EXPECT_EQ(result.points.front().failure, "late death");
        EXPECT_GE(result.points.front().measured.samples.size(), 1u);
        EXPECT_FALSE(result.points.front().ran());
        EXPECT_EQ(result.find(2)->measured.samples.size(), 7u);
        EXPECT_GT(result.find(2)->speedup.median, 0);
        EXPECT_FALSE(result.fit.amdahl);
    }
}

TEST_F(scale_of_fakes, one_that_was_stopped_keeps_what_it_has) {
    options.rounds = 1000;
    observer = [&](const progress& now) {
        if (!now.warm_up && now.round == 2) {
            control.request_stop();
        }
    };
    const scale_result result = run();
    EXPECT_TRUE(result.stopped);
    EXPECT_EQ(result.rounds, 2u);
    EXPECT_TRUE(has(result, scale_warning_kind::stopped));
    EXPECT_GE(result.points.front().measured.samples.size(), 2u);
}

TEST_F(scale_of_fakes, one_that_was_stopped_at_once_has_no_figures) {
    control.request_stop();
    const scale_result result = run();
    EXPECT_TRUE(result.stopped);
    EXPECT_EQ(result.rounds, 0u);
    EXPECT_FALSE(result.points.front().ran());
}

TEST_F(scale_of_fakes, at_a_rate_items_wait_for_their_turn) {
    options.rate = 5000; // 50 items arrive within 9.8 ms
    options.workers = {1, 2};
    options.rounds = 2;
    const scale_result result = run();
    for (const scale_point& point : result.points) {
        for (const sample& one : point.measured.samples) {
            EXPECT_GE(one.ns, 49 / 5000.0 * 1e9);
        }
        EXPECT_EQ(point.speedup.count, 0u);
    }
    EXPECT_EQ(result.rate, 5000);
}

// An item that is slow makes those wait that arrive meanwhile: their latencies say so, although
// each of them is quick once it has begun (coordinated omission).
TEST_F(scale_of_fakes, a_pause_is_in_the_latency_of_all_that_arrived_meanwhile) {
    options.rate = 10'000;
    options.workers = {1};
    options.rounds = 1;
    const scale_result result = run(fakes::info("pausing", [](run_context& c) {
        item_runner runner(c.work, c.log);
        for (std::size_t item = 0; item < c.work.items(); ++item) {
            if (item == 10) { // 20 ms: 200 items could have arrived
                const std::int64_t end = regatta::detail::monotonic_ns() + 20'000'000;
                while (regatta::detail::monotonic_ns() < end) {
                }
            }
            runner(item);
        }
    }));
    const latency_histogram& latency = result.points.front().latency;
    // The last of the 50 arrives 3.9 ms after the eleventh, so 40 of them waited 16 ms and more.
    EXPECT_GE(latency.percentile(0.25), 15'000'000);
}

TEST_F(scale_of_fakes, refuses_what_cannot_be) {
    options.workers = {0, 1};
    EXPECT_EQ(argument_error(), "workers: 0 is out of range; allowed are 1 to 1024");
    options.workers = {1, 1025};
    EXPECT_EQ(argument_error(), "workers: 1025 is out of range; allowed are 1 to 1024");
    options.workers = {1};
    options.rounds = 0;
    EXPECT_THAT(argument_error(), HasSubstr("neither a number of rounds nor a time"));
    options.rounds = 1;
    for (const double rate : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
        options.rate = rate;
        EXPECT_THAT(argument_error(), HasSubstr("rate: "));
    }
}

TEST_F(scale_of_fakes, items_that_take_long_to_arrive_are_refused_at_once) {
    options.rounds = 1;
    options.rate = 0.1; // 50 items: 500 s
    EXPECT_EQ(argument_error(),
              "rate: at 0.1 items a second the 50 items of a run take 8 minutes to arrive; allowed "
              "are up to 5, so offer 0.1667 or more, or run fewer items");
}

TEST_F(scale_of_fakes, items_that_hand_out_others_cannot_be_offered_at_a_rate) {
    options.rate = 1000;
    options.work.size = 10;
    const workload_info* within = find_workload("within");
    ASSERT_NE(within, nullptr);
    const scheme_info scheme = fakes::info("threads", fakes::run_on_threads);
    EXPECT_THROW(run_scale(*within, scheme, options, control), std::invalid_argument);
}

TEST(usual_worker_counts, double_up_to_the_cpus_and_twice_those) {
    EXPECT_THAT(usual_worker_counts(1), ElementsAre(1, 2));
    EXPECT_THAT(usual_worker_counts(2), ElementsAre(1, 2, 4));
    EXPECT_THAT(usual_worker_counts(4), ElementsAre(1, 2, 4, 8));
    EXPECT_THAT(usual_worker_counts(6), ElementsAre(1, 2, 4, 6, 12));
    EXPECT_EQ(usual_worker_counts(600).back(), 1024u);
    EXPECT_THAT(usual_worker_counts(4096),
                ElementsAre(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024));
    EXPECT_THAT(usual_worker_counts(0), ElementsAre(1, 2));
}
