// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Runs the model tests of one primitive: they must pass, and each mutant must fail one of them.

#include "model_atomics.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <new>
#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace model {

/// One scenario: a name and a way to run it under the checker. Each interleaving has a number;
/// those from `first` to `last` are run, so that a later call goes on where an earlier one ended.
/// If one fails and `history` is not null, it is run again, and what happened in it is printed.
struct scenario {
    std::string name;
    std::function<bool(rl::iteration_t first, rl::iteration_t last, std::ostream* history)> passes;
};

/// A relacy test suite whose type the checker does not know.
class any_suite {
public:
    any_suite() = default;
    any_suite(const any_suite&) = delete;
    any_suite& operator=(const any_suite&) = delete;
    virtual ~any_suite() = default;

    virtual void begin() = 0; ///< Makes the suite for one interleaving.
    virtual void before() = 0;
    virtual void thread(unsigned index) = 0;
    virtual void after() = 0;
    virtual void end() = 0; ///< Destroys it.
};

/// After an interleaving that failed, the suite is not destroyed.
template<class Suite>
class suite_of final : public any_suite {
public:
    void begin() override { suite_ = ::new (static_cast<void*>(memory_)) Suite; }
    void before() override { suite_->before(); }
    void thread(unsigned index) override { suite_->thread(index); }
    void after() override { suite_->after(); }
    void end() override { suite_->~Suite(); }

private:
    alignas(Suite) std::byte memory_[sizeof(Suite)];
    Suite* suite_ = nullptr;
};

/// Runs interleavings of a suite, drawn at random, until one fails.
/// @param threads of the suite: 2 to 5.
/// @param history as in `scenario`.
/// @returns whether none failed.
bool run_interleavings(any_suite& suite, rl::thread_id_t threads, const std::string& name,
                       rl::iteration_t first, rl::iteration_t last, std::ostream* history);

/// The scenario of a relacy test suite.
template<class Suite>
scenario make_scenario(std::string name) {
    const auto passes = [name](rl::iteration_t first, rl::iteration_t last, std::ostream* history) {
        constexpr rl::thread_id_t threads = Suite::params::thread_count;
        static_assert(threads >= 2 && threads <= 5);
        suite_of<Suite> suite;
        return run_interleavings(suite, threads, name, first, last, history);
    };
    return {std::move(name), passes};
}

/// Checks the scenarios of a primitive and all its mutants.
///
/// @param files the headers whose operations are mutated.
/// @param beyond mutants (see `is_named`) that the checker cannot tell from the original, and why;
/// they are reported as skipped. One that a scenario finds all the same fails the test.
/// @param faulty scenarios that must fail: for parts that have no order to weaken.
/// @returns the exit status of the test program.
int check(std::vector<scenario> scenarios, const std::set<std::string>& files,
          const std::map<std::string, std::string>& beyond = {},
          const std::vector<scenario>& faulty = {});

} // namespace model
