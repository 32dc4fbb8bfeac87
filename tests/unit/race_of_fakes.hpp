// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// What the tests of races have in common.

#include "race_fakes.hpp"
#include "sampling/race.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace regatta::race::fakes {

/// A race of fake schemes over the fake workload.
class race_of_fakes : public testing::Test {
protected:
    race_of_fakes() {
        options.work.size = 200;
        options.scheme.workers = 2;
        options.rounds = 7;
        options.shortest_sample = {}; // one run a sample
        options.tries_again = 0;      // whatever else runs here
    }

    void enter(scheme_info info, std::string alias = {}) {
        infos.push_back(std::make_unique<scheme_info>(std::move(info)));
        entrants.push_back(
            {alias.empty() ? std::string(infos.back()->name) : alias, infos.back().get(), false});
    }

    race_result run() {
        const workload_info workload = counting_info();
        return run_race(workload, entrants, options, control, observer);
    }

    std::vector<std::unique_ptr<scheme_info>> infos;
    std::vector<entrant> entrants;
    race_options options;
    race_control control;
    std::function<void(const progress&)> observer;
};

} // namespace regatta::race::fakes
