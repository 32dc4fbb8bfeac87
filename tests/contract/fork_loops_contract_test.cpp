// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// parallel_for and the reductions on every pool.

#include "support/eventually.hpp"
#include "support/meeting.hpp"
#include "support/pool_cases.hpp"

#include <regatta/fork.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

using library_test::barrier;

class fork_loops : public library_test::pool_test {};
INSTANTIATE_TEST_SUITE_P(, fork_loops, library_test::every_pool(), library_test::pool_name);

/// Some work that a compiler does not remove.
void spin_a_little(int rounds) {
    volatile int left = rounds;
    while (left > 0) {
        left = left - 1;
    }
}

} // namespace

// "Calls `f(i)` for every i from `begin` to `end` - 1"
TEST_P(fork_loops, visits_every_index_once) {
    auto [pool] = make_pool({.threads = 2});
    for (const int size : {0, 1, 2, 3, 7, 8, 9, 17, 100, 1000, 10007, 100003}) {
        std::vector<unsigned char> visits(static_cast<std::size_t>(size), 0);
        for (int round = 0; round < 3; ++round) {
            regatta::parallel_for(pool, 0, size,
                                  [&](int i) { ++visits[static_cast<std::size_t>(i)]; });
        }
        EXPECT_EQ(std::count(visits.begin(), visits.end(), 3), size);
    }
    regatta::parallel_for(pool, 5, 3, [](int) { FAIL() << "an empty range"; });
}

// "The same" for every type of index, up to its ends.
TEST_P(fork_loops, takes_any_type_of_index) {
    auto [pool] = make_pool({.threads = 2});
    std::atomic<std::int64_t> sum{0};
    regatta::parallel_for(pool, static_cast<signed char>(-128), static_cast<signed char>(127),
                          [&](signed char i) { sum += i; });
    EXPECT_EQ(sum, -128 - 127);
    sum = 0;
    regatta::parallel_for(pool, static_cast<unsigned char>(0), static_cast<unsigned char>(255),
                          [&](unsigned char i) { sum += i; });
    EXPECT_EQ(sum, 254 * 255 / 2);
    sum = 0;
    constexpr auto least = std::numeric_limits<std::int64_t>::min();
    regatta::parallel_for(pool, least, least + 1000, [&](std::int64_t i) { sum += i - least; });
    EXPECT_EQ(sum, 999 * 1000 / 2);
    sum = 0;
    constexpr auto most = std::numeric_limits<std::uint64_t>::max();
    regatta::parallel_for(pool, most - 1000, most,
                          [&](std::uint64_t i) { sum += static_cast<std::int64_t>(most - i); });
    EXPECT_EQ(sum, 1000 * 1001 / 2);
}

// "Calls `f(i)` for every i": whatever `f` does to the i that it got.
TEST_P(fork_loops, do_not_take_the_index_back) {
    auto [pool] = make_pool({.threads = 2});
    std::vector<int> visits(1000);
    const auto visit = [&](int&& i) {
        ++visits[static_cast<std::size_t>(i)];
        i = 500;
    };
    regatta::parallel_for(pool, 0, 1000, visit);
    EXPECT_EQ(visits, std::vector<int>(1000, 1));
    const auto visit_cell = [&](auto&& row, auto&& column) {
        visit(row * 10 + column), row = column = 5;
    };
    regatta::parallel_for(pool, regatta::rows_columns{100, 10}, visit_cell);
    EXPECT_EQ(visits, std::vector<int>(1000, 2));
    const auto visit_box = [&](auto&& plane, auto&& row, auto&& column) {
        visit(plane * 100 + row * 10 + column), plane = row = column = 5;
    };
    regatta::parallel_for(pool, regatta::planes_rows_columns{10, 10, 10}, visit_box);
    EXPECT_EQ(visits, std::vector<int>(1000, 3));
    const auto take = [](auto&& i) {
        const int was = i;
        i = 500;
        return was;
    };
    for (const bool fixed : {false, true}) {
        EXPECT_EQ(regatta::parallel_transform_reduce(pool, 0, 1000, 0, std::plus<>(), take,
                                                     {.deterministic = fixed}),
                  999 * 500);
    }
}

// "`std::invalid_argument` if `end` is an integer that the type of `begin` cannot hold"
TEST_P(fork_loops, refuse_an_end_that_their_index_cannot_reach) {
    auto [pool] = make_pool({.threads = 2});
    const auto never = [](auto) { FAIL() << "called"; };
    const auto plus_never = [](auto i) {
        ADD_FAILURE() << "called";
        return static_cast<int>(i);
    };
    constexpr std::uint64_t far = std::uint64_t{3} << 30;
    EXPECT_THROW(regatta::parallel_for(pool, 0, far, never), std::invalid_argument);
    EXPECT_THROW(regatta::parallel_for(pool, 0, std::uint64_t{1} << 32, never),
                 std::invalid_argument);
    EXPECT_THROW(regatta::parallel_for(pool, 0u, -1, never), std::invalid_argument);
    EXPECT_THROW(regatta::parallel_transform_reduce(pool, 0, far, 0, std::plus<>(), plus_never),
                 std::invalid_argument);
    EXPECT_THROW(regatta::parallel_for(std::int8_t{0}, 128, never), std::invalid_argument);
    EXPECT_THROW(
        regatta::parallel_transform_reduce(std::uint16_t{0}, 1 << 16, 0, std::plus<>(), plus_never),
        std::invalid_argument);

    std::atomic<int> visits{0};
    regatta::parallel_for(pool, 0, std::size_t{100}, [&](int) { ++visits; });
    regatta::parallel_for(pool, std::size_t{0}, 100, [&](std::size_t) { ++visits; });
    regatta::parallel_for(pool, std::int8_t{-28}, 72, [&](std::int8_t) { ++visits; });
    EXPECT_EQ(visits, 300);
    EXPECT_EQ(regatta::parallel_transform_reduce(pool, std::size_t{0}, 100, 0, std::plus<>(),
                                                 [](std::size_t) { return 1; }),
              100);
}

// "Calls `f(element)` for every element of a range with random access."
TEST_P(fork_loops, visits_every_element) {
    auto [pool] = make_pool({.threads = 2});
    std::vector<int> values(5000, 1);
    regatta::parallel_for(pool, values, [](int& v) { ++v; });
    EXPECT_EQ(std::count(values.begin(), values.end(), 2), 5000);
    regatta::parallel_for(values, [](int& v) { ++v; });
    EXPECT_EQ(std::count(values.begin(), values.end(), 3), 5000);
}

// "Calls `f(row, column)` for every pair of indices.", "Calls `f(plane, row, column)`"
TEST_P(fork_loops, visits_every_cell) {
    auto [pool] = make_pool({.threads = 2});
    constexpr int a = 7;
    constexpr int b = 50;
    constexpr int c = 33;
    std::vector<int> cells(a * b * c, 0);
    regatta::parallel_for(pool, regatta::planes_rows_columns{a, b, c}, [&](int i, int j, int k) {
        ++cells[static_cast<std::size_t>((i * b + j) * c + k)];
    });
    regatta::parallel_for(pool, regatta::rows_columns{a * b, c},
                          [&](int i, int j) { ++cells[static_cast<std::size_t>(i * c + j)]; });
    EXPECT_EQ(std::count(cells.begin(), cells.end(), 2), a * b * c);
    regatta::parallel_for(pool, regatta::rows_columns{0, 5}, [](int, int) { FAIL(); });
    regatta::parallel_for(pool, regatta::rows_columns{5, 0}, [](int, int) { FAIL(); });
}

// "on the calling thread and idle workers": two iterations run at the same time if the first one
// offers the second, by `blocking` or by `poll`.
TEST_P(fork_loops, runs_iterations_at_the_same_time) {
    auto [pool] = make_pool({.threads = 2});
    for (int round = 0; round < 20; ++round) {
        barrier both(2);
        const auto meet = [&](int) { regatta::blocking([&] { both.arrive_and_wait(); }); };
        regatta::parallel_for(pool, 0, 2, meet);
        pool.submit([&] { regatta::parallel_for(0, 2, meet); }).get();

        std::atomic<int> begun{0};
        const auto poll = [&](int) {
            ++begun;
            library_test::eventually("both iterations have begun", [&] {
                regatta::poll();
                return begun >= 2;
            });
        };
        regatta::parallel_for(pool, 0, 2, poll);
        begun = 0;
        pool.submit([&] { regatta::parallel_for(0, 2, poll); }).get();
    }
}

// Loops in loops, in joins, in loops.
TEST_P(fork_loops, nest) {
    auto [pool] = make_pool({.threads = 2});
    std::atomic<int> sum{0};
    regatta::parallel_for(pool, 0, 40, [&](int i) {
        regatta::parallel_for(0, i, [&](int) {
            regatta::join([&] { regatta::parallel_for(0, 3, [&](int) { ++sum; }); },
                          [&] { ++sum; });
        });
    });
    EXPECT_EQ(sum, 4 * 39 * 40 / 2);
}

// "throws the first exception of an iteration; iterations that have not begun by then are skipped"
TEST_P(fork_loops, throw_what_an_iteration_threw) {
    auto [pool] = make_pool({.threads = 2});
    for (int round = 0; round < 300; ++round) {
        std::atomic<int> ran{0};
        EXPECT_THROW(regatta::parallel_for(pool, 0, 100000,
                                           [&](int i) {
                                               if (i % 1000 == round) {
                                                   throw std::runtime_error("an iteration");
                                               }
                                               ++ran;
                                           }),
                     std::runtime_error);
        EXPECT_LT(ran, 100000);
    }
    pool.wait();
}

// "Throws the first exception": not that of an iteration which threw later.
TEST_P(fork_loops, throw_the_first_exception) {
    auto [pool] = make_pool({.threads = 2});
    for (int round = 0; round < 20; ++round) {
        std::atomic<int> begun{0};
        const auto fail = [&](int) {
            const bool first = begun++ == 0;
            library_test::await([&] {
                regatta::poll(); // Offers the other iteration.
                return begun == 2;
            });
            if (!first) {
                library_test::await([&] { return !regatta::poll(); });
            }
            throw std::runtime_error(first ? "first" : "second");
        };
        try {
            regatta::parallel_for(pool, 0, 2, fail);
            ADD_FAILURE() << "nothing was thrown";
        } catch (const std::runtime_error& error) {
            EXPECT_STREQ(error.what(), "first");
        }
    }
}

// The end of a loop is the end of the loops within it.
TEST_P(fork_loops, end_the_loops_within) {
    auto [pool] = make_pool({.threads = 2});
    for (int round = 0; round < 20; ++round) {
        std::atomic<bool> inside{false};
        EXPECT_THROW(regatta::parallel_for(
                         pool, 0, 2,
                         [&](int i) {
                             if (i == 0) {
                                 library_test::await([&] {
                                     regatta::poll(); // Offers the other iteration.
                                     return inside.load();
                                 });
                                 throw std::runtime_error("the outer loop");
                             }
                             regatta::parallel_for(0, std::numeric_limits<int>::max(), [&](int) {
                                 inside = true;
                                 spin_a_little(100);
                             });
                         }),
                     std::runtime_error);
    }
}

// "with the loops and scopes within them. `poll()` returns false in a part that is to end": also in
// a half of a join that another thread has taken.
TEST_P(fork_loops, end_the_halves_within) {
    auto [pool] = make_pool({.threads = 2});
    for (int round = 0; round < 20; ++round) {
        std::stop_source stop;
        std::atomic<bool> inside{false};
        regatta::parallel_for(pool, 0, 1,
                              [&](int) {
                                  regatta::join(
                                      [&] {
                                          library_test::await([&] {
                                              regatta::poll(); // Offers the other half.
                                              return inside.load();
                                          });
                                          stop.request_stop();
                                      },
                                      [&] {
                                          inside = true;
                                          library_test::eventually("a half that is to end",
                                                                   [] { return !regatta::poll(); });
                                      });
                              },
                              {.stop = stop.get_token()});
    }
}

// The end of a scope is no end of what lies around it: neither of halves that are pending when its
// maker waits, and that another thread takes while the maker helps.
TEST_P(fork_loops, end_nothing_around_a_scope) {
    auto [pool] = make_pool({.threads = 2});
    constexpr int halves = 12; // More than a thread can offer at once.
    std::atomic<int> whole{0};
    std::atomic<int> begun{0};
    const auto half = [&] {
        ++begun;
        std::atomic<int> ran{0};
        regatta::parallel_for(0, 100, [&](int) { ++ran; });
        whole += ran == 100 ? 1 : 0;
    };
    const auto in_a_scope = [&] {
        std::stop_source stop;
        regatta::task_scope scope(stop.get_token());
        std::atomic<bool> inside{false};
        const auto child = [&] {
            if (inside.exchange(true)) {
                return;
            }
            std::atomic<bool> taken{false};
            regatta::join(
                [&] {
                    library_test::await([&] {
                        regatta::poll(); // Offers the other half to the maker.
                        return taken.load();
                    });
                },
                [&] {
                    taken = true;
                    stop.request_stop();
                    for (int i = 0; i < 100'000 && begun < halves; ++i) {
                        regatta::poll(); // The thread that waits for this half asks for more.
                    }
                });
        };
        library_test::await([&] { // It offers a child when it is asked.
            scope.spawn(child);
            return inside.load();
        });
        scope.wait();
    };
    const auto nest = [&](const auto& self, int depth) -> void {
        depth == 0 ? in_a_scope() : regatta::join([&] { self(self, depth - 1); }, [&] { half(); });
    };
    for (int round = 0; round < 50; ++round) {
        whole = begun = 0;
        regatta::invoke(pool, [&] { nest(nest, halves); });
        EXPECT_EQ(whole, halves);
    }
}

// "Ends the loop early: iterations that have not begun are skipped."
TEST_P(fork_loops, end_at_a_stop_request) {
    auto [pool] = make_pool({.threads = 2});
    std::stop_source stop;
    std::atomic<int> ran{0};
    regatta::parallel_for(pool, 0, std::numeric_limits<int>::max(),
                          [&](int) {
                              if (++ran == 1000) {
                                  stop.request_stop();
                              }
                          },
                          {.stop = stop.get_token()});
    EXPECT_GE(ran, 1000);
    EXPECT_LT(ran, std::numeric_limits<int>::max());
    EXPECT_THROW(regatta::parallel_transform_reduce(pool, 0, 1000, 0, std::plus<>(),
                                                    [](int i) { return i; },
                                                    {.stop = stop.get_token()}),
                 regatta::task_cancelled);
}

// "The options of a parallel loop": of every form of it.
TEST_P(fork_loops, end_at_a_stop_request_whatever_they_walk) {
    auto [pool] = make_pool({.threads = 2});
    std::stop_source stop;
    stop.request_stop();
    const regatta::fork_options options{.stop = stop.get_token()};
    const auto never = [](auto...) { FAIL() << "called"; };
    std::vector<int> range(100);
    const regatta::rows_columns plane{10, 10};
    const regatta::planes_rows_columns box{5, 5, 4};
    regatta::parallel_for(pool, 0, 100, never, options);
    regatta::parallel_for(pool, range, never, options);
    regatta::parallel_for(pool, plane, never, options);
    regatta::parallel_for(pool, box, never, options);
    regatta::parallel_for(0, 100, never, options);
    regatta::parallel_for(range, never, options);
    regatta::parallel_for(plane, never, options);
    regatta::parallel_for(box, never, options);
}

// "The most threads that work for the loop, the caller included."
TEST_P(fork_loops, keep_to_the_limit_of_workers) {
    auto [pool] = make_pool({.threads = 4});
    std::atomic<int> inside{0};
    std::atomic<int> most{0};
    const auto body = [&](int) {
        const int now = ++inside;
        for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
        }
        spin_a_little(300);
        --inside;
    };
    regatta::parallel_for(pool, 0, 20000, body, {.workers = 2});
    EXPECT_LE(most, 2);
    most = 0;
    regatta::parallel_for(pool, 0, 5000, body, {.workers = 1});
    EXPECT_EQ(most, 1);
}

// The same where one thread more is idle. An offer begins with the loop: that thread would take a
// part of it before the second half of a join.
TEST_P(fork_loops, give_no_part_away_beyond_the_limit_of_workers) {
    const auto caller = std::this_thread::get_id();
    for (const int limit : {1, 2}) {
        auto [pool] = make_pool({.threads = static_cast<unsigned>(limit) + 1});
        std::atomic<int> inside{0};
        std::atomic<bool> beyond{false};
        std::atomic<bool> idle_one_asked{false};
        bool first = true;
        const auto body = [&](int) {
            if (++inside > limit) {
                beyond = true;
            } else if (std::this_thread::get_id() != caller) {
                library_test::await([&] { return idle_one_asked.load(); });
            } else if (std::exchange(first, false)) {
                const auto poll_until = [](auto&& holds) {
                    library_test::await([&] {
                        regatta::poll();
                        return holds();
                    });
                };
                poll_until([&] { return inside == limit; });
                regatta::join([&] { poll_until([&] { return idle_one_asked.load(); }); },
                              [&] { idle_one_asked = true; });
            }
            --inside;
        };
        regatta::parallel_for(pool, 0, 16, body, {.workers = static_cast<unsigned>(limit)});
        EXPECT_FALSE(beyond) << limit;
    }
}

// The same: a thread whose part is over makes place for another one, and so does a part that nobody
// took.
TEST_P(fork_loops, give_parts_away_again_within_the_limit_of_workers) {
    auto [pool] = make_pool({.threads = 2});
    const auto caller = std::this_thread::get_id();
    constexpr int size = 16; // So few that each is a block of its own.
    for (const bool taken : {true, false}) {
        library_test::door d;
        if (!taken) {
            library_test::hold_worker(pool, d);
            library_test::hold_worker(pool, d, 1);
        }
        std::atomic<int> others{0};
        int mine = 0;
        const auto await_others = [&](int count) {
            library_test::await([&] {
                regatta::poll();
                return others >= count;
            });
        };
        const auto body = [&](int) {
            if (std::this_thread::get_id() != caller) {
                ++others;
                return;
            }
            ++mine;
            if (taken && mine <= 2) { // The first part, which is half; then of the next one.
                await_others(mine == 1 ? size / 2 : size / 2 + 1);
            } else if (!taken && mine == 1) {
                regatta::blocking([] {}); // Offers half.
            } else if (!taken && mine == size / 2 + 5) {
                d.open();
                await_others(1);
            }
        };
        regatta::parallel_for(pool, 0, size, body, {.workers = 2});
        EXPECT_GE(others, 1);
        pool.wait();
    }
}

// "The fewest iterations that are given to another thread."
TEST_P(fork_loops, give_away_a_grain_at_least) {
    auto [pool] = make_pool({.threads = 2});
    const auto caller = std::this_thread::get_id();
    // Neither the whole loop nor half of it may be given away.
    for (const std::size_t grain : {1001, 501}) {
        std::atomic<int> others{0};
        const auto body = [&](int) {
            spin_a_little(20000);
            others += std::this_thread::get_id() != caller ? 1 : 0;
        };
        regatta::parallel_for(pool, 0, 1000, body, {.grain = grain});
        EXPECT_EQ(others, 0) << grain;
    }
}

// "Reduces `transform(e)` of all elements"; "`reduce` must be associative; it need not be
// commutative."
TEST_P(fork_loops, reduce_in_order) {
    auto [pool] = make_pool({.threads = 2});
    std::vector<std::string> words;
    std::string all = "from";
    for (int i = 0; i < 2000; ++i) {
        words.push_back(std::to_string(i));
        all += words.back();
    }
    for (int round = 0; round < 10; ++round) {
        EXPECT_EQ(regatta::parallel_reduce(pool, words.begin(), words.end(), std::string("from")),
                  all);
        EXPECT_EQ(regatta::parallel_transform_reduce(pool, 0, 2000, std::string("from"),
                                                     std::plus<>(),
                                                     [](int i) {
                                                         spin_a_little(50);
                                                         return std::to_string(i);
                                                     }),
                  all);
        EXPECT_EQ(regatta::parallel_reduce(pool, words.begin(), words.end(), std::string("from"),
                                           std::plus<>(), {.deterministic = true}),
                  all);
    }
    EXPECT_EQ(regatta::parallel_reduce(pool, words.begin(), words.begin(), std::string("from")),
              "from");
    for (int size = 1; size < 200; ++size) {
        EXPECT_EQ(regatta::parallel_transform_reduce(pool, 0, size, 0, std::plus<>(),
                                                     [](int i) { return i; }),
                  size * (size - 1) / 2);
    }
}

// "the same bits for any number of workers, also of sums of floating-point numbers"
TEST_P(fork_loops, reduce_to_the_same_bits) {
    std::vector<double> values(100000);
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = std::sin(static_cast<double>(i)) * 1e10;
    }
    const auto sum = [&](unsigned threads) {
        auto [pool] = make_pool({.threads = threads});
        return regatta::parallel_reduce(pool, values.begin(), values.end(), 0.5, std::plus<>(),
                                        {.deterministic = true});
    };
    const double one = sum(1);
    for (unsigned threads = 2; threads < 5; ++threads) {
        for (int round = 0; round < 5; ++round) {
            EXPECT_EQ(sum(threads), one);
        }
    }
}

// A transform or reduction that throws.
TEST_P(fork_loops, reductions_throw) {
    auto [pool] = make_pool({.threads = 2});
    const auto failing = [](int i) {
        return i == 7777 ? throw std::runtime_error("a value") : std::to_string(i % 10);
    };
    for (int round = 0; round < 50; ++round) {
        EXPECT_THROW(regatta::parallel_transform_reduce(pool, 0, 10000, std::string(),
                                                        std::plus<>(), failing),
                     std::runtime_error);
        EXPECT_THROW(regatta::parallel_transform_reduce(pool, 0, 10000, std::string(),
                                                        std::plus<>(), failing,
                                                        {.deterministic = true}),
                     std::runtime_error);
    }
}
