// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "pools_promise.hpp"
#include "pools_rows.hpp"

#include "schemes/mutex_queue_pool.hpp"

namespace regatta::bench {
namespace {

/// The race's plain pool: one mutex, one condition variable, a deque of std::function.
class mutex_and_queue {
public:
    explicit mutex_and_queue(unsigned workers) : pool_(workers) {}

    template<class Body>
    void produce(Body&& body) {
        body();
    }
    template<class F>
    void execute(F&& f) {
        pool_.post(std::forward<F>(f));
    }
    template<class F>
    void execute_within(F&& f) {
        pool_.post(std::forward<F>(f));
    }
    template<class F>
    auto submit(F f) {
        return submit_shared(std::move(f), [this](auto&& task) { execute(std::move(task)); });
    }

private:
    race::mutex_queue_pool pool_;
};

} // namespace

pool_case mutex_pool() {
    return case_of<mutex_and_queue>("mutex and queue");
}

} // namespace regatta::bench
