// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// Halves and iterations that wait for each other, where there are as many threads; and what a
// worker does between two forks.

#include "support/eventually.hpp"
#include "support/observed_thread.hpp"
#include "support/pool_cases.hpp"

#include <regatta/fork.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>

namespace {

using library_test::await;
using library_test::time_limit;

class fork_meetings : public library_test::pool_test {};
INSTANTIATE_TEST_SUITE_P(, fork_meetings, library_test::every_pool(), library_test::pool_name);

/// A join whose second half another thread runs.
void run_half_elsewhere(regatta::thread_pool& pool) {
    std::atomic<bool> taken{false};
    regatta::join(
        pool, [&] { regatta::blocking([&] { await([&] { return taken.load(); }); }); },
        [&] { taken = true; });
}

/// Two workers that never sleep.
class spinning_workers {
public:
    regatta::pool_options options() {
        return {
            .threads = 2, .spin = std::chrono::nanoseconds::max(), .on_start = [this](unsigned i) {
                threads_[i].announce();
                ++started_;
            }};
    }
    /// Until each has computed for 5 ms. What comes before the spin, or before a nap, takes far
    /// less.
    void await_spin() {
        await([&] { return started_ == 2; });
        for (const auto& thread : threads_) {
            const auto before = thread.cpu_time();
            await([&] { return before < 0 || thread.cpu_time() > before + 5'000'000; });
        }
    }

private:
    library_test::observed_thread threads_[2];
    std::atomic<int> started_{0};
};

} // namespace

// "Waits between halves … need two threads": one that waits for the other's half is one of them.
TEST_P(fork_meetings, a_thread_that_waits_takes_a_half_of_the_half_it_waits_for) {
    const time_limit limit("halves that wait for each other");
    auto [pool] = make_pool({.threads = 2});
    for (int round = 0; round < 30; ++round) {
        std::atomic<bool> taken{false};
        std::atomic<int> begun{0};
        const auto meet = [&] {
            ++begun;
            await([&] { return begun == 2; });
        };
        regatta::join(
            pool, [&] { await([&] { return taken.load(); }); },
            [&] {
                taken = true;
                regatta::join(meet, meet);
            });
    }
}

// "Iterations that wait for each other do so within `blocking`": also where the same loop was short
// before, and had many iterations in a block.
TEST_P(fork_meetings, iterations_meet_however_short_they_were_before) {
    const time_limit limit("iterations that wait for each other");
    constexpr int threads = 24; // Each runs one; more than are blocks of their own in any case.
    auto [pool] = make_pool({.threads = threads});
    std::atomic<bool> meets{false};
    std::atomic<int> begun{0};
    const auto iteration = [&](int) {
        if (meets) {
            regatta::blocking([&] {
                ++begun;
                await([&] { return begun == threads; });
            });
        }
    };
    for (int i = 0; i < 50; ++i) {
        regatta::parallel_for(pool, 0, 10'000, iteration);
    }
    meets = true;
    regatta::parallel_for(pool, 0, threads, iteration);
    EXPECT_EQ(begun, threads);
}

// "Iterations that wait for each other …": also the first of many for the next one, which would
// remain with its thread if a loop gave away a part of the rest alone.
TEST_P(fork_meetings, the_first_of_many_iterations_meets_the_next) {
    const time_limit limit("an iteration that waits for the next");
    auto [pool] = make_pool({.threads = 4});
    for (const bool blocks : {true, false}) {
        std::atomic<bool> met{false};
        const auto loop = [&, &pool = pool] {
            met = false;
            regatta::parallel_for(pool, 0, 10'000, [&](int i) {
                if (i == 1) {
                    met = true;
                } else if (i == 0 && blocks) {
                    regatta::blocking([&] { await([&] { return met.load(); }); });
                } else if (i == 0) {
                    await([&] { return regatta::poll(), met.load(); });
                }
            });
            EXPECT_TRUE(met);
        };
        loop();
        pool.submit(loop).get();
    }
}

// "And of each loop … what follows": of loops within loops each one, however many iterations the
// outer ones have left.
TEST_P(fork_meetings, an_iteration_meets_the_next_of_the_innermost_loop) {
    const time_limit limit("an iteration of a loop in a loop that waits for the next");
    auto [pool] = make_pool({.threads = 3});
    for (int round = 0; round < 20; ++round) {
        std::atomic<bool> met{false};
        const auto innermost = [&](int i, int j, int k) {
            if (i + j + k == 0) {
                regatta::blocking([&] { await([&] { return met.load(); }); });
            } else if (i + j == 0 && k == 1) {
                met = true;
            }
        };
        regatta::parallel_for(pool, 0, 1000, [&](int i) {
            regatta::parallel_for(0, i == 0 ? 1000 : 1, [&](int j) {
                regatta::parallel_for(0, i + j == 0 ? 1000 : 1, [&](int k) { innermost(i, j, k); });
            });
        });
        EXPECT_TRUE(met);
    }
}

// "But for … less than a grain": also where half of the rest is less.
TEST_P(fork_meetings, an_iteration_meets_the_next_of_a_loop_with_a_grain) {
    const time_limit limit("an iteration that waits for the next");
    auto [pool] = make_pool({.threads = 2});
    for (const int count : {9, 12, 40}) {
        std::atomic<bool> met{false};
        regatta::parallel_for(pool, 0, count,
                              [&](int i) {
                                  if (i == 0) {
                                      regatta::blocking([&] { await([&] { return met.load(); }); });
                                  } else if (i == 1) {
                                      met = true;
                                  }
                              },
                              {.grain = 8});
        EXPECT_TRUE(met);
    }
}

// "Halves of joins, and of each loop": the newest half, though a loop around it fills all places.
TEST_P(fork_meetings, an_iteration_meets_the_half_that_it_forked) {
    const time_limit limit("the second half of a join in a loop");
    auto [pool] = make_pool({.threads = 2});
    for (int round = 0; round < 20; ++round) {
        std::atomic<bool> met{false};
        regatta::parallel_for(pool, 0, 1000, [&](int i) {
            if (i == 0) {
                regatta::join(
                    [&] { regatta::blocking([&] { await([&] { return met.load(); }); }); },
                    [&] { met = true; });
            }
        });
        EXPECT_TRUE(met);
    }
}

// "Offers the pending forks … to others": another thread takes the place of the one that blocks,
// also for forks that a third one makes later.
TEST_P(fork_meetings, a_worker_that_blocks_with_nothing_to_offer_leaves_its_place_to_another) {
    const time_limit limit("a fork that a third thread has to take");
    auto [pool] = make_pool({.threads = 2});
    for (int round = 0; round < 30; ++round) {
        std::atomic<bool> blocks{false};
        std::atomic<bool> taken{false};
        regatta::join(
            pool,
            [&] {
                await([&] { return blocks.load(); });
                regatta::join([&] { await([&] { return regatta::poll(), taken.load(); }); },
                              [&] { taken = true; });
            },
            [&] {
                regatta::blocking([&] {
                    blocks = true;
                    await([&] { return taken.load(); });
                });
            });
    }
}

// "parked: times that a worker went to sleep": naps, too.
TEST_P(fork_meetings, a_worker_that_naps_after_a_fork_has_parked) {
    const time_limit limit("a worker that takes a fork, and its nap");
    auto [pool] = make_pool({.threads = 2});
    pool.submit([&pool = pool] {
            std::atomic<bool> taken{false};
            std::uint64_t before = 0;
            regatta::join([&] { regatta::blocking([&] { await([&] { return taken.load(); }); }); },
                          [&] {
                              before = pool.stats().parked;
                              taken = true;
                          });
            await([&] { return pool.stats().parked > before; });
        })
        .get();
}

// "Otherwise they would wait for `f`": also where idle workers do not sleep, and spun before the
// first fork.
TEST_P(fork_meetings, workers_that_spin_take_what_is_offered) {
    const time_limit limit("a worker that spins to take the second half");
    spinning_workers workers;
    auto [pool] = make_pool(workers.options());
    workers.await_spin();
    for (int i = 0; i < 20; ++i) {
        run_half_elsewhere(pool);
    }
}

// "`nanoseconds::max()`: always": also after a fork, where other workers take naps.
TEST_P(fork_meetings, workers_that_spin_sleep_no_more_after_a_fork_than_before) {
    const time_limit limit("workers that compute while they have no task");
    spinning_workers workers;
    auto [pool] = make_pool(workers.options());
    for (int round = 0; round < 5; ++round) {
        run_half_elsewhere(pool);
        workers.await_spin();
    }
    EXPECT_EQ(pool.stats().parked, 0u);
}

// Two workers look for forks without end. Only one of them may help a thread from outside.
TEST_P(fork_meetings, of_the_workers_that_spin_one_helps_a_thread_from_outside) {
    const time_limit limit("a worker that takes a fork");
    auto [pool] = make_pool({.threads = 2, .spin = std::chrono::nanoseconds::max()});
    for (int round = 0; round < 50; ++round) {
        std::atomic<int> running{0};
        const auto meet = [&] {
            ++running;
            await([&] { return running == 2; });
        };
        auto first = pool.submit(meet); // Both workers run one, and then look for forks.
        pool.submit(meet).get();
        first.get();
        std::atomic<bool> taken{false};
        regatta::join(
            pool, [&] { await([&] { return taken.load(); }); }, [&] { taken = true; });
    }
}

// "At least `grain` iterations": also a loop that is likely to be long gives half of two grains.
TEST_P(fork_meetings, a_loop_of_two_grains_has_two_threads) {
    const time_limit limit("a second thread in a loop of two grains");
    auto [pool] = make_pool({.threads = 2});
    std::atomic<bool> meets{false};
    std::atomic<int> threads{0};
    const auto iteration = [&](int i) {
        if (meets && (i == 0 || i == 5'000)) {
            regatta::blocking([&] {
                ++threads;
                await([&] { return threads == 2; });
            });
        }
    };
    for (int i = 0; i < 50; ++i) {
        regatta::parallel_for(pool, 0, 10'000, iteration, {.grain = 5'000});
    }
    meets = true;
    regatta::parallel_for(pool, 0, 10'000, iteration, {.grain = 5'000});
    EXPECT_EQ(threads, 2);
}
