// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// A program whose `main` does not look for what it was started for, in the way that CARELESS_WAY
// names, and that then does what CARELESS_PART says. Each process prints a line, with how many of
// its forebears were the same program. From the third generation on it does nothing, so that a
// failed test leaves the machine alone.

#include "isolation/experiment.hpp"
#include "sampling/race_control.hpp"
#include "schemes/scheme.hpp"
#include "workloads/workload.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

using namespace regatta::race;

namespace {

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

void run_scheme(const std::string& name) {
    race_control control;
    const auto work = find_workload("primes")->make({.size = 2, .max_prime = 1000});
    run_context context{*work, control.log(), control.descriptor(), 1};
    const auto scheme = find_scheme(name)->make({.workers = 1});
    scheme->prepare(context);
    scheme->run(context);
}

void run_noise() {
    race_control control;
    isolation_options options;
    options.noise = {noise_kind::spread, 1};
    options.rounds = 1;
    options.work = std::chrono::milliseconds(1);
    run_isolation(options, control);
}

} // namespace

int main(int argc, char** argv) {
    const std::string way = variable("CARELESS_WAY");
    if (way == "without_arguments") {
        run_as_worker(1, argv);
    } else if (way == "unheeded") {
        run_as_worker(argc, argv);
    }
    const int forebears = std::atoi(variable("CARELESS_FOREBEARS").c_str());
    std::string said = "done";
    if (forebears >= 3) {
        said = "started once more";
    } else {
        ::setenv("CARELESS_FOREBEARS", std::to_string(forebears + 1).c_str(), 1);
        try {
            const std::string part = variable("CARELESS_PART");
            part == "noise" ? run_noise() : run_scheme(part);
        } catch (const std::exception& error) {
            said = error.what();
        }
    }
    std::printf("%d: %s\n", forebears, said.c_str());
}
