// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include <regatta/cpu/cpu_set.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using regatta::cpu_list_error;
using regatta::cpu_set;

struct accepted {
    const char* text;
    const char* means;
};

// For 16 CPUs, as a kernel with 16 CPUs reads them.
const accepted accepted_by_the_kernel[] = {
    {"0-15:2/5", "0-1,5-6,10-11,15"},
    {"1-10:3/3", "1-10"},
    {"0-15:0/5", ""},
    {"N", "15"},
    {"0-N", "0-15"},
    {"2-N:N/N", "2-15"},
    {"all", "0-15"},
    {"ALL", "0-15"},
    {"aLl", "0-15"},
    {"all:1/2", "0,2,4,6,8,10,12,14"},
    {",1,,2,", "1-2"},
    {" 1 , 2 ", "1-2"},
    {"1 2", "1-2"},
    {"01", "1"},
    {"1,1,1", "1"},
    {"5,3,1", "1,3,5"},
    {"", ""},
    {"0-3\n", "0-3"},
    {"0-7:1/2,N", "0,2,4,6,15"},
    {"1,2,10-15:2/3", "1-2,10-11,13-14"},
    {"3-3", "3"},
    {"0-15:2/4294967295", "0-1"},
};

struct refused {
    const char* text;
    std::size_t position;
    const char* reason;
};

const refused refused_by_the_kernel[] = {
    {"3-0", 0, "a range must rise"},
    {"0-15:5/2", 5, "a group of 2 has no 5 CPUs"},
    {"0-15:2/0", 7, "at least 1 CPU"},
    {"0-15:2", 6, "expected '/'"},
    {"0-15/5", 4, "expected ':'"},
    {"n", 0, "expected a CPU number"},
    {"1-", 2, "found the end"},
    {"-1", 0, "found '-'"},
    {"1--3", 2, "found '-'"},
    {"1- 3", 2, "found ' '"},
    {"1 -3", 2, "found '-'"},
    {"0x3", 1, "found 'x'"},
    {"+1", 0, "found '+'"},
    {"1;2", 1, "found ';'"},
    {"none", 0, "found 'n'"},
    {"16", 0, "the last is 15"},
    {"0-16", 0, "the last is 15"},
    {"4294967296", 0, "32 bits"},
    {"99999999999999999999", 0, "32 bits"},
    {"5,1,3-", 6, "the last CPU of the range"},
    {"0-15:/5", 5, "how many CPUs"},
    {"0-15:2/", 7, "the size of a group"},
    {"all-3", 3, "expected ':'"},
    {"0\n1", 2, "after the end of the line"},
    {"\x01", 0, "a byte of value 1"},
};

} // namespace

TEST(cpu_set, reads_what_the_kernel_reads) {
    for (const auto& example : accepted_by_the_kernel) {
        cpu_list_error error;
        const auto set = cpu_set::try_parse(example.text, 16, error);
        ASSERT_TRUE(set.has_value()) << error.message(example.text);
        EXPECT_EQ(set->to_string(), example.means) << "of '" << example.text << "'";
    }
}

TEST(cpu_set, refuses_what_the_kernel_refuses_and_says_where) {
    for (const auto& example : refused_by_the_kernel) {
        cpu_list_error error;
        const auto set = cpu_set::try_parse(example.text, 16, error);
        ASSERT_FALSE(set.has_value()) << "'" << example.text << "' is " << set->to_string();
        EXPECT_EQ(error.position, example.position) << "in '" << example.text << "'";
        EXPECT_NE(error.reason.find(example.reason), std::string::npos) << error.reason;
    }
}

TEST(cpu_set, refuses_a_zero_byte) {
    cpu_list_error error;
    EXPECT_FALSE(cpu_set::try_parse(std::string_view("1\0002", 3), 16, error).has_value());
    EXPECT_EQ(error.position, 1u);
}

TEST(cpu_set, reads_large_machines) {
    cpu_list_error error;
    const auto set = cpu_set::try_parse("1,2,10-20,100-2000:2/25", 4096, error);
    ASSERT_TRUE(set.has_value()) << error.reason;
    EXPECT_EQ(set->count(), 2u + 11u + 2u * 76u + 1u);
    EXPECT_TRUE(set->contains(2000));
    EXPECT_TRUE(set->contains(1976));
    EXPECT_FALSE(set->contains(1977 + 1));
}

TEST(cpu_set, reads_without_a_width_what_names_its_numbers) {
    cpu_list_error error;
    const auto large = cpu_set::try_parse("5000-5001", error);
    ASSERT_TRUE(large.has_value()) << error.reason;
    EXPECT_EQ(large->to_string(), "5000-5001");
    EXPECT_FALSE(cpu_set::try_parse("4294967295", error).has_value());
}

TEST(cpu_set, reads_all_as_this_machine) {
    cpu_list_error error;
    const auto all = cpu_set::try_parse("all", error);
    ASSERT_TRUE(all.has_value()) << error.reason;
    EXPECT_EQ(*all, cpu_set::first(regatta::detail::configured_cpus()));
    const auto last = cpu_set::try_parse("N", error);
    ASSERT_TRUE(last.has_value()) << error.reason;
    EXPECT_EQ(*last, cpu_set{regatta::detail::configured_cpus() - 1});
}

TEST(cpu_set, refuses_a_width_out_of_range) {
    cpu_list_error error;
    EXPECT_FALSE(cpu_set::try_parse("0", 0, error).has_value());
    EXPECT_FALSE(cpu_set::try_parse("0", cpu_set::max_width + 1, error).has_value());
    EXPECT_TRUE(cpu_set::try_parse("N", cpu_set::max_width, error).has_value());
}

TEST(cpu_set, prints_what_it_reads_again) {
    for (const auto& example : accepted_by_the_kernel) {
        cpu_list_error error;
        const auto set = cpu_set::try_parse(example.text, 16, error);
        const auto again = cpu_set::try_parse(set->to_string(), 16, error);
        ASSERT_TRUE(again.has_value());
        EXPECT_EQ(*again, *set);
    }
}

TEST(cpu_set, is_a_set) {
    const cpu_set a{0, 1, 2, 100};
    const cpu_set b{2, 3, 200};
    EXPECT_EQ((a | b).to_string(), "0-3,100,200");
    EXPECT_EQ((a & b).to_string(), "2");
    EXPECT_EQ((a - b).to_string(), "0-1,100");
    EXPECT_EQ((b - a).to_string(), "3,200");
    EXPECT_TRUE((a - a).empty());
    EXPECT_EQ(a - a, cpu_set());
    EXPECT_EQ((a & cpu_set{0}), cpu_set{0});
    EXPECT_TRUE(a.contains(cpu_set{0, 100}));
    EXPECT_FALSE(a.contains(cpu_set{0, 101}));
    EXPECT_FALSE(a.contains(cpu_set{0, 5000}));
    EXPECT_TRUE(a.contains(cpu_set()));
    EXPECT_EQ(a.count(), 4u);
    EXPECT_TRUE(a.contains(100u));
    EXPECT_FALSE(a.contains(99u));
    EXPECT_FALSE(a.contains(cpu_set::max_width));
}

TEST(cpu_set, forgets_what_is_erased) {
    cpu_set set{1, 500};
    set.erase(500);
    set.erase(77);
    EXPECT_EQ(set, cpu_set{1});
    EXPECT_EQ(set.words().size(), 1u);
    set.erase(1);
    EXPECT_TRUE(set.empty());
    EXPECT_EQ(set.to_string(), "");
}

TEST(cpu_set, is_visited_in_rising_order) {
    const cpu_set set{300, 0, 63, 64, 65, 127};
    EXPECT_EQ(std::vector<unsigned>(set.begin(), set.end()),
              (std::vector<unsigned>{0, 63, 64, 65, 127, 300}));
    const cpu_set none;
    EXPECT_EQ(none.begin(), none.end());
}

TEST(cpu_set, converts_to_the_words_of_a_mask_and_back) {
    const cpu_set set{0, cpu_set::bits_per_word, cpu_set::bits_per_word + 3};
    ASSERT_EQ(set.words().size(), 2u);
    EXPECT_EQ(set.words()[0], 1ul);
    EXPECT_EQ(set.words()[1], 9ul);
    const unsigned long words[] = {1, 9, 0, 0};
    EXPECT_EQ(cpu_set::from_words(words), set);
}

TEST(cpu_set, reads_masks_as_the_kernel_does) {
    const accepted masks[] = {
        {"3", "0-1"},
        {"ff,00000001", "0,32-39"},
        {"00000000,00000002", "1"},
        {"1,1", "0,32"},
        {"A", "1,3"},
        {"aA", "1,3,5,7"},
        {",1,", "0"},
        {" 1 ", "0"},
        {"1 0", "32"},
        {"1,,2", "1,32"},
        {"0,0,0,1", "0"},
        {"ffffffff", "0-31"},
        {"80000000,00000000", "63"},
        {"", ""},
        {"0", ""},
        {"3\n", "0-1"},
    };
    for (const auto& example : masks) {
        cpu_list_error error;
        const auto set = cpu_set::try_parse_mask(example.text, error);
        ASSERT_TRUE(set.has_value()) << "'" << example.text << "' " << error.reason;
        EXPECT_EQ(set->to_string(), example.means) << "of '" << example.text << "'";
    }
}

TEST(cpu_set, refuses_wrong_masks_and_says_where) {
    const refused masks[] = {
        {"0x1", 1, "expected a hexadecimal digit, ',' or the end, found 'x'"},
        {"g", 0, "found 'g'"},
        {"-1", 0, "found '-'"},
        {"1;", 1, "found ';'"},
        {"100000001", 0, "at most 8 digits"},
        {"1,000000001", 2, "at most 8 digits"},
        {"1\n2", 2, "after the end of the line"},
        {"1,\x7f", 2, "a byte of value 127"},
    };
    for (const auto& example : masks) {
        cpu_list_error error;
        const auto set = cpu_set::try_parse_mask(example.text, error);
        ASSERT_FALSE(set.has_value()) << "'" << example.text << "' is " << set->to_string();
        EXPECT_EQ(error.position, example.position) << "in '" << example.text << "'";
        EXPECT_NE(error.reason.find(example.reason), std::string::npos) << error.reason;
    }
}

TEST(cpu_set, refuses_a_mask_wider_than_any_machine) {
    std::string text = "1";
    for (unsigned group = 0; group < cpu_set::max_width / 32; ++group) {
        text += ",0";
    }
    cpu_list_error error;
    EXPECT_FALSE(cpu_set::try_parse_mask(text, error).has_value());
    EXPECT_NE(error.reason.find("out of range"), std::string::npos) << error.reason;
    text[0] = '0';
    EXPECT_TRUE(cpu_set::try_parse_mask(text, error).has_value());
}

TEST(cpu_set, prints_masks) {
    EXPECT_EQ((cpu_set{0, 3}).to_mask(), "9");
    EXPECT_EQ((cpu_set{0, 3, 64}).to_mask(), "1,00000000,00000009");
    EXPECT_EQ((cpu_set{31}).to_mask(), "80000000");
    EXPECT_EQ((cpu_set{32}).to_mask(), "1,00000000");
    EXPECT_EQ(cpu_set().to_mask(), "0");
    EXPECT_EQ((cpu_set{0}).to_mask(8), "01"); // As machines of that width write it.
    EXPECT_EQ((cpu_set{0}).to_mask(32), "00000001");
    EXPECT_EQ((cpu_set{0}).to_mask(40), "00,00000001");
    EXPECT_EQ((cpu_set{9}).to_mask(2), "200");
}
