// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "race_fakes.hpp"
#include "sampling/race_control.hpp"
#include "sampling/scheme_run.hpp"

#include <regatta/base/detail/monotonic_ns.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

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
        scheme_run one(*scheme, {.workers = 2}, *work, control, rate);
        for (int i = 0; i < runs; ++i) {
            last = one.run_once();
            EXPECT_EQ(last.failure, "");
        }
        return one.latencies();
    }

    race_control control;
    outcome last;
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

INSTANTIATE_TEST_SUITE_P(schemes, latencies_of,
                         testing::Values("std_thread", "processes", "mutex_queue", "steady"),
                         [](const auto& instance) { return std::string(instance.param); });

TEST(arrivals, hands_out_one_time_after_the_other_to_whoever_asks) {
    arrivals offered;
    EXPECT_FALSE(offered.paced());
    offered.set_rate(100'000);
    EXPECT_TRUE(offered.paced());
    offered.begin();
    const std::atomic<std::uint32_t> stop{0};
    const std::int64_t first = offered.next(stop);
    EXPECT_EQ(offered.next(stop) - first, 10'000);
    const std::int64_t third = offered.next(stop);
    EXPECT_EQ(third - first, 20'000);
    EXPECT_GE(regatta::detail::monotonic_ns(), third);
}

TEST(arrivals, a_stop_ends_the_waiting) {
    arrivals offered;
    offered.set_rate(0.001); // the second one is due in 17 minutes
    offered.begin();
    std::atomic<std::uint32_t> stop{0};
    offered.next(stop);
    std::jthread waiting([&] { offered.next(stop); });
    stop.store(1, std::memory_order_relaxed);
    waiting.join();
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
