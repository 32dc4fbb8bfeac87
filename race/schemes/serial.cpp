// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "schemes/scheme.hpp"

namespace regatta::race {
namespace {

/// The calling thread runs the items one after the other, whatever the number of workers; items
/// that an item spawns at once.
class serial final : public scheme {
public:
    void run(run_context& context) override {
        item_runner runner(context.work, context.log);
        const std::size_t count = context.work.handed_out();
        if (count == context.work.items()) {
            for (std::size_t item = 0; item < count; ++item) {
                runner(item);
            }
            return;
        }
        at_once spawned(runner);
        for (std::size_t item = 0; item < count; ++item) {
            runner(item, spawned);
        }
    }

private:
    class at_once final : public spawner {
    public:
        explicit at_once(item_runner& runner) : runner_(runner) {}
        void spawn(std::size_t item) override { runner_(item, *this); }

    private:
        item_runner& runner_;
    };
};

} // namespace

scheme_info serial_scheme() {
    return {.name = "serial",
            .summary = "one thread, a plain loop; nothing to prepare",
            .suits = "jobs so short that handing them out costs more than doing them",
            .make = make_new<serial>,
            .spawns = true,
            .forks = true,
            .traits = {.workers = worker_kind::one, .reference = true, .effort = 0}};
}

} // namespace regatta::race
