// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// A workload and schemes of the tests' own.

#include "schemes/scheme.hpp"
#include "workloads/workload.hpp"

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace regatta::race::fakes {

/// Each item counts a little and marks that it ran.
class counting : public workload {
public:
    explicit counting(const workload_options& options, std::uint32_t steps = 2000)
        : runs_(options.size.value_or(1000), 0)
        , steps_(steps) {}

    std::string_view name() const noexcept override { return "counting"; }
    std::size_t items() const noexcept override { return runs_.size(); }
    void run(std::size_t item) noexcept override {
        volatile std::uint32_t sum = 0;
        for (std::uint32_t i = 0; i <= steps_; ++i) {
            sum = sum + i;
        }
        runs_[item] = sum != 0 ? 1 : 0;
    }
    void reset() noexcept override { std::fill(runs_.begin(), runs_.end(), 0); }
    verification verify() const override {
        for (std::size_t i = 0; i < runs_.size(); ++i) {
            if (runs_[i] != 1) {
                return {false, "item " + std::to_string(i) + " was not run"};
            }
        }
        return {true, {}};
    }
    int descriptor() const noexcept override { return -1; }

private:
    std::vector<int> runs_;
    std::uint32_t steps_;
};

/// @param steps of an item; 2000 take some microseconds.
inline workload_info counting_info(std::uint32_t steps = 2000) {
    return {.name = "counting",
            .summary = "counts",
            .options = "--size 1..100000",
            .usual_size = 1000,
            .make = [steps](const workload_options& o) -> std::unique_ptr<workload> {
                return std::make_unique<counting>(o, steps);
            },
            .attach = nullptr};
}

/// A scheme whose run is a function.
class scripted final : public scheme {
public:
    using body = std::function<void(run_context&)>;

    explicit scripted(body run, bool logs = true) : run_(std::move(run)), logs_(logs) {}

    void run(run_context& context) override { run_(context); }
    bool logs_items() const noexcept override { return logs_; }

private:
    body run_;
    bool logs_;
};

/// Of the name of a real scheme it has the traits, too.
inline scheme_info info(std::string_view name, scripted::body run, bool logs = true) {
    return {.name = name,
            .summary = name,
            .suits = "tests",
            .make = [run = std::move(run),
                     logs](const scheme_options&) { return std::make_unique<scripted>(run, logs); },
            .traits = traits_of(name)};
}

/// The same of one that takes single tasks.
inline scheme_info info_of_tasks(std::string_view name, scripted::body run) {
    scheme_info made = info(name, std::move(run));
    made.single_tasks = true;
    return made;
}

/// One thread hands over an item when it is due, and runs it: a stall holds up all that follow.
inline void run_when_due(run_context& context) {
    item_runner runner(context.work, context.log);
    for (std::size_t item = 0; item < context.work.items(); ++item) {
        context.log.offered.hand_over(item, context.log.stop);
        runner(item);
    }
}

inline void run_serially(run_context& context) {
    item_runner(context.work, context.log).run_from_counter();
}

inline void run_on_threads(run_context& context) {
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < context.workers; ++i) {
        threads.emplace_back([&] { run_serially(context); });
    }
}

} // namespace regatta::race::fakes
