// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "schemes/scheme_entry.hpp"
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

scheme_entry tbb_scheme() {
    return entry_of<tbb_for>("oneTBB " + tbb_version());
}

} // namespace regatta::race
