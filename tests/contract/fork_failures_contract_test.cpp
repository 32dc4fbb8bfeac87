// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// Forks, loops and scopes where something ends early, throws, or belongs to another pool.

#include "support/eventually.hpp"

#include <regatta/fork.hpp>
#include <regatta/pool.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

using library_test::await;

/// A result that cannot be copied, nor moved, without an exception.
struct sticky_result {
    sticky_result() = default;
    sticky_result(const sticky_result&) { throw std::runtime_error("copied"); }
};

/// Whether `call` ends with `task_cancelled` in an iteration of a loop that was stopped before.
template<class Call>
bool is_cancelled_in_a_stopped_loop(regatta::balanced_pool& pool, const Call& call) {
    std::stop_source stop;
    bool cancelled = false;
    regatta::parallel_for(pool, 0, 1,
                          [&](int) {
                              stop.request_stop();
                              try {
                                  call();
                              } catch (const regatta::task_cancelled&) {
                                  cancelled = true;
                              }
                          },
                          {.stop = stop.get_token()});
    return cancelled;
}

} // namespace

// "Throws": and the operation is not called once more, with what it was moved from.
TEST(fork_failures, a_reduction_that_failed_joins_no_results) {
    regatta::balanced_pool pool(2);
    std::atomic<bool> moved_from{false};
    for (int at = 1; at < 3000; at += 7) {
        std::atomic<int> left{at};
        const auto sum = [&](std::unique_ptr<long> a, const std::unique_ptr<long>& b) {
            if (!a || !b) {
                moved_from = true;
                return a;
            }
            if (--left == 0) {
                throw std::runtime_error("an operation failed");
            }
            *a += *b;
            return a;
        };
        const auto element = [](int) {
            for (std::atomic<int> steps{0}; steps < 50; ++steps) {
            }
            return std::make_unique<long>(1);
        };
        try {
            static_cast<void>(regatta::parallel_transform_reduce(
                pool, 0, 3000, std::make_unique<long>(0), sum, element));
        } catch (const std::runtime_error&) {
        }
    }
    EXPECT_FALSE(moved_from);
}

// "Throws the exception of `f`": a result that cannot be moved leaves no half behind.
TEST(fork_failures, a_join_whose_result_cannot_be_moved_ends) {
    bool open = true;
    std::thread([&] { // From outside every pool: `join` opens the region and closes it.
        try {
            regatta::join([] { return sticky_result(); }, [] {});
        } catch (const std::runtime_error&) {
        }
        open = regatta::detail::fork_stack::current().in_region();
    })
        .join();
    EXPECT_FALSE(open);
}

// "`task_cancelled` if the loop or scope around it ended early"
// A constant that is moved is copied, and a copy may fail.
TEST(fork_failures, a_join_copies_no_constant_half) {
    struct costly_half {
        costly_half() = default;
        costly_half(costly_half&&) noexcept = default;
        costly_half(const costly_half&) { throw std::runtime_error("copied"); }
        int operator()() const { return 2; }
    };
    const costly_half half;
    EXPECT_EQ(regatta::join([] { return 1; }, std::move(half)), std::pair(1, 2));
}

TEST(fork_failures, algorithms_in_a_loop_that_is_over_are_cancelled) {
    regatta::balanced_pool pool(2);
    const std::vector<int> zeros(10'000, 0);
    std::vector<int> out(zeros.size(), 7);
    const auto begin = zeros.begin();
    const auto end = zeros.end();
    const auto is_set = [](int one) { return one != 0; };
    EXPECT_TRUE(is_cancelled_in_a_stopped_loop(
        pool, [&] { regatta::parallel_all_of(begin, end, is_set); }));
    EXPECT_TRUE(is_cancelled_in_a_stopped_loop(
        pool, [&] { regatta::parallel_any_of(begin, end, is_set); }));
    EXPECT_TRUE(is_cancelled_in_a_stopped_loop(
        pool, [&] { regatta::parallel_find_if(begin, end, is_set); }));
    EXPECT_TRUE(is_cancelled_in_a_stopped_loop(
        pool, [&] { regatta::copy_if(regatta::par, begin, end, out.begin(), is_set); }));
    EXPECT_TRUE(is_cancelled_in_a_stopped_loop(
        pool, [&] { regatta::transform(regatta::par, begin, end, out.begin(), std::negate<>()); }));
    EXPECT_TRUE(is_cancelled_in_a_stopped_loop(pool, [&] {
        regatta::transform(regatta::par, begin, end, begin, out.begin(), std::plus<>());
    }));
}

// "A loop or scope that its stop token has ended does not pass that on."
TEST(fork_failures, a_stopped_loop_passes_on_no_cancellation) {
    regatta::balanced_pool pool(2);
    const std::vector<int> zeros(10'000, 0);
    std::stop_source stop;
    bool after = false;
    regatta::parallel_for(pool, 0, 1,
                          [&](int) {
                              stop.request_stop();
                              after = regatta::parallel_all_of(zeros.begin(), zeros.end(),
                                                               [](int one) { return one == 0; });
                              after = true;
                          },
                          {.stop = stop.get_token()});
    EXPECT_FALSE(after);
    EXPECT_THROW(regatta::parallel_for(pool, 0, 1, [](int) { throw regatta::task_cancelled(); }),
                 regatta::task_cancelled);
}

// "With the loops and scopes within them", "does not pass that on": also a loop of one iteration,
// which is a call.
TEST(fork_failures, a_loop_of_one_iteration_within_another_ends_as_longer_ones_do) {
    regatta::balanced_pool pool(2);
    const std::vector<int> zeros(10'000, 0);
    const auto stopped = [] {
        std::stop_source source;
        source.request_stop();
        return source.get_token();
    };
    for (const int count : {1, 2}) {
        std::stop_source stop;
        std::atomic<int> ran{0};
        const auto run = [&](int) { ++ran; };
        const auto cancel = [](int) { throw regatta::task_cancelled(); };
        const auto around = [&](int) {
            EXPECT_THROW(regatta::parallel_for(0, count, [](int) { throw 1; }), int);
            EXPECT_THROW(regatta::parallel_for(0, count, cancel), regatta::task_cancelled);
            regatta::parallel_for(0, count, run, {.stop = stopped()});
            EXPECT_EQ(ran, 0);
            regatta::parallel_for(0, count, run);
            EXPECT_EQ(ran, count);
            EXPECT_EQ(regatta::parallel_reduce(zeros.begin(), zeros.begin() + count, 5), 5);
            regatta::parallel_for(0, count, [&](int) {
                stop.request_stop();
                static_cast<void>(regatta::parallel_reduce(zeros.begin(), zeros.end(), 0));
                ++ran;
            });
            EXPECT_THROW(regatta::parallel_reduce(zeros.begin(), zeros.begin() + count, 0),
                         regatta::task_cancelled);
            regatta::parallel_for(0, count, run);
            EXPECT_EQ(ran, count);
            ran = 0;
        };
        regatta::parallel_for(pool, 0, 1, around, {.stop = stop.get_token()});
        EXPECT_EQ(ran, 0);
    }
}

// "with the loops and scopes within them": also with those on another pool.
TEST(fork_failures, the_end_of_a_loop_ends_what_is_within_on_another_pool) {
    regatta::balanced_pool pool(2);
    regatta::balanced_pool other(2);
    std::stop_source stop;
    std::atomic<int> ran{0};
    regatta::parallel_for(pool, 0, 1,
                          [&](int) {
                              regatta::parallel_for(other, 0, 1'000'000, [&](int) {
                                  stop.request_stop();
                                  ++ran;
                              });
                              regatta::join(
                                  other, [] { EXPECT_FALSE(regatta::poll()); }, [] {});
                              EXPECT_TRUE(regatta::task_scope(other).over());
                          },
                          {.stop = stop.get_token()});
    EXPECT_LT(ran, 1'000'000);
}

// "on the workers of `pool`": also where a child is spawned within a fork on another one.
TEST(fork_failures, a_scope_keeps_to_its_pool) {
    static thread_local bool is_stranger = false;
    regatta::balanced_pool mine(2);
    std::atomic<int> by_strangers{0};
    regatta::task_scope scope(mine);
    {
        regatta::balanced_pool other(
            {.threads = 2, .on_start = [](unsigned) { is_stranger = true; }});
        const auto spawn_for_a_while = [&] {
            const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
            for (int spawned = 0;
                 by_strangers == 0 && spawned < 100'000 && std::chrono::steady_clock::now() < until;
                 ++spawned) {
                scope.spawn([&] { by_strangers += is_stranger ? 1 : 0; });
            }
        };
        regatta::join(other, spawn_for_a_while, [] {});
    }
    scope.wait();
    EXPECT_EQ(by_strangers, 0);
}

// "It may return a reference to one of its operands, as `std::ranges::max` does."
TEST(fork_failures, a_reduction_may_return_a_reference_to_an_operand) {
    regatta::balanced_pool pool(2);
    const std::string greatest(100, 'z');
    std::atomic<int> here{0};
    const std::string found =
        regatta::parallel_transform_reduce(pool, 0, 2, std::string(), std::ranges::max, [&](int i) {
            ++here;
            await([&] { // Two threads, so that two results are joined.
                regatta::poll();
                return here == 2;
            });
            return i == 0 ? greatest : std::string(100, 'a');
        });
    EXPECT_EQ(found, greatest);
}

TEST(fork_failures, a_reduction_may_return_an_operand_that_may_be_moved) {
    regatta::balanced_pool pool(2);
    const std::vector<std::string> words{std::string(100, 'a'), std::string(100, 'z'),
                                         std::string(100, 'b')};
    const auto greater = [](auto&& a, auto&& b) -> std::string&& {
        return b < a ? const_cast<std::string&&>(a) : const_cast<std::string&&>(b);
    };
    for (const bool deterministic : {false, true}) {
        std::vector<std::string> some = words;
        EXPECT_EQ(regatta::parallel_transform_reduce(
                      pool, 0, 3, std::string(), greater,
                      [&](int i) -> std::string& { return some[static_cast<std::size_t>(i)]; },
                      {.deterministic = deterministic}),
                  words[1]);
    }
}

// "All but the last four also take a pool as the first argument. Then they throw `task_rejected` if
// it is closed": they run on that pool and on no other.
TEST(fork_failures, every_form_with_a_pool_is_refused_by_a_closed_one) {
    regatta::balanced_pool pool(1);
    pool.close();
    const auto on = regatta::par.on(pool);
    std::vector<int> all(100'000, 1);
    all[50'000] = 0; // Not sorted.
    std::vector<int> out(all.size());
    const auto begin = all.begin();
    const auto end = all.end();
    const auto one = [](int i) { return i == 1; };
    const auto ignore = [](auto...) {};
    const std::plus<> plus;
    const std::function<void()> calls[] = {
        [&] { regatta::invoke(pool, ignore, ignore); },
        [&] { regatta::parallel_for(pool, all, ignore); },
        [&] {
            regatta::parallel_for(pool, regatta::rows_columns{3, 3}, ignore);
        },
        [&] {
            regatta::parallel_for(pool, regatta::planes_rows_columns{3, 3, 3}, ignore);
        },
        [&] { regatta::parallel_reduce(pool, begin, end, 0); },
        [&] { regatta::parallel_transform_reduce(pool, begin, end, 0, plus, one); },
        [&] { regatta::parallel_for_each(pool, begin, end, ignore); },
        [&] { regatta::parallel_find(pool, begin, end, 2); },
        [&] { regatta::parallel_find_if(pool, begin, end, one); },
        [&] { regatta::parallel_any_of(pool, begin, end, one); },
        [&] { regatta::parallel_all_of(pool, begin, end, one); },
        [&] { regatta::parallel_none_of(pool, begin, end, one); },
        [&] { regatta::parallel_inclusive_scan(pool, begin, end, out.begin()); },
        [&] { regatta::parallel_exclusive_scan(pool, begin, end, out.begin(), 0); },
        [&] { regatta::parallel_sort(pool, begin, end); },
        [&] { regatta::parallel_stable_sort(pool, begin, end); },
        [&] { regatta::for_each(on, begin, end, ignore); },
        [&] { regatta::reduce(on, begin, end); },
        [&] { regatta::sort(on, begin, end); },
    };
    for (const auto& call : calls) {
        EXPECT_THROW(call(), regatta::task_rejected) << "call " << &call - calls;
    }
}

// "`std::invalid_argument` if there are more cells than a `std::size_t` can count"
TEST(fork_failures, a_loop_over_more_cells_than_can_be_counted_is_refused) {
    using index = std::uint64_t;
    constexpr index half = index{1} << (std::numeric_limits<std::size_t>::digits / 2);
    EXPECT_THROW(
        regatta::parallel_for(regatta::rows_columns<index>{half, half}, [](index, index) {}),
        std::invalid_argument);
    EXPECT_THROW(regatta::parallel_for(regatta::planes_rows_columns<index>{half, half, 1},
                                       [](index, index, index) {}),
                 std::invalid_argument);
}
