// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "race_fakes.hpp"
#include "sampling/race_control.hpp"
#include "sampling/scheme_run.hpp"

#include <regatta/base/detail/monotonic_ns.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>

using namespace regatta::race;

namespace {

/// Runs a scheme of the registry over a workload of the registry, with 2 workers.
class latencies_of : public testing::TestWithParam<const char*> {
protected:
    /// @returns the latencies of the last of some runs.
    latency_histogram run(const char* workload_name, std::size_t size, double rate = 0,
                          int runs = 1) {
        const auto work = find_workload(workload_name)->make({.size = size});
        const scheme_info* scheme = find_scheme(GetParam());
        if (scheme == nullptr) {
            ADD_FAILURE() << "there is no scheme " << GetParam();
            return {};
        }
        scheme_run one(*scheme, {.workers = 2}, *work, control, {.rate = rate});
        for (int i = 0; i < runs; ++i) {
            last = one.run_sample();
            EXPECT_EQ(last.failure, "");
        }
        delays = one.delays();
        return one.latencies();
    }

    race_control control;
    outcome last;
    latency_histogram delays;
};

} // namespace

// "Of each worker's items: the time of each."
TEST_P(latencies_of, each_item_of_the_run_counts_once) {
    const latency_histogram once = run("matmul", 64);
    EXPECT_EQ(once.count(), 64u);
    EXPECT_GT(once.min(), 0);
    EXPECT_LE(static_cast<double>(once.max()), last.ns);
    // The run before is forgotten.
    EXPECT_EQ(run("matmul", 64, 0, 3).count(), 64u);
}

// "Of tiny items that are not, nothing."
TEST_P(latencies_of, tiny_items_are_timed_only_where_they_are_offered_at_a_rate) {
    EXPECT_EQ(run("empty", 1000).count(), 0u);
    EXPECT_EQ(run("empty", 1000, 1e6).count(), 1000u);
    EXPECT_EQ(run("empty", 1000).count(), 0u);
}

// "When the items of a run arrive: the first at once, each further one an interval later."
TEST_P(latencies_of, at_a_rate_no_item_begins_before_it_arrives) {
    const latency_histogram paced = run("matmul", 64, 10'000);
    EXPECT_EQ(paced.count(), 64u);
    EXPECT_GE(last.ns, 63 * 1e5);
}

// "Where they are offered at a rate: how long each waited from its arrival to its begin."
TEST_P(latencies_of, at_a_rate_each_item_has_a_delay_too) {
    run("empty", 1000, 1e5);
    EXPECT_EQ(delays.count(), 1000u);
    EXPECT_GE(delays.min(), 0);
    run("empty", 1000);
    EXPECT_EQ(delays.count(), 0u);
}

INSTANTIATE_TEST_SUITE_P(schemes, latencies_of,
                         testing::Values("std_thread", "processes", "mutex_queue", "steady",
                                         "balanced", "dynamic", "worker_pool", "async_bus"),
                         [](const auto& instance) { return std::string(instance.param); });

TEST(arrivals, hands_out_one_time_after_the_other_to_whoever_asks) {
    arrivals offered;
    EXPECT_FALSE(offered.paced());
    offered.set_rate(100'000);
    EXPECT_TRUE(offered.paced());
    offered.begin();
    const std::atomic<std::uint32_t> stop{0};
    const std::int64_t first = offered.arrival_of(7, stop);
    EXPECT_EQ(offered.arrival_of(3, stop) - first, 10'000);
    const std::int64_t third = offered.arrival_of(0, stop);
    EXPECT_EQ(third - first, 20'000);
    EXPECT_GE(regatta::detail::monotonic_ns(), third);
}

TEST(arrivals, a_producer_hands_over_each_item_when_it_is_due) {
    arrivals offered;
    offered.set_rate(10'000, item_source::producer);
    offered.begin();
    const std::atomic<std::uint32_t> stop{0};
    const std::int64_t first = offered.arrival_of(0, stop);
    for (std::uint64_t item = 0; item < 20; ++item) {
        offered.hand_over(item, stop);
        const std::int64_t due = offered.arrival_of(item, stop);
        EXPECT_EQ(due - first, static_cast<std::int64_t>(item) * 100'000);
        EXPECT_GE(regatta::detail::monotonic_ns(), due);
    }
    // Whoever asks for it: the producer does the waiting.
    EXPECT_EQ(offered.arrival_of(1'000'000, stop) - first, 100'000'000'000);
}

// Coordinated omission: the items behind one that stalls were due, so they have waited.
TEST(arrivals, a_stall_in_one_item_delays_those_behind_it) {
    class stalling final : public fakes::counting {
    public:
        using counting::counting;
        void run(std::size_t item) noexcept override {
            counting::run(item);
            if (item == 10) {
                std::this_thread::sleep_for(std::chrono::milliseconds(40)); // the stall itself
            }
        }
    } work({.size = 200});
    race_control control;
    const scheme_info one = fakes::info_of_tasks("one_thread", fakes::run_when_due);
    scheme_run run(one, {.workers = 1}, work, control, {.rate = 10'000});
    ASSERT_EQ(run.run_sample().failure, "");
    // Item 11 was due 0.1 ms after the 10th, item 12 another 0.1 ms later …
    EXPECT_EQ(run.delays().count(), 200u);
    EXPECT_GE(run.delays().percentile(0.99), 38'000'000);
    EXPECT_GE(run.delays().percentile(0.5), 20'000'000);
    EXPECT_GE(run.latencies().percentile(0.99), run.delays().percentile(0.99));
}

TEST(arrivals, a_stop_ends_the_waiting) {
    arrivals offered;
    offered.set_rate(0.001); // the second one is due in 17 minutes
    offered.begin();
    std::atomic<std::uint32_t> stop{0};
    offered.arrival_of(0, stop);
    std::jthread waiting([&] { offered.arrival_of(1, stop); });
    std::jthread handing_over([&] { offered.hand_over(1, stop); });
    stop.store(1, std::memory_order_relaxed);
    waiting.join();
    handing_over.join();
    SUCCEED();
}

// The scheme processes starts this program again, as its worker.
int main(int argc, char** argv) {
    if (const auto status = run_as_worker(argc, argv)) {
        return *status;
    }
    testing::InitGoogleMock(&argc, argv);
    return RUN_ALL_TESTS();
}
