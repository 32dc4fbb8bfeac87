// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "schemes/item_message.hpp"
#include "schemes/item_tasks.hpp"
#include "schemes/scheme.hpp"
#include "schemes/unfinished_tasks.hpp"
#include "schemes/worker_threads.hpp"

#include <regatta/bus/async_bus.hpp>

#include <cstdint>
#include <optional>

namespace regatta::race {
namespace {

/// One message an item to `regatta::async_bus`, whose single consumer computes them all, whatever
/// the number of workers: what a bus is not for.
class bus_with_one_consumer final : public scheme {
public:
    ~bus_with_one_consumer() override { stop_.request_stop(); }

    void prepare(run_context&) override {
        bus_.subscribe<item_message>([this](const item_message& message) {
            (*runner_)(message.item);
            count_.done();
        });
        consumer_.start([this](std::size_t) { bus_.run(stop_.get_token()); });
    }

    void run(run_context& context) override {
        runner_.emplace(context.work, context.log);
        in_waves(context, [this, &context](std::size_t first, std::size_t last) {
            count_.add(static_cast<std::uint32_t>(last - first));
            for (std::size_t item = first; item < last; ++item) {
                context.log.offered.hand_over(item, context.log.stop);
                bus_.publish(item_message{static_cast<std::uint32_t>(item)});
            }
            count_.wait();
        });
    }

private:
    std::optional<item_runner> runner_; ///< The consumer's; made before the first message is sent.
    unfinished_tasks count_;
    async_bus<item_message> bus_;
    std::stop_source stop_;
    worker_threads consumer_; ///< Joined first.
};

} // namespace

scheme_info async_bus_scheme() {
    return {.name = "async_bus",
            .summary = "regatta::async_bus, a message an item to its one consumer; a warm thread",
            .suits = "passing messages on in order; not dividing work",
            .make = make_new<bus_with_one_consumer>,
            .single_tasks = true,
            .reusable = true,
            .traits = {.workers = worker_kind::one}};
}

} // namespace regatta::race
