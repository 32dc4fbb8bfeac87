// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "schemes/scheme_entry.hpp"
#include "schemes/tbb_threads.hpp"
#include "schemes/thread_runner.hpp"

#include <algorithm>
#include <execution>
#include <numeric>

namespace regatta::race {
namespace {

/// `std::for_each` with `std::execution::par` over a vector of indices. The standard library runs
/// it on oneTBB; the calling thread is one of the workers.
class std_par final : public scheme {
public:
    void prepare(run_context& context) override {
        threads_.emplace(context.workers);
        threads_->start();
        items_.resize(context.work.items());
        std::iota(items_.begin(), items_.end(), std::size_t{0});
    }

    void run(run_context& context) override {
        thread_runners runners(context.work, context.log);
        std::for_each(std::execution::par, items_.begin(), items_.end(),
                      [&runners](std::size_t item) { runners(item); });
    }

private:
    std::optional<tbb_threads> threads_;
    std::vector<std::size_t> items_;
};

} // namespace

scheme_entry std_par_scheme() {
    return entry_of<std_par>("oneTBB " + tbb_version());
}

} // namespace regatta::race
