// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "schemes/process_team.hpp"
#include "schemes/scheme.hpp"
#include "schemes/worker_process.hpp"

namespace regatta::race {
namespace {

/// Worker processes started for the run claim items from the counter in shared memory.
class processes final : public scheme {
public:
    void prepare(run_context&) override { program_ = worker_program(); }

    void run(run_context& context) override {
        process_team team;
        for (unsigned i = 0; i < context.workers; ++i) {
            team.start(program_, "processes", context);
        }
        team.wait_all();
        // Relaxed: all were waited for.
        if (const auto begun = context.log.seen.load(std::memory_order_relaxed);
            begun < context.workers) {
            throw scheme_failure("only " + std::to_string(begun) + " of " +
                                 std::to_string(context.workers) +
                                 " workers did their work: " + program_ + " ended well without");
        }
    }

private:
    std::string program_;
};

} // namespace

scheme_info processes_scheme() {
    return {.name = "processes",
            .summary =
                "processes started afresh in each run claim items from a counter in shared memory",
            .suits = "isolation: a worker that crashes takes nobody along",
            .make = make_new<processes>,
            .worker = processes_worker,
            .traits = {.workers = worker_kind::processes}};
}

} // namespace regatta::race
