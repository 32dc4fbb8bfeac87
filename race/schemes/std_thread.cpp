// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "schemes/scheme_entry.hpp"
#include "schemes/thread_team.hpp"

namespace regatta::race {
namespace {

/// Threads started for the run claim items from one atomic counter.
class std_thread final : public scheme {
public:
    void run(run_context& context) override {
        thread_team team;
        for (unsigned i = 0; i < context.workers; ++i) {
            team.start([&context](std::size_t) {
                item_runner(context.work, context.log).run_from_counter();
            });
        }
    }
};

} // namespace

scheme_entry std_thread_scheme() {
    return entry_of<std_thread>();
}

} // namespace regatta::race
