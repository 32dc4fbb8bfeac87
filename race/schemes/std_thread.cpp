// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "schemes/scheme.hpp"
#include "schemes/worker_threads.hpp"

namespace regatta::race {
namespace {

/// Threads started for the run claim items from one atomic counter.
class std_thread final : public scheme {
public:
    void run(run_context& context) override {
        worker_threads team;
        for (unsigned i = 0; i < context.workers; ++i) {
            team.start([&context](std::size_t) {
                item_runner(context.work, context.log).run_from_counter();
            });
        }
    }
};

} // namespace

scheme_info std_thread_scheme() {
    return {.name = "std_thread",
            .summary = "threads started afresh in each run claim items from one atomic counter",
            .suits = "one-off jobs of many items: even load with no library at all",
            .make = make_new<std_thread>,
            .traits = {.usual_baseline = true, .effort = 1}};
}

} // namespace regatta::race
