// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// The parallel algorithms but sorting, beside the standard's serial ones.

#include <regatta/base/config.hpp>
#include <regatta/fork/execution.hpp>
#include <regatta/pool/steady_pool.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <forward_list>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <ranges>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

constexpr std::size_t sizes[] = {0,    1,    2,    3,      15,     16,      17,
                                 31,   64,   100,  255,    256,    1000,    1025,
                                 4096, 4097, 8192, 10'000, 65'537, 262'145, 1'000'000};

std::vector<unsigned> random_numbers(std::size_t size) {
    std::mt19937 random(static_cast<unsigned>(size + 3));
    std::vector<unsigned> all(size);
    for (unsigned& one : all) {
        one = static_cast<unsigned>(random());
    }
    return all;
}

/// An operation that is associative and not commutative: a remainder and its factor.
struct affine {
    unsigned factor = 1;
    unsigned offset = 0;
    bool operator==(const affine&) const = default;
    friend affine operator+(affine a, affine b) {
        return {a.factor * b.factor, a.offset * b.factor + b.offset};
    }
};

std::vector<affine> random_steps(std::size_t size) {
    std::vector<affine> steps;
    for (const unsigned one : random_numbers(size)) {
        steps.push_back({one | 1, one >> 7});
    }
    return steps;
}

const auto odd = [](unsigned one) { return one % 2 == 1; };

} // namespace

// "Calls `f` on each element of [first, last), as `std::for_each` does."
TEST(fork_algorithms, for_each_visits_every_element_once) {
    for (const std::size_t size : sizes) {
        std::vector<unsigned> all(size, 3);
        regatta::parallel_for_each(all.begin(), all.end(), [](unsigned& one) { ++one; });
        EXPECT_EQ(all, std::vector<unsigned>(size, 4));
        regatta::for_each(regatta::par, all.begin(), all.end(), [](unsigned& one) { ++one; });
        EXPECT_EQ(all, std::vector<unsigned>(size, 5));
    }
}

TEST(fork_algorithms, for_each_walks_forward_iterators) {
    for (const std::size_t size : {0, 1, 511, 512, 513, 20'000}) {
        std::forward_list<unsigned> all(size, 3);
        regatta::parallel_for_each(all.begin(), all.end(), [](unsigned& one) { ++one; });
        EXPECT_EQ(all, std::forward_list<unsigned>(size, 4));
    }
}

// "As `std::inclusive_scan`", and "`op` must be associative, and need not be commutative".
TEST(fork_algorithms, inclusive_scan_sums_up_in_order) {
    for (const std::size_t size : sizes) {
        const std::vector<affine> steps = random_steps(size);
        std::vector<affine> expected(size);
        std::inclusive_scan(steps.begin(), steps.end(), expected.begin(), std::plus<>{});
        std::vector<affine> sums(size);
        const auto end = regatta::parallel_inclusive_scan(steps.begin(), steps.end(), sums.begin());
        EXPECT_TRUE(end == sums.end());
        ASSERT_EQ(sums, expected) << size;
        sums = steps;
        regatta::inclusive_scan(regatta::par, sums.begin(), sums.end(), sums.begin());
        ASSERT_EQ(sums, expected) << size << ", in place";
        const affine init{7, 5};
        std::inclusive_scan(steps.begin(), steps.end(), expected.begin(), std::plus<>{}, init);
        regatta::parallel_inclusive_scan(steps.begin(), steps.end(), sums.begin(), std::plus<>{},
                                         init);
        ASSERT_EQ(sums, expected) << size << ", with a first operand";
    }
}

TEST(fork_algorithms, exclusive_scan_sums_up_in_order) {
    for (const std::size_t size : sizes) {
        const std::vector<affine> steps = random_steps(size);
        const affine init{3, 9};
        std::vector<affine> expected(size);
        std::exclusive_scan(steps.begin(), steps.end(), expected.begin(), init, std::plus<>{});
        std::vector<affine> sums(size);
        regatta::parallel_exclusive_scan(steps.begin(), steps.end(), sums.begin(), init);
        ASSERT_EQ(sums, expected) << size;
        sums = steps;
        regatta::exclusive_scan(regatta::par, sums.begin(), sums.end(), sums.begin(), init,
                                std::plus<>{});
        ASSERT_EQ(sums, expected) << size << ", in place";
    }
}

// They compile without a warning of -Wconversion, too, as those of the standard library.
TEST(fork_algorithms, scans_and_reduces_numbers_narrower_than_int) {
    std::vector<std::uint8_t> steps(10'000);
    std::iota(steps.begin(), steps.end(), std::uint8_t{0});
    std::vector<std::uint8_t> expected(steps.size());
    std::vector<std::uint8_t> sums(steps.size());
    std::inclusive_scan(steps.begin(), steps.end(), expected.begin());
    regatta::parallel_inclusive_scan(steps.begin(), steps.end(), sums.begin());
    EXPECT_EQ(sums, expected);
    EXPECT_EQ(regatta::parallel_reduce(steps.begin(), steps.end(), std::uint8_t{0}),
              expected.back());
    std::exclusive_scan(steps.begin(), steps.end(), expected.begin(), std::uint8_t{1});
    regatta::parallel_exclusive_scan(steps.begin(), steps.end(), sums.begin(), std::uint8_t{1});
    EXPECT_EQ(sums, expected);
}

TEST(fork_algorithms, scans_strings) {
    std::vector<std::string> words(300);
    for (std::size_t i = 0; i < words.size(); ++i) {
        words[i] = std::to_string(i);
    }
    std::vector<std::string> expected(words.size());
    std::inclusive_scan(words.begin(), words.end(), expected.begin(), std::plus<>{});
    regatta::parallel_inclusive_scan(words.begin(), words.end(), words.begin());
    EXPECT_EQ(words, expected);
}

// "The first match, also where a later one is found earlier."
TEST(fork_algorithms, finds_the_first_match) {
    for (const std::size_t size : sizes) {
        std::vector<unsigned> all = random_numbers(size);
        for (unsigned& one : all) {
            one &= ~1u;
        }
        EXPECT_TRUE(regatta::parallel_find_if(all.begin(), all.end(), odd) == all.end());
        EXPECT_FALSE(regatta::parallel_any_of(all.begin(), all.end(), odd));
        EXPECT_TRUE(regatta::parallel_none_of(all.begin(), all.end(), odd));
        EXPECT_EQ(regatta::parallel_all_of(all.begin(), all.end(), odd), size == 0);
        std::mt19937 random(static_cast<unsigned>(size));
        for (int round = 0; round < 20 && size > 0; ++round) {
            const std::size_t place = random() % size;
            all[place] |= 1;
            const auto expected = std::find_if(all.begin(), all.end(), odd);
            ASSERT_TRUE(regatta::parallel_find_if(all.begin(), all.end(), odd) == expected);
            ASSERT_TRUE(regatta::find_if(regatta::par, all.begin(), all.end(), odd) == expected);
            ASSERT_TRUE(regatta::parallel_find(all.begin(), all.end(), all[place]) ==
                        std::find(all.begin(), all.end(), all[place]));
            ASSERT_TRUE(regatta::parallel_any_of(all.begin(), all.end(), odd));
            ASSERT_FALSE(regatta::parallel_none_of(all.begin(), all.end(), odd));
        }
        std::fill(all.begin(), all.end(), 1u);
        EXPECT_TRUE(regatta::parallel_all_of(all.begin(), all.end(), odd));
    }
}

// The same where the first match is found between the test of a later one and what follows from it.
// The search within that test stands for another worker.
TEST(fork_algorithms, a_later_match_does_not_replace_the_first) {
    constexpr std::ptrdiff_t first = 10;
    constexpr std::ptrdiff_t later = 1000;
    std::atomic<bool> tested{false};
    std::function<bool(std::ptrdiff_t)> matches;
    regatta::detail::first_match<decltype(matches)> search(2000, matches);
    matches = [&](std::ptrdiff_t i) {
        if (i == later && !tested.exchange(true)) {
            EXPECT_EQ(search(), first);
        }
        return i == later || (i == first && tested.load());
    };
    EXPECT_EQ(search(), first);
}

// "Ends at the first match found, whichever it is": also what lies before that match is left out.
TEST(fork_algorithms, a_search_for_any_match_ends_before_it) {
    std::atomic<int> tests{0};
    std::function<bool(std::ptrdiff_t)> matches;
    regatta::detail::first_match<decltype(matches)> search(2000, matches);
    search.settle_for_any();
    matches = [&](std::ptrdiff_t i) {
        if (tests++ == 0) {
            EXPECT_EQ(search(), 1000); // As another worker.
            tests = 1;
        }
        return i == 1000;
    };
    EXPECT_EQ(search(), 1000);
    EXPECT_LT(tests.load(), 1000);
}

// "At most about twice as many tests as the match is far from `first`."
TEST(fork_algorithms, a_search_ends_early) {
    const std::vector<unsigned> all = random_numbers(1'000'000);
    for (const std::ptrdiff_t place : {0, 100, 10'000, 200'000}) {
        std::atomic<std::ptrdiff_t> tests{0};
        const unsigned* const wanted = all.data() + place;
        const auto found = regatta::parallel_find_if(all.begin(), all.end(), [&](const auto& one) {
            tests.fetch_add(1, std::memory_order_relaxed);
            return &one >= wanted;
        });
        EXPECT_EQ(found - all.begin(), place);
        EXPECT_LE(tests.load(), 2 * place + 8192);
        EXPECT_GE(tests.load(), place + 1);
    }
}

TEST(fork_algorithms, transforms_one_range_and_two) {
    for (const std::size_t size : sizes) {
        const std::vector<unsigned> a = random_numbers(size);
        const std::vector<unsigned> b(a.rbegin(), a.rend());
        std::vector<unsigned> expected(size);
        std::vector<unsigned> got(size);
        std::transform(a.begin(), a.end(), expected.begin(), std::negate<>{});
        const auto end =
            regatta::transform(regatta::par, a.begin(), a.end(), got.begin(), std::negate<>{});
        EXPECT_TRUE(end == got.end());
        EXPECT_EQ(got, expected);
        std::transform(a.begin(), a.end(), b.begin(), expected.begin(), std::minus<>{});
        regatta::transform(regatta::par, a.begin(), a.end(), b.begin(), got.begin(),
                           std::minus<>{});
        EXPECT_EQ(got, expected);
    }
}

TEST(fork_algorithms, reduces_in_order) {
    for (const std::size_t size : sizes) {
        const std::vector<unsigned> a = random_numbers(size);
        const std::vector<unsigned> b(a.rbegin(), a.rend());
        EXPECT_EQ(regatta::reduce(regatta::par, a.begin(), a.end()),
                  std::reduce(a.begin(), a.end()));
        EXPECT_EQ(regatta::reduce(regatta::par, a.begin(), a.end(), 5u),
                  std::reduce(a.begin(), a.end(), 5u));
        EXPECT_EQ(regatta::transform_reduce(regatta::par, a.begin(), a.end(), b.begin(), 1u),
                  std::transform_reduce(a.begin(), a.end(), b.begin(), 1u));
        EXPECT_EQ(regatta::transform_reduce(regatta::par, a.begin(), a.end(), 1u, std::plus<>{},
                                            [](unsigned one) { return one * one; }),
                  std::transform_reduce(a.begin(), a.end(), 1u, std::plus<>{},
                                        [](unsigned one) { return one * one; }));
        EXPECT_EQ(regatta::count_if(regatta::par, a.begin(), a.end(), odd),
                  std::count_if(a.begin(), a.end(), odd));
        const std::vector<affine> steps = random_steps(size);
        EXPECT_EQ(regatta::reduce(regatta::par, steps.begin(), steps.end(), affine{2, 1}),
                  std::accumulate(steps.begin(), steps.end(), affine{2, 1}));
    }
}

// The same of numbers, which are reduced several at once, whether or not the order matters.
TEST(fork_algorithms, reduces_and_scans_numbers_in_order) {
    const auto last_but_zeros = [](unsigned a, unsigned b) { return b != 0 ? b : a; };
    for (const std::size_t size : sizes) {
        std::vector<unsigned> a = random_numbers(size);
        const double wide = std::accumulate(a.begin(), a.end(), 1.0);
        EXPECT_EQ(regatta::parallel_reduce(a.begin(), a.end(), 3u, std::multiplies<unsigned>{}),
                  std::accumulate(a.begin(), a.end(), 3u, std::multiplies<>{}));
        // Whole numbers below 2^53: every sum is exact.
        EXPECT_EQ(regatta::parallel_reduce(a.begin(), a.end(), 1.0), wide);
        EXPECT_EQ(regatta::parallel_reduce(a.begin(), a.end(), 1.0, {}, {.deterministic = true}),
                  wide);
        for (unsigned& one : a) {
            one = one % 8 == 0 ? one / 8 : 0;
        }
        EXPECT_EQ(regatta::parallel_reduce(a.begin(), a.end(), 5u, last_but_zeros),
                  std::accumulate(a.begin(), a.end(), 5u, last_but_zeros));
        std::vector<unsigned> expected(size);
        std::vector<unsigned> got(size);
        std::inclusive_scan(a.begin(), a.end(), expected.begin(), last_but_zeros, 5u);
        regatta::parallel_inclusive_scan(a.begin(), a.end(), got.begin(), last_but_zeros, 5u);
        ASSERT_EQ(got, expected) << size;
        std::inclusive_scan(a.begin(), a.end(), expected.begin());
        regatta::parallel_inclusive_scan(a.begin(), a.end(), got.begin());
        ASSERT_EQ(got, expected) << size;
    }
    // An index too narrow for the number of sums side by side to be taken lightly.
    for (int end = -128; end < 128; ++end) {
        const auto value = [](std::int8_t i) { return int{i}; };
        EXPECT_EQ(
            regatta::parallel_transform_reduce(std::int8_t{-128}, end, 0, std::plus<>{}, value),
            (end - 129) * (end + 128) / 2);
    }
}

// "`first` and `last` are iterators with random access", also such as make their elements.
TEST(fork_algorithms, reduces_what_iterators_make) {
    const std::vector<bool> bits(10'000, true);
    EXPECT_EQ(regatta::parallel_reduce(bits.begin(), bits.end(), 0), 10'000);
    EXPECT_EQ(regatta::reduce(regatta::par, bits.begin(), bits.end(), 5), 10'005);
    const auto words = std::views::iota(0, 10'000) |
                       std::views::transform([](int i) { return std::string(30 + i % 2, 'a'); });
    const auto all = regatta::parallel_reduce(words.begin(), words.end(), std::string());
    EXPECT_EQ(all, std::string(305'000, 'a'));
    EXPECT_EQ(regatta::parallel_transform_reduce(words.begin(), words.end(), std::string(),
                                                 std::plus<>{}, std::identity{},
                                                 {.deterministic = true}),
              all);
}

// The same of loops, where the distance of iterators is not a type that `std::integral` has.
TEST(fork_algorithms, walk_views_of_any_type_of_index) {
    constexpr std::size_t size = 1'000;
    const auto all = std::views::iota(std::size_t{0}, size);
    std::vector<unsigned> visits(size, 0);
    regatta::parallel_for(all, [&](std::size_t i) { ++visits[i]; });
    EXPECT_EQ(visits, std::vector<unsigned>(size, 1));
    regatta::parallel_for_each(all.begin(), all.end(), [&](std::size_t i) { ++visits[i]; });
    EXPECT_EQ(visits, std::vector<unsigned>(size, 2));
    EXPECT_EQ(regatta::parallel_reduce(all.begin(), all.end(), std::size_t{0}),
              size * (size - 1) / 2);
    EXPECT_EQ(regatta::transform_reduce(regatta::par, all.begin(), all.end(), visits.begin(),
                                        std::size_t{0}),
              size * (size - 1));
}

// What the function of a loop returns is dropped, without a warning also if that is not to be
// ignored.
TEST(fork_algorithms, drop_what_functions_return) {
    struct [[nodiscard]] verdict {
        int of;
    };
    std::atomic<int> calls{0};
    const auto judge = [&](auto... of) { return verdict{(++calls, (0 + ... + of))}; };
    std::vector<int> elements(3);
    std::forward_list<int> list(3);
    regatta::parallel_for(0, 3, judge);
    regatta::parallel_for(elements, judge);
    regatta::parallel_for(regatta::rows_columns{1, 3}, judge);
    regatta::parallel_for(regatta::planes_rows_columns{1, 1, 3}, judge);
    regatta::parallel_for_each(elements.begin(), elements.end(), judge);
    regatta::parallel_for_each(list.begin(), list.end(), judge);
    EXPECT_EQ(calls.load(), 6 * 3);
}

// "In their order."
TEST(fork_algorithms, copies_what_matches_in_order) {
    for (const std::size_t size : sizes) {
        const std::vector<unsigned> all = random_numbers(size);
        std::vector<unsigned> expected;
        std::copy_if(all.begin(), all.end(), std::back_inserter(expected), odd);
        std::vector<unsigned> got(size);
        got.erase(regatta::copy_if(regatta::par, all.begin(), all.end(), got.begin(), odd),
                  got.end());
        ASSERT_EQ(got, expected) << size;
    }
}

// "The same on the workers of `pool`."
TEST(fork_algorithms, run_on_the_workers_of_a_pool) {
    regatta::steady_pool pool(2);
    const auto on = regatta::par.on(pool);
    std::vector<unsigned> all = random_numbers(50'000);
    const std::vector<unsigned> before = all;
    std::vector<unsigned> expected = all;
    std::sort(expected.begin(), expected.end());
    regatta::parallel_sort(pool, all.begin(), all.end());
    EXPECT_EQ(all, expected);
    all = before;
    regatta::parallel_stable_sort(pool, all.begin(), all.end(), std::less<>{});
    EXPECT_EQ(all, expected);
    all = before;
    regatta::sort(on, all.begin(), all.end());
    EXPECT_EQ(all, expected);
    all = before;
    regatta::stable_sort(on, all.begin(), all.end());
    EXPECT_EQ(all, expected);
    EXPECT_TRUE(regatta::parallel_find(pool, before.begin(), before.end(), before[777]) ==
                std::find(before.begin(), before.end(), before[777]));
    EXPECT_TRUE(regatta::parallel_find_if(pool, before.begin(), before.end(), odd) ==
                std::find_if(before.begin(), before.end(), odd));
    EXPECT_TRUE(regatta::parallel_any_of(pool, before.begin(), before.end(), odd));
    EXPECT_FALSE(regatta::parallel_all_of(pool, before.begin(), before.end(), odd));
    EXPECT_FALSE(regatta::parallel_none_of(pool, before.begin(), before.end(), odd));
    EXPECT_EQ(regatta::reduce(on, before.begin(), before.end()),
              std::reduce(before.begin(), before.end()));
    std::vector<unsigned> sums(before.size());
    std::inclusive_scan(before.begin(), before.end(), expected.begin());
    regatta::parallel_inclusive_scan(pool, before.begin(), before.end(), sums.begin());
    EXPECT_EQ(sums, expected);
    std::exclusive_scan(before.begin(), before.end(), expected.begin(), 3u);
    regatta::parallel_exclusive_scan(pool, before.begin(), before.end(), sums.begin(), 3u);
    EXPECT_EQ(sums, expected);
    regatta::parallel_for_each(pool, sums.begin(), sums.end(), [](unsigned& one) { one = 1; });
    EXPECT_EQ(std::count(sums.begin(), sums.end(), 1u), 50'000);
}

TEST(fork_algorithms, run_within_a_task) {
    regatta::steady_pool pool(2);
    std::vector<unsigned> all = random_numbers(50'000);
    std::vector<unsigned> expected = all;
    std::sort(expected.begin(), expected.end());
    pool.submit([&] { regatta::parallel_sort(all.begin(), all.end()); }).get();
    EXPECT_EQ(all, expected);
}

// What the algorithms ask of elements and of functions is no more than they do with them.
TEST(fork_algorithms, take_elements_that_have_just_what_is_used) {
    std::vector<std::unique_ptr<int>> owners(100);
    owners[70] = std::make_unique<int>(7); // A bool where it is tested, and nowhere else.
    const auto found = regatta::parallel_find_if(owners.begin(), owners.end(), std::identity());
    EXPECT_EQ(found - owners.begin(), 70);
    EXPECT_TRUE(regatta::parallel_any_of(owners.begin(), owners.end(),
                                         [](const auto& p) { return std::optional(p.get()); }));

    struct half { // Made from float, and one again: std::common_reference has no answer.
        float value = 0;
        half(float v = 0) noexcept : value(v) {}
        operator float() const noexcept { return value; }
    };
    std::vector<half> halves(100, half(0.5f));
    regatta::parallel_inclusive_scan(halves.begin(), halves.end(), halves.begin());
    EXPECT_EQ(halves.back().value, 50.0f);
    regatta::parallel_exclusive_scan(halves.begin(), halves.end(), halves.begin(), half(1.0f));
    EXPECT_EQ(halves[1].value, 1.5f);

    enum flags : unsigned { none = 0, first = 1, third = 4 }; // std::bit_or makes an integer of it.
    std::vector<flags> all(100, none);
    all[3] = first;
    all[90] = third;
    EXPECT_EQ(regatta::parallel_transform_reduce(all.begin(), all.end(), none, std::bit_or<>(),
                                                 [](flags f) { return f; }),
              static_cast<flags>(first | third));

    std::vector<bool> bits(1000); // Its references are objects.
    bits[3] = true;
    regatta::parallel_stable_sort(bits.begin(), bits.end());
    EXPECT_TRUE(bits.back());
    EXPECT_EQ(regatta::parallel_find(bits.begin(), bits.end(), true) - bits.begin(), 999);
}

#if REGATTA_EXCEPTIONS

// "Passes on what a call of the user's throws."
TEST(fork_algorithms, pass_on_what_is_thrown) {
    const std::vector<unsigned> all = random_numbers(100'000);
    std::vector<unsigned> out(all.size());
    for (const std::size_t at : {std::size_t{0}, std::size_t{77}, std::size_t{99'999}}) {
        const unsigned* const wrong = all.data() + at;
        const auto throws = [wrong](const unsigned& one) -> unsigned {
            if (&one == wrong) {
                throw std::runtime_error("that one");
            }
            return 0;
        };
        const auto never = [&](const unsigned& one) { return throws(one) != 0; };
        const auto sum = [&](unsigned a, const unsigned& b) { return a + throws(b); };
        EXPECT_THROW(regatta::parallel_for_each(all.begin(), all.end(), throws),
                     std::runtime_error);
        EXPECT_THROW(regatta::parallel_find_if(all.begin(), all.end(), never), std::runtime_error);
        EXPECT_THROW(regatta::parallel_any_of(all.begin(), all.end(), never), std::runtime_error);
        EXPECT_THROW(regatta::count_if(regatta::par, all.begin(), all.end(), never),
                     std::runtime_error);
        EXPECT_THROW(regatta::copy_if(regatta::par, all.begin(), all.end(), out.begin(), never),
                     std::runtime_error);
        EXPECT_THROW(regatta::transform(regatta::par, all.begin(), all.end(), out.begin(), throws),
                     std::runtime_error);
        EXPECT_THROW(regatta::parallel_exclusive_scan(all.begin(), all.end(), out.begin(), 0u, sum),
                     std::runtime_error);
    }
}

// "So are more elements than a `std::ptrdiff_t` can count": nothing is called, no result is made
// up.
TEST(fork_algorithms, refuse_more_elements_than_can_be_counted) {
    const auto all = std::views::iota(std::size_t{0}, std::numeric_limits<std::size_t>::max());
    const auto first = all.begin();
    const auto last = all.end();
    const auto never = [](std::size_t) -> bool { throw std::runtime_error("called"); };
    std::vector<std::size_t> out(1);
    using refusal = std::invalid_argument;
    EXPECT_THROW(regatta::parallel_for(all, never), refusal);
    EXPECT_THROW(regatta::parallel_for_each(first, last, never), refusal);
    EXPECT_THROW(regatta::parallel_find_if(first, last, never), refusal);
    EXPECT_THROW(regatta::parallel_any_of(first, last, never), refusal);
    EXPECT_THROW(regatta::parallel_reduce(first, last, std::size_t{0}), refusal);
    EXPECT_THROW(regatta::parallel_inclusive_scan(first, last, out.begin()), refusal);
    EXPECT_THROW(
        regatta::parallel_inclusive_scan(first, last, out.begin(), std::plus<>{}, std::size_t{0}),
        refusal);
    EXPECT_THROW(regatta::parallel_exclusive_scan(first, last, out.begin(), std::size_t{0}),
                 refusal);
    EXPECT_THROW(regatta::transform(regatta::par, first, last, out.begin(), never), refusal);
    EXPECT_THROW(regatta::transform(regatta::par, first, last, first, out.begin(), std::plus<>{}),
                 refusal);
    EXPECT_THROW(regatta::transform_reduce(regatta::par, first, last, first, std::size_t{0}),
                 refusal);
    EXPECT_THROW(regatta::copy_if(regatta::par, first, last, out.begin(), never), refusal);
    EXPECT_EQ(*regatta::parallel_find(first, first + std::numeric_limits<std::ptrdiff_t>::max(),
                                      std::size_t{70'000}),
              70'000u);
}

// "indices, which are passed to `transform` themselves", also where there are more of them than the
// largest. They are not all visited: the first exception ends it.
TEST(fork_algorithms, a_deterministic_reduction_takes_all_indices_of_a_type) {
    const auto failing = [](int i) {
        return i < -2'147'000'000 ? i : throw std::runtime_error("a value");
    };
    EXPECT_THROW(regatta::parallel_transform_reduce(
                     std::numeric_limits<int>::min(), std::numeric_limits<int>::max(), 0,
                     std::bit_xor<>{}, failing, {.deterministic = true}),
                 std::runtime_error);
    const auto long_failing = [](std::int64_t) -> std::int64_t {
        throw std::runtime_error("a value");
    };
    EXPECT_THROW(regatta::parallel_transform_reduce(std::numeric_limits<std::int64_t>::min(),
                                                    std::numeric_limits<std::int64_t>::max(),
                                                    std::int64_t{0}, std::bit_xor<>{}, long_failing,
                                                    {.deterministic = true}),
                 std::runtime_error);
}

// The same, where a std::size_t may hold fewer than there are.
TEST(fork_algorithms, a_deterministic_reduction_visits_indices_beyond_32_bits) {
    constexpr std::int64_t begin = std::int64_t{1} << 33;
    const auto same = [](std::int64_t i) { return i; };
    EXPECT_EQ(regatta::parallel_transform_reduce(begin, begin + 5000, std::int64_t{0},
                                                 std::plus<>{}, same, {.deterministic = true}),
              5000 * begin + 5000 * 4999 / 2);
    const auto failing = [](std::int64_t) -> std::int64_t { throw std::runtime_error("a value"); };
    EXPECT_THROW(regatta::parallel_transform_reduce(std::int64_t{0}, begin, std::int64_t{0},
                                                    std::plus<>{}, failing,
                                                    {.deterministic = true}),
                 std::runtime_error);
}

#endif
