// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "schemes/item_tasks.hpp"
#include "schemes/mutex_queue_pool.hpp"
#include "schemes/scheme.hpp"

#include <system_error>

namespace regatta::race {
namespace {

/// One `post` an item to a pool of one mutex, one condition variable and one queue.
class mutex_queue final : public scheme {
public:
    void prepare(run_context& context) override {
        try {
            pool_.emplace(context.workers);
        } catch (const std::system_error& error) {
            throw scheme_failure(std::string("the pool could not start: ") + error.what());
        }
    }

    void run(run_context& context) override {
        item_tasks items(
            context, [this](auto task) { pool_->post(task); }, [] {});
        in_waves(context, [&](std::size_t first, std::size_t last) {
            for (std::size_t item = first; item < last; ++item) {
                items.hand_out(item);
            }
            pool_->wait();
        });
    }

private:
    std::optional<mutex_queue_pool> pool_;
};

} // namespace

scheme_info mutex_queue_scheme() {
    return {.name = "mutex_queue",
            .summary = "a pool of one mutex, one condition variable and one std::deque of "
                       "std::function, one post an item; warm threads",
            .suits = "tasks of a millisecond and more, with nothing to install",
            .make = make_new<mutex_queue>,
            .spawns = true,
            .single_tasks = true,
            .reusable = true};
}

} // namespace regatta::race
