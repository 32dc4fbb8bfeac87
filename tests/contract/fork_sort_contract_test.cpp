// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// parallel_sort and parallel_stable_sort beside the standard's serial ones.

#include <regatta/base/config.hpp>
#include <regatta/fork/parallel_algorithms.hpp>
#include <regatta/pool/balanced_pool.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

// Under a sanitizer, where the largest inputs take minutes, smaller ones: they fork as well, some
// levels less deep.
#if defined(__SANITIZE_ADDRESS__) || REGATTA_THREAD_SANITIZER
constexpr std::size_t largest = 65'537;
constexpr std::size_t largest_that_throws = 30'000;
#else
constexpr std::size_t largest = 1'000'000;
constexpr std::size_t largest_that_throws = 150'000;
#endif
constexpr std::size_t sorted_sizes[] = {
    0,  1,  2,   3,   7,   8,   15,  16,  23,   24,   25,    31,     32,     33,
    63, 64, 100, 127, 128, 129, 500, 513, 1000, 4095, 10000, 131072, 200001, largest};
constexpr std::size_t thrown_sizes[] = {2, 30, 100, 3000, largest_that_throws};

/// Inputs that sorting algorithms are known to be slow or wrong on.
std::vector<std::vector<int>> patterns(std::size_t size) {
    std::mt19937_64 random(size + 1);
    const auto count = static_cast<int>(size);
    const auto made = [&](auto&& value) {
        std::vector<int> all(size);
        for (int i = 0; i < count; ++i) {
            all[static_cast<std::size_t>(i)] = value(i);
        }
        return all;
    };
    std::vector<std::vector<int>> all;
    all.push_back(made([&](int) { return static_cast<int>(random()); }));
    all.push_back(made([&](int i) { return i; }));
    all.push_back(made([&](int i) { return -i; }));
    all.push_back(made([&](int) { return 7; }));
    all.push_back(made([&](int i) { return std::min(i, count - i); }));
    all.push_back(made([&](int) { return static_cast<int>(random() % 2); }));
    all.push_back(made([&](int) { return static_cast<int>(random() % 100); }));
    all.push_back(made([&](int i) { return i % 64; }));
    all.push_back(made([&](int i) { return i == count / 2 ? -1 : i; }));
    all.push_back(made([&](int i) { return i < count - 10 ? i : static_cast<int>(random()); }));
    all.push_back(made([&](int i) { return i % 2 == 0 ? i : std::numeric_limits<int>::max(); }));
    return all;
}

/// The comparator of M. D. McIlroy, "A killer adversary for quicksort", 1999: decides what is
/// compared as late as it can, so that each pivot turns out a bad one. The first three are not in
/// order: it would decide a look for a sorted range to be one.
class killer {
public:
    explicit killer(std::size_t count) : values_(count, gas) {
        values_[0] = 0;
        values_[1] = 2;
        values_[2] = 1;
    }

    bool operator()(int x, int y) {
        ++comparisons;
        auto& a = values_[static_cast<std::size_t>(x)];
        auto& b = values_[static_cast<std::size_t>(y)];
        if (a == gas && b == gas) {
            (x == candidate_ ? a : b) = solid_++;
        }
        if (a == gas) {
            candidate_ = x;
        } else if (b == gas) {
            candidate_ = y;
        }
        return a < b;
    }

    std::vector<std::size_t> made() const { return values_; }
    std::size_t comparisons = 0;

private:
    static constexpr std::size_t gas = std::numeric_limits<std::size_t>::max();
    std::vector<std::size_t> values_;
    std::size_t solid_ = 3;
    int candidate_ = 0;
};

/// An element that counts how many there are.
struct living {
    explicit living(unsigned one) noexcept : value(one) { ++count; }
    living(living&& other) noexcept : value(other.value) { ++count; }
    living& operator=(living&& other) noexcept = default;
    ~living() { --count; }
    bool operator<(const living& other) const noexcept { return value < other.value; }

    unsigned value;
    static inline std::atomic<std::size_t> count{0};
};
std::vector<living> some_living(std::size_t size) {
    std::mt19937 random(12);
    std::vector<living> made;
    made.reserve(size);
    for (std::size_t i = 0; i < size; ++i) {
        made.emplace_back(static_cast<unsigned>(random()));
    }
    return made;
}

/// A key that shares its value with others, and the place where it was.
struct placed {
    int key;
    int place;
    bool operator==(const placed&) const = default;
};

const auto by_key = [](const placed& a, const placed& b) { return a.key < b.key; };

} // namespace

// "Sorts [first, last), as `std::sort` does."
TEST(fork_sort, orders_as_the_standard_sort_does) {
    for (const std::size_t size : sorted_sizes) {
        for (std::vector<int>& input : patterns(size)) {
            std::vector<int> expected = input;
            std::sort(expected.begin(), expected.end());
            std::vector<int> stable = input;
            std::vector<int> descending = input;
            regatta::parallel_sort(input.begin(), input.end());
            ASSERT_EQ(input, expected) << size;
            regatta::parallel_stable_sort(stable.begin(), stable.end());
            ASSERT_EQ(stable, expected) << size;
            regatta::parallel_sort(descending.begin(), descending.end(), std::greater<>{});
            ASSERT_TRUE(std::equal(expected.rbegin(), expected.rend(), descending.begin()));
        }
    }
}

TEST(fork_sort, orders_random_sizes) {
    std::mt19937_64 random(4711);
    for (int round = 0; round < 300; ++round) {
        std::vector<std::uint8_t> input(random() % 3000);
        for (std::uint8_t& one : input) {
            one = static_cast<std::uint8_t>(random());
        }
        std::vector<std::uint8_t> expected = input;
        std::sort(expected.begin(), expected.end());
        regatta::parallel_sort(input.begin(), input.end());
        ASSERT_EQ(input, expected);
    }
}

// What a zipped range has instead of a reference: to move it may copy the elements.
struct zipped {
    operator std::string() const;
    const zipped& operator=(std::string&&) const noexcept;
    const zipped& operator=(const zipped&) const;
};
struct zip_iterator : std::vector<std::string>::iterator {
    using reference = zipped;
    zipped operator*() const;
};
template<class Iterator>
constexpr bool moves_for_certain = regatta::detail::merge_sort<Iterator, std::less<>>::possible;
static_assert(!moves_for_certain<zip_iterator>);
static_assert(moves_for_certain<std::vector<bool>::iterator>);
static_assert(moves_for_certain<std::deque<std::string>::iterator>);

// A comparison sees elements that are kept as constants.
template<class Compare>
concept sorts_ints = requires(std::vector<int>& all, Compare comp) {
    regatta::parallel_sort(all.begin(), all.end(), comp);
    regatta::parallel_stable_sort(all.begin(), all.end(), comp);
};
static_assert(sorts_ints<bool (*)(const int&, const int&)>);
static_assert(!sorts_ints<bool (*)(int&, int&)>);

TEST(fork_sort, sorts_what_is_not_contiguous) {
    std::mt19937 random(5);
    std::deque<unsigned> input(70'000);
    for (unsigned& one : input) {
        one = static_cast<unsigned>(random() % 5000);
    }
    std::deque<unsigned> expected = input;
    std::sort(expected.begin(), expected.end());
    std::deque<unsigned> stable = input;
    regatta::parallel_sort(input.begin(), input.end());
    EXPECT_EQ(input, expected);
    regatta::parallel_stable_sort(stable.begin(), stable.end());
    EXPECT_EQ(stable, expected);
}

TEST(fork_sort, sorts_strings_and_what_only_moves) {
    std::mt19937 random(6);
    std::vector<std::string> words(30'000);
    std::vector<std::unique_ptr<unsigned>> owned(30'000);
    for (std::size_t i = 0; i < words.size(); ++i) {
        words[i] = "a word that is not short: " + std::to_string(random() % 9000);
        owned[i] = std::make_unique<unsigned>(static_cast<unsigned>(random()));
    }
    std::vector<std::string> expected = words;
    std::sort(expected.begin(), expected.end());
    std::vector<std::string> stable = words;
    regatta::parallel_sort(words.begin(), words.end());
    EXPECT_EQ(words, expected);
    regatta::parallel_stable_sort(stable.begin(), stable.end());
    EXPECT_EQ(stable, expected);

    const auto by_value = [](const auto& a, const auto& b) { return *a < *b; };
    regatta::parallel_sort(owned.begin(), owned.end(), by_value);
    EXPECT_TRUE(std::is_sorted(owned.begin(), owned.end(), by_value));
    const auto falling = [](const auto& a, const auto& b) { return *a > *b; };
    regatta::parallel_stable_sort(owned.begin(), owned.end(), falling);
    EXPECT_TRUE(std::is_sorted(owned.begin(), owned.end(), falling));
}

// "Keeps the order of equal elements, as `std::stable_sort` does."
TEST(fork_sort, a_stable_sort_keeps_the_order_of_equals) {
    std::mt19937 random(7);
    for (const std::size_t size : sorted_sizes) {
        for (const unsigned keys : {2u, 10u, 5000u}) {
            std::vector<placed> input(size);
            for (std::size_t i = 0; i < size; ++i) {
                input[i] = {static_cast<int>(random() % keys), static_cast<int>(i)};
            }
            std::vector<placed> expected = input;
            std::stable_sort(expected.begin(), expected.end(), by_key);
            regatta::parallel_stable_sort(input.begin(), input.end(), by_key);
            ASSERT_EQ(input, expected) << size;
        }
    }
}

// "O(n log n) comparisons in the worst case."
TEST(fork_sort, no_input_makes_it_quadratic) {
    // On one thread, from which alone the adversary takes comparisons. With bad pivots to the end
    // it would see 34 count log2(count) of them.
    constexpr std::size_t count = 5000;
    killer adversary(count);
    std::vector<int> indices(count);
    std::iota(indices.begin(), indices.end(), 0);
    regatta::balanced_pool alone(1);
    regatta::parallel_sort(alone, indices.begin(), indices.end(), std::ref(adversary));
    EXPECT_LT(adversary.comparisons, 4 * count * 13);
    // What it made of that, repeated, at a length that forks.
    const std::vector<std::size_t> made = adversary.made();
    std::vector<std::size_t> input;
    for (std::size_t i = 0; i < 200'000; ++i) {
        input.push_back(made[i % count] * 1000 + i / count);
    }
    std::atomic<std::size_t> comparisons{0};
    regatta::parallel_sort(input.begin(), input.end(), [&](std::size_t a, std::size_t b) {
        comparisons.fetch_add(1, std::memory_order_relaxed);
        return a < b;
    });
    EXPECT_TRUE(std::is_sorted(input.begin(), input.end()));
    EXPECT_LT(comparisons.load(), 8 * input.size() * 18);
}

// "As `std::sort` does": what a comparison returns need only be a condition.
TEST(fork_sort, takes_comparisons_that_return_a_condition) {
    struct verdict {
        bool yes;
        explicit operator bool() const noexcept { return yes; }
    };
    const auto less = [](const auto& a, const auto& b) { return verdict{a < b}; };
    for (const std::size_t size : {20u, 5000u}) {
        for (std::vector<int> input : patterns(size)) {
            std::vector<int> expected = input;
            std::sort(expected.begin(), expected.end());
            std::deque<int> apart(input.begin(), input.end());
            std::vector<int> stable = input;
            regatta::parallel_sort(input.begin(), input.end(), less);
            regatta::parallel_sort(apart.begin(), apart.end(), less);
            regatta::parallel_stable_sort(stable.begin(), stable.end(), less);
            ASSERT_EQ(input, expected);
            ASSERT_TRUE(std::equal(apart.begin(), apart.end(), expected.begin()));
            ASSERT_EQ(stable, expected);
        }
    }
}

TEST(fork_sort, sorts_what_has_no_default_constructor) {
    struct plain {
        explicit plain(int one) : value(one) {}
        int value;
    };
    std::vector<plain> input;
    std::mt19937 random(9);
    for (int i = 0; i < 5000; ++i) {
        input.emplace_back(static_cast<int>(random()));
    }
    const auto less = [](plain a, plain b) { return a.value < b.value; };
    auto stable = input;
    regatta::parallel_sort(input.begin(), input.end(), less);
    EXPECT_TRUE(std::is_sorted(input.begin(), input.end(), less));
    regatta::parallel_stable_sort(stable.begin(), stable.end(), less);
    EXPECT_TRUE(std::is_sorted(stable.begin(), stable.end(), less));
}

// As many elements end as begin: also those of the buffer of a stable sort.
TEST(fork_sort, leaves_no_element_behind) {
    for (const std::size_t size : {20u, 100u, 5000u}) {
        auto input = some_living(size);
        regatta::parallel_sort(input.begin(), input.end());
        EXPECT_EQ(living::count, size);
        input = some_living(size);
        regatta::parallel_stable_sort(input.begin(), input.end());
        EXPECT_EQ(living::count, size);
        EXPECT_TRUE(std::is_sorted(input.begin(), input.end()));
    }
}

#if REGATTA_EXCEPTIONS

namespace {

/// Throws at a comparison of a given number.
template<class T>
struct throws_at {
    std::atomic<long>& left;
    bool operator()(const T& a, const T& b) const {
        if (left.fetch_sub(1, std::memory_order_relaxed) == 1) {
            throw std::runtime_error("a comparison");
        }
        return a < b;
    }
};

/// Sorts again and again, with a comparison that throws earlier or later.
template<class T, class Sort>
void expect_permuted(const std::vector<T>& input, Sort sort) {
    std::vector<T> expected = input;
    std::sort(expected.begin(), expected.end());
    for (long at = 1; at < 4'000'000; at = at * 2 + 1) {
        std::vector<T> sorted = input;
        std::atomic<long> left{at};
        try {
            sort(sorted, throws_at<T>{left});
            EXPECT_GT(left.load(), 0);
            EXPECT_EQ(sorted, expected);
            return;
        } catch (const std::runtime_error& error) {
            EXPECT_STREQ(error.what(), "a comparison");
        }
        std::sort(sorted.begin(), sorted.end());
        ASSERT_EQ(sorted, expected) << "thrown at comparison " << at;
    }
}

const auto sorted_by = [](auto& all, auto comp) {
    regatta::parallel_sort(all.begin(), all.end(), comp);
};
const auto sorted_stably_by = [](auto& all, auto comp) {
    regatta::parallel_stable_sort(all.begin(), all.end(), comp);
};

} // namespace

// "Passes on what `comp` throws. The elements are then permuted."
TEST(fork_sort, a_comparison_that_throws_loses_no_element) {
    for (const std::size_t size : thrown_sizes) {
        for (const std::vector<int>& input : patterns(size)) {
            expect_permuted(input, sorted_by);
        }
    }
}

// "Every element is then in the range exactly once."
TEST(fork_sort, a_comparison_that_throws_loses_no_element_of_a_stable_sort) {
    for (const std::size_t size : thrown_sizes) {
        for (const std::vector<int>& input : patterns(size)) {
            expect_permuted(input, sorted_stably_by);
        }
        std::vector<std::string> words;
        std::mt19937 random(10);
        for (std::size_t i = 0; i < std::min<std::size_t>(size, 3000); ++i) {
            words.push_back("a word that is not short: " + std::to_string(random()));
        }
        expect_permuted(words, sorted_stably_by);
    }
}

// … of elements whose copy may throw, which the standard library sorts.
TEST(fork_sort, a_comparison_that_throws_loses_no_element_that_is_only_copied) {
    struct copied {
        explicit copied(int v) : value(v) {}
        copied(const copied& other) noexcept(false) : value(other.value) {}
        copied& operator=(const copied& other) noexcept(false) {
            value = other.value;
            return *this;
        }
        int value;
    };
    for (long at = 1; at < 3000; at = at * 2 + 1) {
        std::vector<copied> all;
        for (int i = 300; i != 0; --i) {
            all.emplace_back(i);
        }
        long left = at;
        const auto comp = [&left](const copied& a, const copied& b) {
            if (--left == 0) {
                throw std::runtime_error("a comparison failed");
            }
            return a.value < b.value;
        };
        try {
            regatta::parallel_stable_sort(all.begin(), all.end(), comp);
        } catch (const std::runtime_error&) {
        }
        std::vector<int> values;
        for (const copied& one : all) {
            values.push_back(one.value);
        }
        std::sort(values.begin(), values.end());
        for (int i = 0; i < 300; ++i) {
            ASSERT_EQ(values[static_cast<std::size_t>(i)], i + 1) << at;
        }
    }
}

// … where each pivot is the worst one, so that a part is sorted as a heap. The adversary decides
// what is less when it is asked: M. D. McIlroy, "A killer adversary for quicksort", 1999.
TEST(fork_sort, a_comparison_that_throws_loses_no_element_of_a_heap) {
    constexpr int count = 1000;
    for (long at = 1000; at < 40'000; at += 500) {
        std::vector<int> all(count);
        std::iota(all.begin(), all.end(), 0);
        constexpr int undecided = count;
        std::vector<int> rank(count, undecided);
        rank[0] = 1; // Or it would find them sorted.
        rank[1] = 0;
        int decided = 2;
        int candidate = 0;
        long left = at;
        const auto comp = [&](int a, int b) {
            if (--left == 0) {
                throw std::runtime_error("a comparison failed");
            }
            int* const of_a = &rank[static_cast<std::size_t>(a)];
            int* const of_b = &rank[static_cast<std::size_t>(b)];
            if (*of_a == undecided && *of_b == undecided) {
                *(a == candidate ? of_a : of_b) = decided++;
            }
            if (*of_a == undecided) {
                candidate = a;
            } else if (*of_b == undecided) {
                candidate = b;
            }
            return *of_a < *of_b;
        };
        regatta::balanced_pool pool(1);
        try {
            pool.submit([&] { regatta::parallel_sort(all.begin(), all.end(), comp); }).get();
        } catch (const std::runtime_error&) {
        }
        std::sort(all.begin(), all.end());
        for (int i = 0; i < count; ++i) {
            ASSERT_EQ(all[static_cast<std::size_t>(i)], i) << at;
        }
    }
}

// … wherever a comparison throws.
TEST(fork_sort, a_comparison_that_throws_leaves_no_element_behind) {
    for (long at = 1; at < 40'000; at = at * 2 + 1) {
        auto input = some_living(3000);
        std::atomic<long> left{at};
        EXPECT_THROW(sorted_stably_by(input, throws_at<living>{left}), std::runtime_error) << at;
        EXPECT_EQ(living::count, input.size()) << at;
    }
}

TEST(fork_sort, a_comparison_of_strings_that_throws_leaves_them_valid) {
    std::vector<std::string> words;
    std::mt19937 random(11);
    for (int i = 0; i < 3000; ++i) {
        words.push_back("a word that is not short: " + std::to_string(random()));
    }
    for (long at = 1; at < 40'000; at = at * 2 + 1) {
        std::vector<std::string> sorted = words;
        std::atomic<long> left{at};
        try {
            sorted_by(sorted, throws_at<std::string>{left});
        } catch (const std::runtime_error&) {
            EXPECT_LE(left.load(), 0);
        }
        std::sort(sorted.begin(), sorted.end());
        EXPECT_TRUE(std::is_sorted(sorted.begin(), sorted.end()));
    }
}

#endif
