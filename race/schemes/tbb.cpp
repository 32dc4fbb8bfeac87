// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "schemes/scheme.hpp"
#include "schemes/tbb_threads.hpp"
#include "schemes/thread_runner.hpp"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

namespace regatta::race {
namespace {

/// `parallel_for` over the items, split by the automatic partitioner, as a user would write it.
/// The calling thread is one of the workers.
class tbb_for final : public scheme {
public:
    void prepare(run_context& context) override {
        threads_.emplace(context.workers);
        arena_.initialize(static_cast<int>(context.workers));
        arena_.execute([&] { threads_->start(); });
    }

    void run(run_context& context) override {
        thread_runners runners(context.work, context.log);
        arena_.execute([&] {
            tbb::parallel_for(std::size_t{0}, context.work.items(),
                              [&](std::size_t item) { runners(item); });
        });
    }

private:
    std::optional<tbb_threads> threads_; // outlives the arena
    tbb::task_arena arena_;
};

} // namespace

scheme_info tbb_scheme() {
    return {.name = "tbb",
            .summary = "oneTBB parallel_for in an arena, automatic partitioner; warm threads, "
                       "caller included",
            .suits = "loops within loops and libraries that share one set of threads",
            .make = make_new<tbb_for>,
            .library_version = tbb_version,
            .reusable = true,
            .traits = {.synchronises_unseen = true}};
}

} // namespace regatta::race
