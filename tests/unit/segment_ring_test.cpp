// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "support/eventually.hpp"

#include <regatta/base/config.hpp>
#include <regatta/bus/detail/lowest_free.hpp>
#include <regatta/bus/detail/segment_ring.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <thread>
#include <vector>

namespace {

using ring_type = regatta::detail::segment_ring<std::uint64_t, std::uint8_t>;

struct tagged {
    std::uint64_t value;
    unsigned tag;
    bool operator==(const tagged&) const = default;
};

std::vector<tagged> take(ring_type& ring, std::size_t max) {
    std::vector<tagged> all;
    ring.consume(max, [&](std::uint64_t& value, unsigned tag) { all.push_back({value, tag}); });
    return all;
}

std::size_t fill(ring_type& ring, std::size_t count, std::uint64_t from, std::uint8_t tag) {
    return ring.try_fill(count, tag, [&](auto& cell, std::size_t i) { cell.emplace(from + i); });
}

} // namespace

TEST(lowest_free, gives_out_the_lowest_that_nobody_has) {
    regatta::detail::lowest_free numbers(200);
    for (std::size_t i = 0; i < 200; ++i) {
        ASSERT_EQ(numbers.take(), i);
    }
    for (const std::size_t back : {150u, 63u, 64u, 3u, 199u}) {
        numbers.give(back);
    }
    for (const std::size_t next : {3u, 63u, 64u, 150u, 199u}) {
        EXPECT_EQ(numbers.take(), next);
    }
    EXPECT_EQ(numbers.used(), 200u);
}

TEST(segment_ring, capacity_is_rounded_up_to_a_power_of_two) {
    EXPECT_EQ(ring_type(0).capacity(), 1u);
    EXPECT_EQ(ring_type(5).capacity(), 8u);
    EXPECT_EQ(ring_type(1024).capacity(), 1024u);
}

TEST(segment_ring, a_segment_is_four_kilobytes_but_at_most_a_quarter_of_the_ring) {
    EXPECT_EQ(ring_type::segment_for(1), 1u);
    EXPECT_EQ(ring_type::segment_for(7), 2u);
    EXPECT_EQ(ring_type::segment_for(1024), 256u);
    EXPECT_EQ(ring_type::segment_for(1 << 20), 512u);
    struct large {
        char bytes[10'000];
    };
    EXPECT_EQ((regatta::detail::segment_ring<large, std::uint8_t>::segment_for(1024)), 4u);
}

// I1, at each place within a segment: the bound is the capacity, not that of whole segments.
TEST(segment_ring, holds_exactly_its_capacity_wherever_it_begins) {
    for (const std::size_t segment : {1u, 2u, 4u, 8u}) {
        ring_type ring(8, segment);
        std::uint64_t next = 0;
        for (int round = 0; round < 40; ++round) {
            std::vector<tagged> expected;
            while (ring.try_emplace(static_cast<std::uint8_t>(next % 3), next)) {
                expected.push_back({next, static_cast<unsigned>(next % 3)});
                ++next;
            }
            ASSERT_EQ(expected.size(), 8u);
            ASSERT_EQ(ring.free_slots(1), 0u);
            ASSERT_EQ(take(ring, 100), expected);
            ASSERT_TRUE(ring.try_emplace(1, next));
            ASSERT_EQ(take(ring, 1), (std::vector<tagged>{{next, 1}}));
            ++next;
        }
    }
}

TEST(segment_ring, fills_as_much_as_there_is_room_for) {
    ring_type ring(8, 2);
    EXPECT_EQ(fill(ring, 0, 0, 7), 0u);
    EXPECT_EQ(fill(ring, 5, 0, 7), 5u);
    EXPECT_EQ(fill(ring, 5, 5, 9), 3u);
    EXPECT_EQ(fill(ring, 1, 8, 9), 0u);
    EXPECT_EQ(take(ring, 3), (std::vector<tagged>{{0, 7}, {1, 7}, {2, 7}}));
    EXPECT_EQ(fill(ring, 100, 8, 1), 3u);
    EXPECT_EQ(
        take(ring, 100),
        (std::vector<tagged>{{3, 7}, {4, 7}, {5, 9}, {6, 9}, {7, 9}, {8, 1}, {9, 1}, {10, 1}}));
    EXPECT_EQ(ring.published(), 11u);
    EXPECT_EQ(ring.consumed(), 11u);
    EXPECT_EQ(ring.size(), 0u);
}

TEST(segment_ring, publishes_a_filling_at_once) {
    ring_type ring(8, 2);
    ring.try_fill(5, 0, [&](auto& cell, std::size_t) {
        cell.emplace(0u);
        EXPECT_EQ(ring.published(), 0u);
        EXPECT_FALSE(ring.ready());
    });
    EXPECT_EQ(ring.published(), 5u);
}

TEST(segment_ring, admits_below_a_limit) {
    ring_type ring(8, 2);
    EXPECT_FALSE(ring.has_room_below(0));
    EXPECT_EQ(fill(ring, 2, 0, 0), 2u);
    EXPECT_TRUE(ring.has_room_below(3));
    EXPECT_FALSE(ring.has_room_below(2));
    EXPECT_EQ(take(ring, 1).size(), 1u);
    EXPECT_TRUE(ring.has_room_below(2));
    EXPECT_EQ(fill(ring, 7, 2, 0), 7u);
    EXPECT_FALSE(ring.has_room_below(7));
    EXPECT_TRUE(ring.has_room_below(8)); // As far as this limit goes.
}

TEST(segment_ring, announces_an_attempt_before_it_asks_whether_to_admit_it) {
    ring_type ring(8, 2);
    EXPECT_FALSE(ring.publishing());
    const auto refuse = [&]() noexcept {
        EXPECT_TRUE(ring.publishing());
        return false;
    };
    const auto admit = [&]() noexcept { return !refuse(); };
    EXPECT_FALSE(ring.try_emplace_if(refuse, 0, 0u));
    EXPECT_FALSE(ring.publishing());
    EXPECT_TRUE(ring.try_emplace_if(admit, 0, 0u));
    EXPECT_FALSE(ring.publishing());
    const auto build = [&](auto& cell, std::size_t i) {
        EXPECT_TRUE(ring.publishing());
        cell.emplace(i);
    };
    EXPECT_EQ(ring.try_fill_if(refuse, 3, 0, build), 0u);
    EXPECT_FALSE(ring.publishing());
    EXPECT_EQ(ring.try_fill_if(admit, 1, 0, build), 1u);
    EXPECT_EQ(ring.try_fill_if(admit, 3, 0, build), 3u);
    EXPECT_FALSE(ring.publishing());
    EXPECT_EQ(ring.size(), 5u);
}

// "A stream with a short backlog stays in the same two or three segments, whatever the capacity."
TEST(segment_ring, uses_no_more_segments_than_the_backlog_needs) {
    ring_type ring(1024, 16);
    for (std::uint64_t i = 0; i < 10'000; i += 20) {
        ASSERT_EQ(fill(ring, 20, i, 0), 20u);
        ASSERT_EQ(take(ring, 100).size(), 20u);
    }
    EXPECT_LE(ring.segments_used(), 3u);
}

// "A longer backlog takes more segments. They fall out of use when it shrinks."
TEST(segment_ring, leaves_the_upper_segments_after_a_long_backlog) {
    ring_type ring(1024, 16);
    std::vector<const std::uint64_t*> at;
    ASSERT_EQ(fill(ring, 1024, 0, 0), 1024u);
    const std::uint64_t* lowest = nullptr;
    ring.consume(1024, [&](std::uint64_t& value, unsigned) {
        lowest = lowest == nullptr || &value < lowest ? &value : lowest;
    });
    EXPECT_EQ(ring.segments_used(), 64u);
    const std::uint64_t* highest = nullptr;
    for (std::uint64_t i = 0; i < 10'000; i += 20) {
        ASSERT_EQ(fill(ring, 20, i, 0), 20u);
        ring.consume(100, [&](std::uint64_t& value, unsigned) {
            highest = &value > highest ? &value : highest;
        });
    }
    EXPECT_LT(highest - lowest, 3 * 16);
}

TEST(segment_ring, gives_room_back_during_a_long_batch) {
    ring_type ring(256);
    ASSERT_EQ(fill(ring, 256, 0, 0), 256u);
    ring.consume(256, [&](std::uint64_t& value, unsigned) {
        EXPECT_EQ(ring.consumed(), value);
        const std::size_t told = ring.free_slots(256);
        EXPECT_LE(told, value);      // Not yet the cell in use,
        EXPECT_GT(told + 64, value); // but all others soon,
        if (value == 250) {          // or at once for who looks closely.
            ring.look_closely();
            EXPECT_EQ(ring.free_slots(256), 250u);
        }
    });
}

TEST(segment_ring, carries_elements_from_one_thread_to_another) {
    ring_type ring(64, 8);
    constexpr std::uint64_t count = 20'000;
    std::thread producer([&] {
        for (std::uint64_t i = 0; i < count;) {
            if (i % 7 == 0) {
                i += fill(ring, std::min<std::uint64_t>(5, count - i), i,
                          static_cast<std::uint8_t>(i % 5));
            } else if (ring.try_emplace(9, i)) {
                ++i;
            } else {
                std::this_thread::yield();
            }
        }
    });
    std::uint64_t expected = 0;
    library_test::await([&] {
        ring.consume(50, [&](std::uint64_t& value, unsigned tag) {
            EXPECT_EQ(value, expected);
            EXPECT_TRUE(tag == 9 || tag < 5);
            ++expected;
        });
        return expected == count;
    });
    producer.join();
}

#if REGATTA_EXCEPTIONS
TEST(segment_ring, an_element_whose_use_throws_counts_as_consumed) {
    ring_type ring(8, 2);
    ASSERT_EQ(fill(ring, 5, 0, 0), 5u);
    const auto use = [](std::uint64_t& value, unsigned) {
        if (value == 1) {
            throw std::runtime_error("as asked");
        }
    };
    EXPECT_THROW(ring.consume(5, use), std::runtime_error);
    EXPECT_EQ(ring.consumed(), 2u);
    EXPECT_EQ(take(ring, 8), (std::vector<tagged>{{2, 0}, {3, 0}, {4, 0}}));
}

TEST(segment_ring, elements_built_before_a_construction_that_throws_are_published) {
    ring_type ring(8, 2);
    for (std::uint64_t fault = 0; fault < 5; ++fault) {
        const auto build = [&](auto& cell, std::size_t i) {
            if (i == fault) {
                throw std::runtime_error("as asked");
            }
            cell.emplace(i);
        };
        EXPECT_THROW(ring.try_fill(5, 3, build), std::runtime_error);
        EXPECT_EQ(ring.size(), fault);
        EXPECT_EQ(take(ring, 8).size(), fault);
        EXPECT_EQ(fill(ring, 8, 0, 0), 8u); // No cell is lost.
        EXPECT_EQ(take(ring, 8).size(), 8u);
    }
}
#endif
