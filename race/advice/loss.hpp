// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What is lost when several workers do what one did, and in what.

#include "advice/advice.hpp"

#include <optional>
#include <string>
#include <vector>

namespace regatta::race {

/// The loss with one number of workers, by a measurement of scaling or, without one, by a race.
struct loss {
    unsigned workers = 0;
    double efficiency = 0; ///< 1: nothing is lost.
    double noise = 0;      ///< Below that nothing can be told.
    /// What the items cost, over what they cost alone.
    double items_ratio = 1;
    /// How much of the loss is the items' own, 0…1; absent: it is not known.
    std::optional<double> items_share;
    std::optional<figure> clock_alone;
    std::optional<figure> clock_together;
    std::optional<figure> cpu_share_alone; ///< Of the items' time.
    std::optional<figure> cpu_share_together;
    std::vector<cited_figure> figures; ///< Behind all of these.

    // Where the workers of `scheme` wait, if a race with as many workers shows it.
    std::string scheme;
    std::string largest_wait;       ///< "set_up"; empty: not known.
    std::string largest_wait_words; ///< To follow "goes ".
    double largest_wait_share = 0;
    std::optional<figure> largest_wait_ns;
};

/// The loss with the most workers that have a CPU each; absent where nothing tells it.
/// @param scheme whose race is looked at; absent: there is none.
std::optional<loss> loss_of(const evidence& all, const std::optional<std::string>& scheme);

} // namespace regatta::race
