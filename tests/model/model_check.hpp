// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Runs the model tests of one primitive: they must pass, and each mutant must fail one of them.

#include "model_atomics.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <ostream>
#include <set>
#include <streambuf>
#include <string>
#include <vector>

namespace model {

/// One scenario: a name and a way to run it under the checker for a number of interleavings.
struct scenario {
    std::string name;
    std::function<bool(rl::iteration_t count, std::ostream& out)> passes;
};

/// The scenario of a relacy test suite, whose interleavings are drawn at random.
template<class Suite>
scenario make_scenario(std::string name) {
    return {std::move(name), [](rl::iteration_t count, std::ostream& out) {
                rl::test_params parameters;
                parameters.iteration_count = count;
                parameters.search_type = rl::random_scheduler_type;
                parameters.execution_depth_limit = 10'000;
                parameters.output_stream = &out;
                parameters.progress_stream = &out;
                return rl::simulate<Suite>(parameters);
            }};
}

class null_buffer : public std::streambuf {
    int overflow(int c) override { return c; }
};

inline std::string name_of(operation kind) {
    switch (kind) {
    case operation::load:
        return "load";
    case operation::store:
        return "store";
    case operation::modify:
        return "modify";
    case operation::fence:
        return "fence";
    case operation::wake:
        break;
    }
    return "wake";
}

/// Checks the scenarios of a primitive and all its mutants.
///
/// @param files the headers whose operations are mutated.
/// @param beyond operations ("store enter": the stores of a function) whose mutants the checker
/// cannot tell from the original, and why; they are named as skipped.
/// @returns the exit status of the test program.
inline int check(const std::vector<scenario>& scenarios, const std::set<std::string>& files,
                 const std::map<std::string, std::string>& beyond = {}) {
    const char* const wish = std::getenv("REGATTA_MODEL_ITERATIONS");
    const rl::iteration_t count = wish != nullptr ? std::strtoull(wish, nullptr, 10) : 100'000;
    int passed = 0;
    int failed = 0;
    const auto report = [&](bool ok, const std::string& what) {
        std::printf("%s  %s\n", ok ? "ok    " : "FAILED", what.c_str());
        std::fflush(stdout);
        ++(ok ? passed : failed);
    };

    null_buffer nowhere;
    std::ostream quiet(&nowhere);
    seen_sites.open = true;
    for (const scenario& s : scenarios) {
        const bool ok = s.passes(count, quiet);
        report(ok, s.name);
        if (!ok) {
            s.passes(count, std::cout); // again, for what the checker says of it
        }
    }
    seen_sites.open = false;
    std::sort(seen_sites.sites.begin(), seen_sites.sites.begin() + seen_sites.size);

    for (std::size_t i = 0; i < seen_sites.size; ++i) {
        const site& at = seen_sites.sites[i];
        if (!files.contains(std::string(at.file))) {
            continue;
        }
        const auto excused = std::find_if(beyond.begin(), beyond.end(), [&](const auto& entry) {
            return at.function.find("::" + entry.first.substr(entry.first.find(' ') + 1) + "(") !=
                       std::string_view::npos &&
                   entry.first.starts_with(name_of(at.kind) + " ");
        });
        for (const mutation& m : mutants_of(at)) {
            if (excused != beyond.end()) {
                std::printf("skip    mutant %s: %s\n", m.text().c_str(), excused->second.c_str());
                continue;
            }
            active = &m;
            std::string killer;
            for (const scenario& s : scenarios) {
                if (!s.passes(count, quiet)) {
                    killer = s.name;
                    break;
                }
            }
            active = nullptr;
            report(!killer.empty(),
                   "mutant " + m.text() +
                       (killer.empty() ? ": survived every scenario" : ": found by " + killer));
        }
    }
    std::printf("%d passed, %d failed\n", passed, failed);
    return failed == 0 ? 0 : 1;
}

} // namespace model
