// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// @file
/// A thread pool on a machine of two sockets, each with eight CPUs and a memory node of its own.

#include <regatta/core/future.hpp>
#include <regatta/cpu/affinity.hpp>
#include <regatta/pool/balanced_pool.hpp>
#include <regatta/pool/steady_pool.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <future>
#include <latch>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <sys/syscall.h>
#include <unistd.h>

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

    /// Calls `f` with its number on each worker, then waits until the pool is idle.
    template<class F>
    void on_each_worker(F f) {
        std::latch all_busy(4);
        for (unsigned i = 0; i < 4; ++i) {
            pool.execute([&] {
                all_busy.arrive_and_wait();
                f(worker_here);
            });
        }
        ASSERT_TRUE(pool.wait_for(std::chrono::seconds(60)));
    }
};

/// A task that tells where it lies: in the block of its future.
template<std::size_t Size>
struct teller {
    const void** where;
    std::array<char, Size> more{};
    void operator()() { *where = this; }
};
/// Futures that are not let go, and where their tasks lay.
struct futures_kept {
    std::vector<const void*> where = std::vector<const void*>(1000);
    std::vector<regatta::future<void>> futures{};

    template<class Pool>
    void submit_to(Pool& pool) {
        for (std::size_t i = 0; i < where.size(); ++i) {
            if (i % 2 == 0) {
                futures.push_back(pool.submit(teller<8>{&where[i]}));
            } else {
                futures.push_back(pool.submit(teller<200>{&where[i]}));
            }
        }
    }
    /// How many of the pages lie on each node; a negative node is an error of the kernel.
    std::map<int, unsigned> pages() const {
        std::set<void*> in;
        for (const void* address : where) {
            const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
            in.insert(
                reinterpret_cast<void*>(reinterpret_cast<std::size_t>(address) / page * page));
        }
        std::vector<void*> asked(in.begin(), in.end());
        std::vector<int> node(asked.size(), -1);
        // Source: move_pages(2): without nodes it moves nothing and tells where the pages are.
        EXPECT_EQ(::syscall(SYS_move_pages, 0, asked.size(), asked.data(), nullptr, node.data(), 0),
                  0);
        std::map<int, unsigned> count;
        for (const int at : node) {
            ++count[at];
        }
        return count;
    }
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

/// "A thread gets blocks of its own node: a worker of the node on which it started, other threads
/// of the node on which they run. Every block returns to the shelf of its own node."
TYPED_TEST(two_nodes, the_blocks_of_a_thread_lie_on_its_node) {
    std::array<futures_kept, 4> of_worker;
    std::array<futures_kept, 2> of_outside;
    for (unsigned round = 0; round < 4; ++round) {
        this->on_each_worker([&](unsigned me) { of_worker[me].submit_to(this->pool); });
        for (unsigned node = 0; node < 2; ++node) {
            std::thread([&] {
                regatta::pin_this_thread(cpu_set::parse(node == 0 ? "2" : "10"));
                of_outside[node].submit_to(this->pool);
            }).join();
        }
        ASSERT_TRUE(this->pool.wait_for(std::chrono::seconds(60)));
        const auto lies_on = [round](const futures_kept& kept, int node) {
            const std::set<const void*> blocks(kept.where.begin(), kept.where.end());
            EXPECT_EQ(blocks.size(), kept.where.size());
            const auto pages = kept.pages();
            EXPECT_TRUE(pages.size() == 1 && pages.contains(node))
                << "round " << round << ": pages on node 0, 1: " << testing::PrintToString(pages);
        };
        for (unsigned worker = 0; worker < 4; ++worker) {
            lies_on(of_worker[worker], worker / 2 == 0 ? 0 : 1);
        }
        lies_on(of_outside[0], 0);
        lies_on(of_outside[1], 1);
        // Each block returns from a worker of the other node.
        this->on_each_worker([&](unsigned me) {
            of_worker[(me + 2) % 4].futures.clear();
            if (me % 2 == 0) {
                of_outside[me / 2 == 0 ? 1 : 0].futures.clear();
            }
        });
    }
}

} // namespace
