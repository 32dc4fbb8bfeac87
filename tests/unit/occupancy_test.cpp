// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

/// `occupancy` with one thread, against a plain list; its model test has the rest.

#include <regatta/pool/detail/occupancy.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace {

using regatta::std_atomics;
using regatta::detail::basic_occupancy;

template<unsigned Width>
std::vector<unsigned> shown(const basic_occupancy<std_atomics, Width>& map) {
    std::vector<unsigned> all;
    for (unsigned i = map.next(0); i < map.places(); i = map.next(i + 1)) {
        all.push_back(i);
    }
    return all;
}

/// Fills and empties places by chance.
template<unsigned Width>
void compare(unsigned places) {
    basic_occupancy<std_atomics, Width> map(places);
    EXPECT_EQ(map.places(), places);
    EXPECT_TRUE(shown(map).empty());
    std::vector<bool> filled(places);
    std::minstd_rand draw(places);
    for (int step = 0; step < 2000; ++step) {
        const unsigned place = static_cast<unsigned>(draw() % places);
        if (draw() % 2 == 0) {
            filled[place] = true;
            map.set(place);
        } else {
            // Half of the time it finds the place filled after all.
            filled[place] = filled[place] && draw() % 2 == 0;
            map.clear_unless(place, [&] { return bool(filled[place]); });
        }
        std::vector<unsigned> expected;
        for (unsigned i = 0; i < places; ++i) {
            if (filled[i]) {
                expected.push_back(i);
            }
        }
        ASSERT_EQ(shown(map), expected) << places << " places, step " << step;
        const unsigned from = static_cast<unsigned>(draw() % places);
        const auto after = std::lower_bound(expected.begin(), expected.end(), from);
        ASSERT_EQ(map.next(from), after == expected.end() ? places : *after);
    }
}

TEST(occupancy, shows_the_places_that_are_filled) {
    for (const unsigned places : {1u, 2u, 31u, 32u, 33u, 64u, 256u, 1025u}) {
        compare<32>(places);
    }
}

TEST(occupancy, has_as_many_levels_as_it_needs) {
    for (const unsigned places : {1u, 2u, 3u, 4u, 5u, 8u, 9u, 33u}) {
        compare<2>(places);
    }
}

TEST(occupancy, without_places_shows_none) {
    const basic_occupancy<std_atomics> map(0);
    EXPECT_EQ(map.next(0), 0u);
}

} // namespace
