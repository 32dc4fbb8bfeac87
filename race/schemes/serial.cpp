// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "schemes/scheme_entry.hpp"

namespace regatta::race {
namespace {

/// The calling thread runs the items one after the other, whatever the number of workers.
class serial final : public scheme {
public:
    void run(run_context& context) override {
        item_runner runner(context.work, context.log);
        const std::size_t count = context.work.items();
        for (std::size_t item = 0; item < count; ++item) {
            runner(item);
        }
    }
};

} // namespace

scheme_entry serial_scheme() {
    return entry_of<serial>();
}

} // namespace regatta::race
