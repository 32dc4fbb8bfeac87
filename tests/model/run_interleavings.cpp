// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// The part of the checker that its templates make slow to compile: once for all models.

#include "model_check.hpp"

#include <ostream>
#include <streambuf>
#include <string>

namespace model {
namespace {

class null_buffer : public std::streambuf {
    int overflow(int c) override { return c; }
};

/// The suite that is being checked.
any_suite* current_suite = nullptr;

/// What the checker is compiled for: once a number of threads, not once a scenario.
template<rl::thread_id_t Threads>
struct some_suite : rl::test_suite<some_suite<Threads>, Threads> {
    some_suite() { current_suite->begin(); }
    ~some_suite() { current_suite->end(); }
    void before() { current_suite->before(); }
    void thread(unsigned index) { current_suite->thread(index); }
    void after() { current_suite->after(); }
};

/// Calls what `rl::simulate` calls. That would be compiled for three schedulers, and would run each
/// failure a second time.
template<rl::thread_id_t Threads>
bool run(const std::string& name, rl::iteration_t first, rl::iteration_t last,
         std::ostream* history) {
    null_buffer nowhere;
    std::ostream quiet(&nowhere);
    const auto run_from = [&](rl::iteration_t from, std::ostream* out) {
        const std::string start = std::to_string(from);
        rl::test_params parameters;
        parameters.test_name.assign(name.begin(), name.end());
        parameters.initial_state.assign(start.begin(), start.end());
        parameters.iteration_count = last;
        parameters.execution_depth_limit = 10'000;
        parameters.collect_history = out != nullptr;
        parameters.output_stream = out != nullptr ? out : &quiet;
        parameters.progress_stream = &quiet;
        rl::run_test<some_suite<Threads>, rl::random_scheduler<Threads>>(parameters, quiet, false);
        return parameters;
    };
    const rl::test_params ended = run_from(first, nullptr);
    if (ended.test_result == rl::test_result_success) {
        return true;
    }
    if (history != nullptr) {
        run_from(ended.stop_iteration, history);
    }
    return false;
}

} // namespace

bool run_interleavings(any_suite& suite, rl::thread_id_t threads, const std::string& name,
                       rl::iteration_t first, rl::iteration_t last, std::ostream* history) {
    current_suite = &suite;
    switch (threads) {
    case 2:
        return run<2>(name, first, last, history);
    case 3:
        return run<3>(name, first, last, history);
    case 4:
        return run<4>(name, first, last, history);
    default:
        return run<5>(name, first, last, history);
    }
}

} // namespace model
