// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "schemes/item_tasks.hpp"
#include "schemes/scheme.hpp"
#include "schemes/tbb_threads.hpp"

#include <tbb/task_arena.h>
#include <tbb/task_group.h>

namespace regatta::race {
namespace {

/// One `run` an item in a `tbb::task_group`. The calling thread hands them out and then, in `wait`,
/// is one of the workers.
class tbb_group final : public scheme {
public:
    void prepare(run_context& context) override {
        // At a rate the calling thread is the producer and has no time for items.
        const unsigned threads = context.workers + (context.log.offered.paced() ? 1 : 0);
        threads_.emplace(threads);
        arena_.initialize(static_cast<int>(threads));
        arena_.execute([&] { threads_->start(); });
    }

    void run(run_context& context) override {
        arena_.execute([&] {
            tbb::task_group group;
            item_tasks items(
                context, [&group](auto task) { group.run(task); }, [] {});
            in_waves(context, [&](std::size_t first, std::size_t last) {
                for (std::size_t item = first; item < last; ++item) {
                    items.hand_out(item);
                }
                group.wait();
            });
        });
    }

private:
    std::optional<tbb_threads> threads_; // outlives the arena
    tbb::task_arena arena_;
};

} // namespace

scheme_info tbb_group_scheme() {
    return {.name = "tbb_group",
            .summary = "oneTBB task_group, one run an item; warm threads, caller included",
            .suits = "jobs that divide themselves: tasks that hand over further tasks",
            .make = make_new<tbb_group>,
            .library_version = tbb_version,
            .spawns = true,
            .single_tasks = true,
            .reusable = true,
            .traits = {.synchronises_unseen = true}};
}

} // namespace regatta::race
