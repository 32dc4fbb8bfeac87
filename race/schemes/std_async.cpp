// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "schemes/scheme.hpp"

#include <future>
#include <system_error>

namespace regatta::race {
namespace {

/// One future a worker, each with one block of neighbouring items of the same length (± 1).
class std_async final : public scheme {
public:
    void run(run_context& context) override {
        const std::size_t count = context.work.items();
        const std::size_t workers = context.workers;
        std::vector<std::future<void>> futures;
        futures.reserve(workers);
        for (std::size_t i = 0; i < workers; ++i) {
            try {
                futures.push_back(std::async(std::launch::async, [&context, count, workers, i] {
                    item_runner runner(context.work, context.log);
                    for (std::size_t item = count * i / workers; item < count * (i + 1) / workers;
                         ++item) {
                        runner(item);
                    }
                }));
            } catch (const std::system_error& error) {
                throw scheme_failure("thread " + std::to_string(i) +
                                     " could not be started: " + error.code().message());
            }
        }
        for (std::future<void>& future : futures) {
            future.get();
        }
    }
};

} // namespace

scheme_info std_async_scheme() {
    return {.name = "std_async",
            .summary =
                "std::async, a future and a fresh thread for each worker, one block of items each",
            .suits = "a few equally long pieces whose results or exceptions are wanted as futures",
            .make = make_new<std_async>};
}

} // namespace regatta::race
