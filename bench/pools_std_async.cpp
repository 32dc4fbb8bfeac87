// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "pools_rows.hpp"

#include <future>

namespace regatta::bench {
namespace {

/// No pool: a thread a task. The futures are kept, because their destructors wait.
class std_async {
public:
    explicit std_async(unsigned) {}

    template<class Body>
    void produce(Body&& body) {
        body();
        begun_.clear();
    }
    template<class F>
    void execute(F&& f) {
        if (begun_.size() == 100) { // as many threads at once
            begun_.clear();
        }
        begun_.push_back(submit(std::forward<F>(f)));
    }
    template<class F>
    auto submit(F&& f) {
        return std::async(std::launch::async, std::forward<F>(f));
    }

private:
    std::vector<std::future<void>> begun_;
};

} // namespace

pool_case std_async_threads() {
    pool_case all;
    all.name = "std::async";
    all.share = 0.002;
    all.execute = execute_sample<std_async>;
    all.capture = capture_sample<std_async>;
    all.allocate = allocate_sample<std_async>;
    return all;
}

} // namespace regatta::bench
