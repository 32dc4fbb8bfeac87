// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// @file
/// A thread pool on a machine of two sockets, each with eight CPUs and a memory node of its own.

#include <regatta/pool/balanced_pool.hpp>
#include <regatta/pool/steady_pool.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <latch>
#include <string>
#include <thread>
#include <vector>

namespace {

using regatta::cpu_set;

thread_local unsigned worker_here = 0; ///< The number of the worker that this thread is.

/// Workers 0 and 1 are on the first node, 2 and 3 on the second.
template<class Pool>
class two_nodes : public testing::Test {
protected:
    static constexpr unsigned tasks = 50;
    Pool pool{{.threads = 4, .pin = cpu_set::parse("0-1,8-9"), .on_start = [](unsigned worker) {
                   worker_here = worker;
               }}};
};
using pools = testing::Types<regatta::steady_pool, regatta::balanced_pool>;
TYPED_TEST_SUITE(two_nodes, pools);

/// "A pinned worker steals from workers of its own memory node before it does from others": three
/// workers are busy, two of them with tasks in their queues, and the fourth runs all of them.
TYPED_TEST(two_nodes, a_pinned_worker_steals_within_its_node_first) {
    constexpr unsigned thief = 3;
    std::latch all_busy(4), filled(2);
    std::promise<void> end;
    const auto ended = end.get_future().share();
    std::vector<char> order;
    std::atomic<unsigned> ran{0};
    std::atomic<bool> late{false};
    for (unsigned i = 0; i < 4; ++i) {
        this->pool.execute([&, ended] {
            const unsigned me = worker_here;
            all_busy.arrive_and_wait(); // Each worker has one of these.
            if (me == 0 || me == 2) {
                for (unsigned task = 0; task < this->tasks; ++task) {
                    this->pool.execute([&, me] {
                        order.push_back(me == 2 ? 'n' : 'f'); // The thief alone runs these.
                        ran.fetch_add(1);
                    });
                }
                filled.count_down();
            }
            if (me == thief) {
                filled.wait();
            } else if (ended.wait_for(std::chrono::seconds(60)) != std::future_status::ready) {
                late = true;
            }
        });
    }
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (ran.load() != 2 * this->tasks && std::chrono::steady_clock::now() < deadline) {
        std::this_thread::yield();
    }
    end.set_value();
    this->pool.wait();
    EXPECT_FALSE(late.load());
    ASSERT_EQ(order.size(), 2 * this->tasks);
    EXPECT_EQ(std::string(order.begin(), order.end()),
              std::string(this->tasks, 'n') + std::string(this->tasks, 'f'));
}

} // namespace
