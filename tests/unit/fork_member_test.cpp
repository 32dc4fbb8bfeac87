// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include <regatta/core/detail/fork_member.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>

namespace {

using member = regatta::detail::basic_fork_member<regatta::std_atomics>;
using frame = member::frame;

constexpr frame::site nothing{[](frame&) noexcept {}, nullptr, nullptr};

struct work : frame {
    work() : frame(nothing) {}
};

/// Has published as many frames as there are places.
struct full_member {
    full_member() {
        for (work& w : all) {
            m.publish(w, m.free_place(), nullptr, nullptr);
        }
    }
    member m;
    std::array<work, member::places> all;
};

TEST(fork_member, has_no_free_place_once_all_hold_a_frame) {
    full_member f;
    EXPECT_EQ(f.m.free_place(), member::places);
}

TEST(fork_member, has_the_place_of_a_frame_that_its_owner_took_back) {
    full_member f;
    EXPECT_TRUE(f.m.reclaim(f.all[3]));
    EXPECT_EQ(f.m.free_place(), 3U);
}

TEST(fork_member, finds_the_place_of_a_frame_that_another_thread_took) {
    full_member f;
    EXPECT_EQ(f.m.take(nullptr), &f.all[0]);
    EXPECT_FALSE(f.m.reclaim(f.all[0]));
    EXPECT_EQ(f.m.free_place(), 0U);
}

TEST(fork_member, looks_for_places_that_others_emptied_once_it_knows_of_none) {
    full_member f;
    EXPECT_EQ(f.m.take(nullptr), &f.all[0]);
    EXPECT_TRUE(f.m.reclaim(f.all[5]));
    EXPECT_EQ(f.m.free_place(), 5U);
    f.m.publish(f.all[5], 5, nullptr, nullptr);
    EXPECT_EQ(f.m.free_place(), 0U);
}

TEST(fork_member, keeps_the_place_of_a_frame_that_came_after_one_that_was_taken) {
    full_member f;
    EXPECT_EQ(f.m.take(nullptr), &f.all[0]);
    work next;
    f.m.publish(next, f.m.free_place(), nullptr, nullptr);
    EXPECT_FALSE(f.m.reclaim(f.all[0])) << "its place holds another frame";
    EXPECT_EQ(f.m.free_place(), member::places);
    EXPECT_EQ(f.m.take(nullptr), &next);
}

TEST(fork_member, is_asked_in_a_region_alone) {
    member m;
    const int region = 0;
    std::int64_t now = 1'000'000'000;
    m.answer(now);
    m.ask(now += member::pace_ns);
    EXPECT_EQ(m.beat().load(), 0U) << "it has nothing to give";
    m.begin(&region);
    m.ask(now - 1);
    EXPECT_EQ(m.beat().load(), 0U) << "it has just answered";
    m.ask(now);
    EXPECT_EQ(m.beat().load(), member::request::wanted);
}

TEST(fork_member, forgets_a_request_unless_it_has_never_answered) {
    member m;
    m.demand();
    m.forget_request();
    EXPECT_EQ(m.beat().load(), member::request::wanted);
    m.answer(1'000'000'000);
    m.demand();
    m.forget_request();
    EXPECT_EQ(m.beat().load(), 0U);
}

} // namespace
