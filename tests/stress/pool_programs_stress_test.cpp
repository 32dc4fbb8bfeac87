// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "pool_program.hpp"
#include "support/threads.hpp"

#include <regatta/cpu/affinity.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <mutex>
#include <span>
#include <thread>
#include <utility>
#include <vector>

namespace {

using namespace library_test::pool_program;
using library_test::dice;
using library_test::repeat;
using library_test::rounds;

class pool_programs_stress : public library_test::pool_test {
protected:
    static regatta::overflow_policy policy(world& in) {
        switch (in.policy) {
        case 4:
            return regatta::hand_over([&in](regatta::task t) {
                try {
                    t();
                } catch (const mishap&) {
                    --in.thrown;
                }
            });
        case 5:
            return regatta::hand_over([&in](std::span<regatta::task> all) {
                const std::lock_guard lock(in.kept_mutex);
                for (regatta::task& t : all.first(all.size() / 2)) {
                    in.kept.push_back(std::move(t));
                }
            });
        default:
            return static_cast<regatta::overflow>(in.policy);
        }
    }
    static regatta::pool_options options(world& in, dice& d) {
        regatta::pool_options o{.threads = 1u + static_cast<unsigned>(d.roll(4))};
        o.capacity = in.capacity;
        o.when_full = policy(in);
        o.steal = !makes<regatta::steady_pool>() || d.roll(3) != 0;
        o.spin = d.roll(4) == 0 ? 50us : 0us;
#if REGATTA_LINUX
        if (d.roll(3) == 0) {
            o.pin = regatta::affinity_of_this_thread();
        }
#endif
        o.on_error = regatta::error_sink([&in](const std::exception_ptr&) { ++in.errors; });
        const int kind = d.roll(3);
        o.on_start = [&in, kind](unsigned index) {
            EXPECT_EQ(in.started[index]++, 0);
            ++in.hooks;
            hook(in, index, kind);
        };
        o.on_stop = [&in, kind](unsigned index) {
            --in.hooks;
            hook(in, index + 4096, kind);
        };
        return o;
    }
    static void hook(world& in, unsigned seed, int kind) {
        thread_pool* const pool = in.pool;
        if (kind == 0 || pool == nullptr) {
            return;
        }
        const place at{in, {seed, 2}, by::anybody};
        attempt([&] {
            ++in.given;
            kind == 1 ? pool->submit(closure(at, seed, false)).get()
                      : pool->execute(closure(at, seed, true));
        });
        EXPECT_TRUE(library_test::would_deadlock([&] { pool->wait(); }));
        if (seed % 8 == 0) {
            ++in.thrown;
            throw mishap();
        }
    }
    /// Changes the pool once more. Then gives it threads and resumes it, so that its tasks can end.
    static void disturb(world& in, std::uint64_t seed) {
        thread_pool& pool = *in.pool;
        actor a({in, {seed, 2}, by::outsider});
        attempt([&] { a.change(); });
        attempt([&] {
            switch (seed % 6) {
            case 0:
                return static_cast<void>(pool.wait_for(microseconds(seed % 200)));
            case 1:
                return in.dynamic == nullptr
                           ? void()
                           : in.dynamic->autoscale({.min = 1,
                                                    .max = 1u + static_cast<unsigned>(seed % 4),
                                                    .target_delay = 1ms,
                                                    .linger = 1ms});
            case 2:
                return in.dynamic == nullptr ? void() : in.dynamic->stop_autoscale();
            case 3:
                return in.dynamic == nullptr ? void() : in.dynamic->wait_for_threads();
            case 4:
                return in.cancels ? static_cast<void>(in.stop.request_stop()) : void();
            default:
                return std::this_thread::yield();
            }
        });
        attempt([&] {
            if (in.dynamic != nullptr && pool.threads() == 0) {
                in.dynamic->resize(1);
            }
        });
        pool.resume();
        in.forget();
    }
    static void live(world& in, unsigned round, dice& d);
};
INSTANTIATE_TEST_SUITE_P(, pool_programs_stress, library_test::every_pool(),
                         library_test::pool_name);

void pool_programs_stress::live(world& in, unsigned round, dice& d) {
    regatta::timer_scheduler timers(in.counting,
                                    {.on_error = regatta::error_sink([](const auto&) {})});
    in.timers = &timers;
    auto [pool] = make_pool(options(in, d));
    in.steady = makes<regatta::steady_pool>() ? static_cast<regatta::steady_pool*>(&pool) : nullptr;
    in.dynamic =
        makes<regatta::dynamic_pool>() ? static_cast<regatta::dynamic_pool*>(&pool) : nullptr;
    in.pool = &pool;

    std::vector<std::thread> producers;
    for (unsigned t = 0; t < 3; ++t) {
        producers.emplace_back([&in, round, t] {
            dice mine(round * 8 + 1 + t);
            for (int i = mine.roll(20); i > 0; --i) {
                run({in, {static_cast<std::uint64_t>(mine.roll(1 << 30)), 3}, by::outsider});
            }
        });
    }
    std::atomic<bool> done{false};
    std::thread other([&in, &done, round] {
        dice mine(round * 8 + 7);
        while (!done) {
            disturb(in, static_cast<std::uint64_t>(mine.roll(1 << 30)));
        }
    });
    const bool at_once = d.roll(2) == 0;
    const bool discards = at_once && d.roll(2) == 0;
    if (at_once) {
        for (int i = d.roll(300); i > 0; --i) {
            std::this_thread::yield();
        }
        const library_test::time_limit limit("the end of a pool in use");
        pool.stop(discards ? regatta::stop_mode::discard : regatta::stop_mode::drain);
    }
    {
        const library_test::time_limit limit("the producers");
        for (std::thread& one : producers) {
            one.join();
        }
    }
    {
        const library_test::time_limit limit("the end of timers");
        timers.close();
    }
    {
        const library_test::time_limit limit("what changes the pool");
        done = true;
        other.join();
    }
    if (!at_once) {
        library_test::eventually("an idle pool", [&] {
            in.dynamic != nullptr ? in.dynamic->resize(2) : void();
            pool.resume();
            // Hooks of threads that come and go may submit yet.
            const bool waited = pool.wait_for(1ms);
            const auto now = pool.stats();
            return waited && now.queued == 0 && now.run + now.cancelled == now.submitted;
        });
    }
    {
        const library_test::time_limit limit("the end of a pool");
        pool.close();
    }
    const auto all = pool.stats();
    EXPECT_EQ(all.queued, 0u);
    EXPECT_EQ(all.run + all.cancelled, all.submitted);
    EXPECT_GE(all.submitted + all.refused, in.given);
    EXPECT_LE(all.submitted + all.refused, in.given + in.perhaps);
    EXPECT_EQ(all.errors, in.thrown);
    EXPECT_EQ(all.errors, in.errors);
    // A wait may run a continuation before the pool gets it.
    if (in.policy < 4 && !in.diverts()) {
        EXPECT_GE(in.book.ran, all.run);
        EXPECT_LE(in.book.ran, all.run + in.perhaps);
    }
    if (in.policy < 3 && !discards && !in.stop.stop_requested()) {
        EXPECT_EQ(all.cancelled, in.cancelled);
    }
    if (in.dynamic != nullptr) {
        EXPECT_EQ(in.metered + in.dynamic->tasks_taken(), all.submitted);
    }
    in.forget();
}

TEST_P(pool_programs_stress, programs_on_pools_whose_threads_change_end) {
    repeat(rounds(200), 1500ms, [](unsigned round, dice& d) {
        SCOPED_TRACE(round);
        world in(d, !makes<regatta::dynamic_pool>() && d.roll(4) != 0);
        live(in, round, d);
        EXPECT_EQ(in.book.ran_twice, 0u);
        EXPECT_EQ(in.book.ran + in.book.died, in.book.offered);
        EXPECT_EQ(in.hooks, 0);
    });
}

} // namespace
