// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include <regatta/base/detail/word_copy.hpp>
#include <regatta/sync/mpsc_ring.hpp>
#include <regatta/sync/spsc_ring.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace {

using regatta::detail::construct_by_words;
using regatta::detail::construct_value;
using regatta::detail::copied_by_words;

template<std::size_t Count>
using longs = std::array<std::uint64_t, Count>;

struct with_padding {
    double first;
    char second;
    std::uint32_t third;
};
struct without_default {
    explicit without_default(int value) : it(value) {}
    const int it;
    int* operator&() const = delete;
};

template<class T>
void expect_a_copy(const T& from) {
    static_assert(copied_by_words<T>);
    struct {
        alignas(T) unsigned char bytes[sizeof(T)];
        unsigned char behind = 77;
    } to;
    construct_by_words(to.bytes, from);
    EXPECT_EQ(*reinterpret_cast<const T*>(to.bytes), from);
    EXPECT_EQ(to.behind, 77);
}

} // namespace

TEST(word_copy, is_for_small_plain_values_of_words) {
    EXPECT_TRUE(copied_by_words<int>);
    EXPECT_TRUE(copied_by_words<longs<8>>);
    EXPECT_TRUE(copied_by_words<with_padding>);
    EXPECT_TRUE(copied_by_words<without_default>);
    EXPECT_FALSE(copied_by_words<longs<9>>);
    EXPECT_FALSE(copied_by_words<char>);
    EXPECT_FALSE((copied_by_words<std::array<short, 4>>));
    EXPECT_FALSE(copied_by_words<std::string>);
}

TEST(word_copy, makes_copies) {
    expect_a_copy(-5);
    expect_a_copy(1.5);
    expect_a_copy(std::array<std::uint32_t, 3>{1, 2, 3});
    expect_a_copy(longs<1>{1});
    expect_a_copy(longs<3>{1, ~std::uint64_t{0}, 3});
    expect_a_copy(longs<8>{1, 2, 3, 4, 5, 6, 7, ~std::uint64_t{8}});

    alignas(with_padding) unsigned char at[sizeof(with_padding)];
    construct_by_words(at, with_padding{2.5, 'x', 7});
    const auto& padded = *reinterpret_cast<const with_padding*>(at);
    EXPECT_EQ(padded.first, 2.5);
    EXPECT_EQ(padded.second, 'x');
    EXPECT_EQ(padded.third, 7u);

    alignas(without_default) unsigned char other[sizeof(without_default)];
    construct_by_words(other, without_default(9));
    EXPECT_EQ(reinterpret_cast<const without_default*>(other)->it, 9);
}

TEST(word_copy, constructs_any_value) {
    longs<2> plain;
    const longs<2> from{1, 2};
    construct_value<longs<2>>(&plain, from);
    EXPECT_EQ(plain, from);
    construct_value<longs<2>>(&plain, longs<2>{3, 4});
    EXPECT_EQ(plain, (longs<2>{3, 4}));
    construct_value<longs<2>>(&plain);
    double number = 0;
    construct_value<double>(&number, 5); // Another type: a conversion, and no copy.
    EXPECT_EQ(number, 5.0);

    alignas(std::string) unsigned char at[sizeof(std::string)];
    std::string text(100, 'x');
    construct_value<std::string>(at, std::move(text));
    auto& moved = *reinterpret_cast<std::string*>(at);
    EXPECT_EQ(moved, std::string(100, 'x'));
    std::destroy_at(&moved);
    construct_value<std::string>(at, 3u, 'y');
    EXPECT_EQ(moved, "yyy");
    std::destroy_at(&moved);
}

namespace {

struct only_moved {
    std::uint64_t value;
    only_moved(only_moved&&) = default;
    only_moved(const only_moved&) = delete;
};
struct other_for_variables {
    std::uint64_t how = 0;
    other_for_variables() = default;
    other_for_variables(const other_for_variables&) = default;
    template<class T>
    requires(std::is_same_v<T, other_for_variables&>) other_for_variables(T&&) : how(1) {}
};

} // namespace

TEST(word_copy, is_made_where_a_copy_is_one_of_the_bytes) {
    using regatta::detail::is_plain_copy;
    EXPECT_TRUE((is_plain_copy<int, int>));
    EXPECT_TRUE((is_plain_copy<int, int&>));
    EXPECT_TRUE((is_plain_copy<int, const int&>));
    EXPECT_FALSE((is_plain_copy<int, volatile int&>));
    EXPECT_FALSE((is_plain_copy<int, long>));
    EXPECT_TRUE((is_plain_copy<only_moved, only_moved>));
    EXPECT_FALSE((is_plain_copy<only_moved, only_moved&>));
    EXPECT_FALSE((is_plain_copy<only_moved, const only_moved&>));
    EXPECT_TRUE((is_plain_copy<other_for_variables, const other_for_variables&>));
    EXPECT_FALSE((is_plain_copy<other_for_variables, other_for_variables&>));

    volatile int number = 7;
    int to = 0;
    construct_value<int>(&to, number);
    EXPECT_EQ(to, 7);
}

// "-Wall -Werror" of a program: what nobody has set is copied without a warning.
TEST(word_copy, says_nothing_of_words_that_nobody_has_set) {
    regatta::spsc_ring<std::optional<std::uint64_t>> optionals(4);
    EXPECT_TRUE(optionals.try_emplace(std::optional<std::uint64_t>{}));
    struct text {
        std::uint32_t length;
        char bytes[28];
    };
    regatta::spsc_ring<text> texts(4);
    text one;
    one.length = 2;
    one.bytes[0] = 'o';
    one.bytes[1] = 'k';
    EXPECT_TRUE(texts.try_emplace(one));
    texts.consume(1, [](const text& t) { EXPECT_EQ(std::string(t.bytes, t.length), "ok"); });
    optionals.consume(1, [](const std::optional<std::uint64_t>& o) { EXPECT_FALSE(o); });
}

TEST(word_copy, leaves_elements_that_are_const_possible) {
    regatta::spsc_ring<const int> numbers(4);
    regatta::mpsc_ring<const std::string> texts(4);
    EXPECT_TRUE(numbers.try_emplace(5));
    EXPECT_TRUE(texts.try_emplace(std::string("five")));
    numbers.consume(1, [](const int& n) { EXPECT_EQ(n, 5); });
    texts.consume(1, [](const std::string& t) { EXPECT_EQ(t, "five"); });
}
