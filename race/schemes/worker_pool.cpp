// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "schemes/item_message.hpp"
#include "schemes/item_tasks.hpp"
#include "schemes/scheme.hpp"
#include "schemes/unfinished_tasks.hpp"

#include <regatta/base/version.hpp>
#include <regatta/message/worker_pool.hpp>

#include <cstdint>
#include <system_error>

namespace regatta::race {
namespace {

/// One message an item to `regatta::worker_pool`; `drain` tells that all are done, or a counter
/// where items spawn others, since `drain` does not wait for what is submitted after it began.
class pool_of_workers final : public scheme, private spawner {
public:
    void prepare(run_context& context) override {
        spawning_ = context.work.handed_out() != context.work.items();
        pool_.emplace(worker_pool_options{.threads = context.workers, .name = "race"});
        pool_->on<item_message>([this](item_message& message, unsigned worker) {
            if (spawning_) {
                runners_[worker](message.item, *this);
                count_.done();
            } else {
                runners_[worker](message.item);
            }
        });
        try {
            pool_->start();
        } catch (const std::system_error& error) {
            throw scheme_failure(std::string("the pool could not start: ") + error.what());
        }
    }

    void run(run_context& context) override {
        runners_.clear();
        for (unsigned i = 0; i < context.workers; ++i) {
            runners_.emplace_back(context.work, context.log);
        }
        in_waves(context, [this, &context](std::size_t first, std::size_t last) {
            count_.add(spawning_ ? static_cast<std::uint32_t>(last - first) : 0);
            for (std::size_t item = first; item < last; ++item) {
                context.log.offered.hand_over(item, context.log.stop);
                pool_->submit(item_message{static_cast<std::uint32_t>(item)});
            }
            count_.wait();
            pool_->drain();
        });
    }

private:
    void spawn(std::size_t item) override {
        count_.add(1);
        pool_->submit(item_message{static_cast<std::uint32_t>(item)});
    }

    bool spawning_ = false;
    unfinished_tasks count_;           ///< Of a workload whose items spawn others.
    std::vector<item_runner> runners_; ///< One a worker, made before the first message is sent.
    std::optional<worker_pool<item_message>> pool_;
};

} // namespace

scheme_info worker_pool_scheme() {
    return {.name = "worker_pool",
            .summary = "regatta::worker_pool, a message an item; warm threads",
            .suits = "a service that handles typed messages, at the latency of a hand-over",
            .make = make_new<pool_of_workers>,
            .spawns = true,
            .single_tasks = true,
            .reusable = true};
}

} // namespace regatta::race
