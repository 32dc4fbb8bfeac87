// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "random_programs.hpp"
#include "support/pool_cases.hpp"
#include "support/threads.hpp"

#include <regatta/fork.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <thread>
#include <utility>
#include <vector>

namespace {

using library_test::dice;
using library_test::made_pool;
using library_test::point;
using library_test::repeat;
using library_test::rounds;
using regatta::thread_pool;

struct oddity {};

/// What a random program does.
enum class ways {
    forks, ///< Forks on both pools.
    tasks, ///< Forks and tasks on one pool, and programs on the other one.
};

/// Runs random programs: a tree, each point of which runs its children in one of the ways that
/// there are to run calls at the same time.
class program {
public:
    program(thread_pool& here, thread_pool& elsewhere, ways what, bool throws)
        : here_(here)
        , elsewhere_(elsewhere)
        , what_(what)
        , throws_(throws) {}

    /// The number of leaves beneath, counted by one thread. Throws as `run`.
    long expect(point p) const {
        const auto children = p.children();
        if (children.empty()) {
            return leaf(p, 0);
        }
        long sum = 0;
        for (const point& child : children) {
            sum += expect(child);
        }
        return sum;
    }
    /// The same, by the pools.
    long run(point p) const {
        const auto children = p.children();
        if (children.empty()) {
            return leaf(p, p.draw(3, 3000));
        }
        const std::span<const point> all(children);
        thread_pool& pool = p.draw(4, 2) == 0 ? elsewhere_ : here_;
        const bool forks = what_ == ways::forks;
        switch (p.draw(5, 8)) {
        case 0:
            return halves(all);
        case 1:
            return loop(all);
        case 2:
            return scope(all, nullptr);
        case 3: // Of two pools only one has tasks that wait for the other one's.
            return forks ? scope(all, &pool) : tasks(all, *this);
        case 4:
            return forks ? regatta::parallel_transform_reduce(
                               pool, all.begin(), all.end(), 0L, std::plus<>(),
                               [&](const point& child) { return run(child); })
                         : tasks(all, *this);
        case 5:
            return forks ? regatta::join(
                               pool, [&] { return halves(all); }, [] { return 0L; })
                               .first
                         : tasks(all, program(elsewhere_, elsewhere_, what_, throws_));
        case 6:
            if (!forks) {
                static_cast<void>(here_.wait_for(std::chrono::microseconds(p.draw(6, 100))));
            }
            return one_by_one(all, [] { regatta::blocking([] { std::this_thread::yield(); }); });
        default:
            return one_by_one(all, [] { static_cast<void>(regatta::poll()); });
        }
    }

private:
    long leaf(point p, std::uint64_t work) const {
        if (throws_ && p.throws()) {
            throw oddity();
        }
        for (std::atomic<std::uint64_t> done{0}; done < work; ++done) {
        }
        return 1;
    }
    template<class Between>
    long one_by_one(std::span<const point> all, Between&& between) const {
        long sum = 0;
        for (const point& child : all) {
            between();
            sum += run(child);
        }
        return sum;
    }
    long halves(std::span<const point> all) const {
        if (all.size() == 1) {
            return run(all[0]);
        }
        const std::size_t half = all.size() / 2;
        const auto [a, b] = regatta::join([&] { return halves(all.first(half)); },
                                          [&] { return halves(all.subspan(half)); });
        return a + b;
    }
    long loop(std::span<const point> all) const {
        std::atomic<long> sum{0};
        regatta::parallel_for(std::size_t{0}, all.size(),
                              [&](std::size_t i) { sum += run(all[i]); });
        return sum;
    }
    /// Children spawn the next ones, or this thread does, on a pool or where this thread forks.
    long scope(std::span<const point> all, thread_pool* pool) const {
        std::atomic<long> sum{0};
        const auto spawn = [&](regatta::task_scope& scope) {
            for (std::size_t i = 0; i < all.size(); i += 2) {
                scope.spawn([&, i] {
                    if (i + 1 < all.size()) {
                        scope.spawn([&, i] { sum += run(all[i + 1]); });
                    }
                    sum += run(all[i]);
                });
                if (all[i].draw(7, 4) == 0) {
                    regatta::blocking([] { std::this_thread::yield(); });
                }
            }
            scope.wait();
        };
        if (pool != nullptr) {
            regatta::task_scope there(*pool);
            spawn(there);
        } else {
            regatta::task_scope anywhere;
            spawn(anywhere);
        }
        return sum;
    }
    /// A task for each, which runs a program.
    static long tasks(std::span<const point> all, const program& to_run) {
        std::vector<regatta::future<long>> futures;
        for (const point& child : all) {
            futures.push_back(to_run.here_.submit([&to_run, child] { return to_run.run(child); }));
        }
        return sum_of(futures, all[0].draw(8, 2) == 0);
    }
    /// All are waited for, also after an exception: they use what this thread has.
    static long sum_of(std::vector<regatta::future<long>>& futures, bool backwards) {
        long sum = 0;
        bool thrown = false;
        for (std::size_t i = 0; i < futures.size(); ++i) {
            try {
                sum += futures[backwards ? futures.size() - 1 - i : i].get();
            } catch (const oddity&) {
                thrown = true;
            }
        }
        return thrown ? throw oddity() : sum;
    }
    thread_pool& here_;
    thread_pool& elsewhere_;
    const ways what_;
    const bool throws_;
};

class fork_stress : public library_test::pool_test {
protected:
    /// Runs programs as tasks, or also on this thread, and checks what they return.
    static void run_programs(const program& all, dice& d, thread_pool& pool, bool from_outside) {
        for (int i = 0; i < 4; ++i) {
            const point p{static_cast<std::uint64_t>(d.roll(1 << 30)), 4};
            const bool inside = !from_outside || d.roll(2) == 0;
            EXPECT_EQ(outcome([&] {
                          return inside ? pool.submit([&] { return all.run(p); }).get()
                                        : regatta::join(
                                              pool, [&] { return all.run(p); }, [] {});
                      }),
                      outcome([&] { return all.expect(p); }))
                << "program " << p.seed;
        }
    }

private:
    template<class Run>
    static long outcome(Run&& run) {
        try {
            return run();
        } catch (const oddity&) {
            return -1;
        }
    }
};
INSTANTIATE_TEST_SUITE_P(, fork_stress, library_test::every_pool(), library_test::pool_name);

// Random programs on two pools, begun by two threads.
TEST_P(fork_stress, random_programs_on_two_pools_end) {
    repeat(rounds(60), std::chrono::seconds(5), [](unsigned round, dice& d) {
        auto [first] = make_pool(1u + static_cast<unsigned>(d.roll(3)));
        auto [second] = make_pool(1u + static_cast<unsigned>(d.roll(3)));
        const ways what = d.roll(2) == 0 ? ways::forks : ways::tasks;
        const bool throws = d.roll(2) == 0;
        const program on_both(first, second, what, throws);
        const program on_second(second, second, what, throws);
        // Not from outside with tasks: such a thread waits for a task without running any.
        const bool from_outside = what == ways::forks;
        std::thread other([&] {
            dice mine(round * 8 + 1);
            run_programs(on_second, mine, second, from_outside);
        });
        const library_test::time_limit limit("the end of random programs");
        run_programs(on_both, d, first, from_outside);
        other.join();
        first.wait();
        second.wait();
    });
}

// Random programs on one pool, while another thread pauses and resumes it.
TEST_P(fork_stress, random_programs_on_a_pool_that_pauses_end) {
    repeat(rounds(60), std::chrono::seconds(5), [](unsigned round, dice& d) {
        auto [pool] = make_pool(1u + static_cast<unsigned>(d.roll(3)));
        const program all(pool, pool, ways::tasks, d.roll(2) == 0);
        std::atomic<int> running{2};
        std::vector<std::thread> threads;
        for (unsigned t = 1; t < 3; ++t) {
            threads.emplace_back([&, t] {
                dice mine(round * 8 + t);
                run_programs(all, mine, pool, false);
                --running;
            });
        }
        const library_test::time_limit limit("the end of random programs");
        while (running != 0) {
            pool.pause();
            std::this_thread::yield();
            pool.resume();
            static_cast<void>(pool.wait_for(std::chrono::microseconds(d.roll(200))));
        }
        for (auto& thread : threads) {
            thread.join();
        }
    });
}

} // namespace
