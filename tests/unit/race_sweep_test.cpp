// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "race_fakes.hpp"
#include "sampling/race.hpp"
#include "sampling/sweep.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <set>
#include <tuple>
#include <vector>

namespace race = regatta::race;
namespace fakes = regatta::race::fakes;
using testing::ElementsAre;

namespace {

/// The options with which a scheme was made: its workers, its chunk, its capacity.
using given = std::tuple<unsigned, std::size_t, std::size_t>;

/// A scheme that notes what it is made with.
race::scheme_info noting(std::set<given>& seen) {
    race::scheme_info made = fakes::info("noting", fakes::run_serially);
    made.make = [&seen, make = made.make](const race::scheme_options& options) {
        seen.emplace(options.workers, options.chunk, options.capacity);
        return make(options);
    };
    return made;
}

race::race_options short_race() {
    race::race_options options;
    options.work.size = 20;
    options.scheme = {.workers = 2, .chunk = 5, .capacity = 3};
    options.rounds = 1;
    options.shortest_sample = {};
    options.tries_again = 0;
    return options;
}

} // namespace

TEST(race_options, reach_the_schemes) {
    std::set<given> seen;
    const race::scheme_info scheme = noting(seen);
    race::race_control control;
    race::run_race(fakes::counting_info(), {{"noting", &scheme, false}}, short_race(), control, {});
    EXPECT_THAT(seen, ElementsAre(given(2, 5, 3)));
}

TEST(race_sweep, hands_each_cell_to_the_schemes) {
    std::set<given> seen;
    const race::scheme_info scheme = noting(seen);
    race::race_control control;
    const race::sweep_axes axes{.sizes = {}, .workers = {1, 2}, .chunks = {}, .capacities = {0, 9}};
    const auto result = race::run_sweep(fakes::counting_info(), {{"noting", &scheme, false}},
                                        short_race(), axes, control);
    EXPECT_EQ(result.cells.size(), 4u);
    EXPECT_THAT(seen, ElementsAre(given(1, 5, 0), given(1, 5, 9), given(2, 5, 0), given(2, 5, 9)));
}
