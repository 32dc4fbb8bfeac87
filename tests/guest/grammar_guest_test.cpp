// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// @file
/// The notation for CPU lists with the kernel as the judge: what a cpuset takes, and what it makes
/// of it.

#include "guest.hpp"

#include <regatta/cpu/cpu_set.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <random>
#include <string>
#include <string_view>

namespace {

using regatta::cpu_list_error;
using regatta::cpu_set;

/// A cpuset without tasks, to which lists are written.
class grammar : public testing::Test {
protected:
    void SetUp() override {
        ASSERT_EQ(guest::enable_controller("cpuset"), 0);
        ASSERT_TRUE(group_.made());
        width_ = regatta::detail::configured_cpus();
    }

    /// What the kernel reads; nothing where it refuses the text.
    std::optional<std::string> kernel_reads(std::string_view text) {
        return group_.set("cpuset.cpus", text) == 0 ? std::optional(group_.get("cpuset.cpus"))
                                                    : std::nullopt;
    }
    std::optional<std::string> we_read(std::string_view text) const {
        cpu_list_error error;
        const auto set = cpu_set::try_parse(text, width_, error);
        return set ? std::optional(set->to_string()) : std::nullopt;
    }

    guest::control_group group_{"/sys/fs/cgroup/grammar"};
    unsigned width_ = 0;
};

TEST_F(grammar, every_form_is_read_as_the_kernel_reads_it) {
    for (const std::string_view text :
         {"0-15:2/5", "1-10:3/3", "0-15:0/5", "N",      "0-N",     "2-N:N/N", "all",
          "ALL",      "aLl",      "all:1/2",  ",1,,2,", " 1 , 2 ", "1 2",     "01",
          "1,1,1",    "5,3,1",    "0",        "0-3,8",  "1,,,3-4", "N-N",     "0-7:1/2,8-15:2/4",
          "3-3",      "all,1"}) {
        const auto kernel = kernel_reads(text);
        EXPECT_TRUE(kernel) << "the kernel refuses '" << text << "'";
        EXPECT_EQ(kernel, we_read(text)) << "'" << text << "'";
    }
}

TEST_F(grammar, every_form_that_the_kernel_refuses_is_refused) {
    const std::string outside = std::to_string(width_);
    for (const std::string& text : {std::string("3-0"),
                                    std::string("0-15:5/2"),
                                    std::string("0-15:2/0"),
                                    std::string("0-15:2"),
                                    std::string("0-15/5"),
                                    std::string("n"),
                                    std::string("1-"),
                                    std::string("-1"),
                                    std::string("1--3"),
                                    std::string("1- 3"),
                                    std::string("1 -3"),
                                    std::string("0x3"),
                                    std::string("+1"),
                                    std::string("1;2"),
                                    std::string("none"),
                                    outside,
                                    "0-" + outside,
                                    std::string("4294967296"),
                                    std::string("4294967297"),
                                    std::string("12345678901234567890"),
                                    std::string("1.2"),
                                    std::string("al"),
                                    std::string("all1"),
                                    std::string("0-15:/2"),
                                    std::string("0-15:1/"),
                                    std::string("0:1/2x")}) {
        EXPECT_FALSE(kernel_reads(text)) << "the kernel takes '" << text << "'";
        EXPECT_FALSE(we_read(text)) << "'" << text << "'";
    }
}

/// Half of what it makes is valid, half has a place that is not.
class random_text {
public:
    random_text(std::uint32_t seed, unsigned width) : random_(seed), width_(width) {}

    std::string operator()() {
        std::string text;
        const std::size_t regions = below(4) + 1;
        for (std::size_t i = 0; i < regions; ++i) {
            static constexpr const char* separators[] = {",", " ", ",,", ", ", "\t"};
            text += i > 0 ? separators[below(5)] : "";
            text += region();
        }
        if (below(2) == 0) {
            static constexpr std::string_view letters = "0123456789,-:/ NnaAlLx+";
            const char letter = letters[below(letters.size())];
            const auto place = below(text.size());
            if (below(2) == 0) {
                text[place] = letter;
            } else {
                text.insert(place, 1, letter);
            }
        }
        return text;
    }

private:
    std::size_t below(std::size_t limit) { return random_() % limit; }
    std::string number(std::size_t limit) {
        return below(12) == 0 ? "N" : std::to_string(below(limit));
    }
    std::string region() {
        std::string text;
        if (below(8) == 0) {
            text = "all";
        } else {
            const auto first = below(width_);
            text = std::to_string(first);
            if (below(3) > 0) {
                text += "-" + (below(8) == 0 ? "N" : std::to_string(first + below(width_ - first)));
            }
        }
        if (text.size() > 2 && below(2) == 0) {
            const auto group = below(width_) + 1;
            text += ":" + number(group + 1) + "/" + std::to_string(group);
        }
        return text;
    }

    std::mt19937 random_;
    unsigned width_;
};

TEST_F(grammar, random_lists_are_read_as_the_kernel_reads_them) {
    constexpr std::uint32_t seed = 20231;
    random_text text(seed, width_);
    int taken = 0;
    for (int i = 0; i < 1500; ++i) {
        const std::string list = text();
        const auto kernel = kernel_reads(list);
        taken += kernel ? 1 : 0;
        ASSERT_EQ(kernel, we_read(list)) << "'" << list << "', number " << i << " of seed " << seed;
    }
    EXPECT_GT(taken, 300);
    EXPECT_LT(taken, 1400);
}

TEST(mask, masks_are_read_and_written_as_the_kernel_does) {
    const std::string file = "/proc/irq/default_smp_affinity";
    const std::string before = guest::read_text(file);
    const unsigned width = regatta::detail::configured_cpus();
    EXPECT_EQ(cpu_set::first(width).to_mask(width), before);
    std::mt19937 random(20231);
    for (int i = 0; i < 200; ++i) {
        cpu_set set;
        for (unsigned cpu = 0; cpu < width; ++cpu) {
            if (random() % 3 == 0) {
                set.insert(cpu);
            }
        }
        if (set.empty()) {
            continue; // The kernel wants at least one.
        }
        ASSERT_EQ(guest::write_text(file, set.to_mask(width)), 0);
        ASSERT_EQ(guest::read_text(file), set.to_mask(width));
        ASSERT_EQ(cpu_set::parse_mask(guest::read_text(file)), set);
    }
    for (const std::string_view text : {"1", "0001", "1,0", "F", "00f"}) {
        cpu_list_error error;
        const auto set = cpu_set::try_parse_mask(text, error);
        ASSERT_TRUE(set) << text;
        const bool kernel = guest::write_text(file, text) == 0;
        // What lies above the machine's last CPU the kernel refuses; a mask knows no machine.
        if (kernel) {
            EXPECT_EQ(guest::read_text(file), set->to_mask(width)) << text;
        } else {
            EXPECT_FALSE(cpu_set::first(width).contains(*set)) << text;
        }
    }
    for (const std::string_view text : {"g", "0x1", "1-2", "-1", "123456789"}) {
        cpu_list_error error;
        EXPECT_NE(guest::write_text(file, text), 0) << text;
        EXPECT_FALSE(cpu_set::try_parse_mask(text, error)) << text;
    }
    EXPECT_EQ(guest::write_text(file, before), 0);
}

} // namespace
