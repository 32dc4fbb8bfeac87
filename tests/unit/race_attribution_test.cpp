// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "sampling/attribution.hpp"

#include <gtest/gtest.h>

#include <array>
#include <memory>

namespace race = regatta::race;

namespace {

class attribution_of_a_log : public testing::Test {
protected:
    void worker(std::int64_t first, std::int64_t last, std::int64_t busy, std::uint64_t items = 1) {
        const auto slot = log->seen.fetch_add(1);
        if (slot < race::run_log::max_workers) {
            auto& mine = log->workers[slot];
            mine.first_ns = first;
            mine.last_ns = last;
            mine.busy_ns = busy;
            mine.items = items;
        }
    }

    std::unique_ptr<race::run_log> log = std::make_unique<race::run_log>();
};

} // namespace

TEST_F(attribution_of_a_log, each_stretch_has_its_part) {
    // From 1000 to 2000; worker 0 runs items from 1100 to 1900, worker 1 from 1200 to 1700.
    worker(1100, 1900, 700);
    worker(1200, 1700, 500);
    worker(0, 0, 0, 0);
    const auto split = race::split_time(*log, {1000, 2000, 5000, 4, true});
    EXPECT_EQ(split.workers, 4u);
    EXPECT_EQ(split.wall_ns, 1000);
    EXPECT_EQ(split.set_up_ns, 100 + 200);
    EXPECT_EQ(split.items_ns, 1200);
    EXPECT_EQ(split.dispatch_ns, 100);
    EXPECT_EQ(split.imbalance_ns, 200);
    EXPECT_EQ(split.tear_down_ns, 200);
    EXPECT_EQ(split.idle_ns, 2000); // one that ran nothing, one that never came
    EXPECT_EQ(split.preempted_ns, 0);
    EXPECT_EQ(split.sum_ns(), 4000);
}

TEST_F(attribution_of_a_log, the_set_up_of_processes_is_split) {
    worker(1100, 2000, 900);
    worker(1300, 2000, 700);
    log->workers[0].started_ns = 1040;
    log->workers[0].mapped_ns = 1070;
    log->workers[1].started_ns = 1100;
    log->workers[1].mapped_ns = 1400; // A clock that was read late is no negative time.
    const auto split = race::split_time(*log, {1000, 2000, 5000, 2, true});
    EXPECT_EQ(split.set_up_ns, 400);
    EXPECT_EQ(split.steps_ns, (std::array<double, 3>{140, 230, 30}));
    EXPECT_EQ(split.sum_ns(), 2000);
    const auto where = race::attribute({split}, 0);
    EXPECT_NEAR(where.steps_ns[0] + where.steps_ns[1] + where.steps_ns[2],
                where.of(race::part::set_up), 1e-6);
    EXPECT_NEAR(where.steps_ns[0], 140, 1e-6);

    log->workers[0].started_ns = log->workers[1].started_ns = 900; // Before the run: warm.
    EXPECT_EQ(race::split_time(*log, {1000, 2000, 5000, 2, true}).steps_ns[0], 0);
}

TEST_F(attribution_of_a_log, items_without_a_cpu_were_preempted) {
    worker(1000, 2000, 1000);
    worker(1000, 2000, 1000);
    const auto split = race::split_time(*log, {1000, 2000, 1200, 2, true});
    EXPECT_EQ(split.preempted_ns, 800);
    EXPECT_EQ(split.items_ns, 1200);
    EXPECT_EQ(split.sum_ns(), 2000);
}

TEST_F(attribution_of_a_log, what_the_kernel_counted_of_a_part_stands_for_all_items) {
    // Half of the 400 that were looked at it had no CPU; between its items it spun, so that the CPU
    // time of all hides that.
    worker(1000, 2000, 800, 8);
    log->workers[0].delay_ns = 200;
    log->workers[0].delay_span_ns = 400;
    const auto split = race::split_time(*log, {1000, 2000, 2000, 1, true});
    EXPECT_EQ(split.preempted_ns, 400);
    EXPECT_EQ(split.items_ns, 400);
    EXPECT_EQ(split.dispatch_ns, 200);
    EXPECT_EQ(split.sum_ns(), 1000);

    log->workers[0].delay_ns = 4000; // Never more than the items took.
    EXPECT_EQ(race::split_time(*log, {1000, 2000, 2000, 1, true}).preempted_ns, 800);
    log->workers[0].delay_span_ns = 0; // Nobody looked: what the CPU time shows.
    EXPECT_EQ(race::split_time(*log, {1000, 2000, 700, 1, true}).preempted_ns, 100);
}

TEST_F(attribution_of_a_log, the_cost_of_the_log_is_a_part_of_its_own) {
    worker(1000, 2000, 700, 10);
    log->workers[0].looking_ns = 50;
    race::run_facts facts{1000, 2000, 5000, 1, true};
    facts.cost = {.within_ns = 5, .beside_ns = 10};
    const auto split = race::split_time(*log, facts);
    EXPECT_EQ(split.items_ns, 700 - 10 * 5);
    EXPECT_EQ(split.measuring_ns, 10 * 5 + 9 * 10 + 50);
    EXPECT_EQ(split.dispatch_ns, 300 - 9 * 10 - 50);
    EXPECT_EQ(split.sum_ns(), 1000);

    facts.cost = {.within_ns = 500, .beside_ns = 500}; // Nothing becomes less than nothing.
    const auto most = race::split_time(*log, facts);
    EXPECT_EQ(most.items_ns, 0);
    EXPECT_EQ(most.dispatch_ns, 0);
    EXPECT_EQ(most.measuring_ns, 1000);
}

TEST_F(attribution_of_a_log, an_item_within_another_counts_once) {
    // A worker that waits within item 0 runs item 1 meanwhile.
    class nested final : public race::workload {
    public:
        std::string_view name() const noexcept override { return "nested"; }
        std::size_t items() const noexcept override { return 2; }
        void run(std::size_t item) noexcept override {
            const auto until = regatta::detail::monotonic_ns() + 1'000'000;
            while (regatta::detail::monotonic_ns() < until) {
            }
            if (item == 0) {
                (*runner)(1);
            }
        }
        void reset() noexcept override {}
        race::verification verify() const override { return {true, {}}; }
        int descriptor() const noexcept override { return -1; }

        race::item_runner* runner = nullptr;
    } work;
    race::item_runner runner(work, *log);
    work.runner = &runner;
    runner(0);
    const race::worker_log& mine = log->workers[0];
    EXPECT_EQ(mine.items, 2u);
    EXPECT_GE(mine.busy_ns, 2'000'000);
    EXPECT_LE(mine.busy_ns,
              mine.last_ns - mine.first_ns); // not three times 1 ms, nor more than all
    EXPECT_TRUE(race::check_items(*log, 2).ok);
}

TEST_F(attribution_of_a_log, workers_beyond_those_asked_for_count) {
    for (int i = 0; i < 3; ++i) {
        worker(1000, 2000, 1000);
    }
    const auto split = race::split_time(*log, {1000, 2000, 3000, 2, true});
    EXPECT_EQ(split.workers, 3u);
    EXPECT_EQ(split.sum_ns(), 3000);
}

TEST_F(attribution_of_a_log, workers_beyond_the_slots_are_unlogged) {
    for (unsigned i = 0; i < race::run_log::max_workers + 2; ++i) {
        worker(1000, 2000, 1000);
    }
    const auto split = race::split_time(*log, {1000, 2000, 10'000'000, 2, true});
    EXPECT_EQ(split.unlogged_ns, 2000);
    EXPECT_EQ(split.sum_ns(), 1000.0 * (race::run_log::max_workers + 2));
}

TEST_F(attribution_of_a_log, a_library_of_its_own_is_unlogged) {
    const auto split = race::split_time(*log, {1000, 2000, 900, 2, false});
    EXPECT_EQ(split.unlogged_ns, 2000);
    EXPECT_EQ(split.sum_ns(), 2000);
}

TEST_F(attribution_of_a_log, workers_that_fork_are_held_against_serial_as_a_whole) {
    race::run_facts facts{1000, 2000, 900, 2, false};
    facts.forked = true;
    const auto split = race::split_time(*log, facts);
    EXPECT_EQ(split.undivided_ns, 2000);
    EXPECT_EQ(split.unlogged_ns, 0);
    EXPECT_EQ(split.sum_ns(), 2000);
    const auto where = race::attribute({split}, 1200);
    EXPECT_NEAR(where.of(race::part::work), 1200, 1e-6);
    EXPECT_NEAR(where.of(race::part::dispatch), 800, 1e-6);
}

TEST(race_attribution, items_are_held_against_the_serial_scheme) {
    race::time_split split;
    split.wall_ns = 1000;
    split.workers = 2;
    split.items_ns = 1500;
    split.dispatch_ns = 500;
    const auto where = race::attribute({split}, 1200);
    EXPECT_TRUE(where.has_reference);
    EXPECT_NEAR(where.of(race::part::work), 1200, 1e-6);
    EXPECT_NEAR(where.of(race::part::inflation), 300, 1e-6);
    EXPECT_NEAR(where.share(race::part::dispatch), 0.25, 1e-9);

    const auto cheaper = race::attribute({split}, 2000); // cheaper than in serial: all is work
    EXPECT_NEAR(cheaper.of(race::part::work), 1500, 1e-6);
    EXPECT_EQ(cheaper.of(race::part::inflation), 0);

    EXPECT_NEAR(where.item_cost.value(), 1.25, 1e-9);
    EXPECT_NEAR(cheaper.item_cost.value(), 0.75, 1e-9); // which the parts do not show

    const auto unknown = race::attribute({split}, 0);
    EXPECT_FALSE(unknown.has_reference);
    EXPECT_FALSE(unknown.item_cost.has_value());
    EXPECT_NEAR(unknown.of(race::part::work), 1500, 1e-6);
}

TEST_F(attribution_of_a_log, tiny_items_are_not_told_from_what_is_between_them) {
    worker(1100, 1900, 0, 1000);
    worker(1200, 1700, 0, 600);
    race::run_facts facts{1000, 2000, 1, 2, true};
    facts.tiny_items = true;
    const auto split = race::split_time(*log, facts);
    EXPECT_EQ(split.undivided_ns, 800 + 500);
    EXPECT_EQ(split.items_ns, 0);
    EXPECT_EQ(split.dispatch_ns, 0);
    EXPECT_EQ(split.preempted_ns, 0);
    EXPECT_EQ(split.set_up_ns, 100 + 200);
    EXPECT_EQ(split.sum_ns(), 2000);
    EXPECT_EQ(race::reference_items_ns({split}), 1300);
}

TEST(race_attribution, of_tiny_items_as_much_is_work_as_serial_needs) {
    race::time_split split;
    split.wall_ns = 1000;
    split.workers = 2;
    split.undivided_ns = 1500;
    split.idle_ns = 500;
    const auto where = race::attribute({split}, 300);
    EXPECT_TRUE(where.counts_items);
    EXPECT_NEAR(where.of(race::part::work), 300, 1e-6);
    EXPECT_NEAR(where.of(race::part::dispatch), 1200, 1e-6);
    EXPECT_EQ(where.of(race::part::inflation), 0);
    EXPECT_EQ(where.of(race::part::unlogged), 0);
    EXPECT_FALSE(where.item_cost.has_value());

    const auto cheaper = race::attribute({split}, 2000);
    EXPECT_NEAR(cheaper.of(race::part::work), 1500, 1e-6);
    EXPECT_EQ(cheaper.of(race::part::dispatch), 0);

    const auto unknown = race::attribute({split}, 0);
    EXPECT_TRUE(unknown.counts_items);
    EXPECT_EQ(unknown.of(race::part::work), 0);
    EXPECT_NEAR(unknown.of(race::part::unlogged), 1500, 1e-6);
}

TEST(race_attribution, medians_over_the_samples_still_sum_to_the_whole) {
    std::vector<race::time_split> splits(3);
    for (std::size_t i = 0; i < splits.size(); ++i) {
        splits[i].wall_ns = 1000 + 500.0 * static_cast<double>(i);
        splits[i].workers = 2;
        splits[i].items_ns = splits[i].wall_ns * (0.5 + 0.3 * static_cast<double>(i));
        splits[i].idle_ns = 2 * splits[i].wall_ns - splits[i].items_ns;
    }
    const auto where = race::attribute(splits, 0);
    EXPECT_EQ(where.wall_ns, 1500);
    double sum = 0;
    for (const double ns : where.ns) {
        sum += ns;
    }
    EXPECT_NEAR(sum, 3000, 1e-6);
    EXPECT_EQ(race::attribute({}, 0).total_ns(), 0);
    EXPECT_EQ(race::attribute({}, 0).share(race::part::work), 0);
}

TEST(race_attribution, each_part_is_that_of_the_split) {
    race::time_split split;
    split.wall_ns = 1000;
    split.workers = 1;
    split.items_ns = 100;
    split.preempted_ns = 110;
    split.dispatch_ns = 120;
    split.set_up_ns = 130;
    split.imbalance_ns = 140;
    split.tear_down_ns = 150;
    split.idle_ns = 60;
    split.unlogged_ns = 90;
    split.measuring_ns = 100;
    const race::time_split nothing; // A run without a length has no shares.
    const auto where = race::attribute({nothing, split}, 0);
    constexpr std::array<double, race::part_count> expected{100, 0,   110, 120, 130,
                                                            140, 150, 60,  90,  100};
    for (std::size_t i = 0; i < race::part_count; ++i) {
        EXPECT_NEAR(where.ns[i], expected[i], 1e-9) << race::part_names[i];
    }
    EXPECT_EQ(where.workers, 1u);
    race::time_split wider = split;
    wider.workers = 2;
    EXPECT_EQ(race::attribute({wider, split}, 0).workers, 2u);
}

TEST(race_attribution, the_mean_of_runs_is_that_of_each_part) {
    race::time_split sum;
    for (const double times : {1.0, 3.0}) {
        race::time_split run{100 * times, times < 2 ? 4u : 2u, 1 * times, 2 * times,
                             3 * times,   4 * times,           5 * times, 6 * times,
                             7 * times,   8 * times,           9 * times, 10 * times};
        run.steps_ns = {11 * times, 12 * times, 13 * times};
        sum += run;
    }
    const race::time_split mean = sum.divided_by(2);
    EXPECT_EQ(mean.workers, 4u);
    EXPECT_EQ(mean.wall_ns, 200);
    const double parts[] = {mean.items_ns,     mean.undivided_ns, mean.preempted_ns,
                            mean.dispatch_ns,  mean.set_up_ns,    mean.imbalance_ns,
                            mean.tear_down_ns, mean.idle_ns,      mean.unlogged_ns,
                            mean.measuring_ns, mean.steps_ns[0],  mean.steps_ns[1],
                            mean.steps_ns[2]};
    double expected = 0;
    for (const double part : parts) {
        EXPECT_EQ(part, expected += 2);
    }
}
