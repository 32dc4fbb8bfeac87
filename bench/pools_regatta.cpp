// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "pools_rows.hpp"
#include "schemes/pool_list.hpp"

namespace regatta::bench {
namespace {

template<class Kind>
class of_kind {
public:
    explicit of_kind(unsigned workers) : pool_({.threads = workers, .name = "bench"}) {}

    template<class Body>
    void produce(Body&& body) {
        body();
    }
    template<class F>
    void execute(F&& f) {
        pool_.execute(std::forward<F>(f));
    }
    template<class F>
    void execute_within(F&& f) {
        pool_.execute(std::forward<F>(f));
    }
    template<class F>
    void execute_ten(std::array<F, 10> fs) {
        pool_.execute_batch(std::move(fs));
    }
    template<class F>
    auto submit(F&& f) {
        return pool_.submit(std::forward<F>(f));
    }

private:
    Kind pool_;
};

} // namespace

std::vector<pool_case> regatta_pools() {
    std::vector<pool_case> all;
    race::every_pool::for_each([&]<class Pool> {
        all.push_back(case_of<of_kind<Pool>>(std::string(race::pool_name<Pool>) + "_pool"));
    });
    return all;
}

race::outcome regatta_spinning_wake(unsigned workers, std::size_t tasks) {
    balanced_pool pool({.threads = workers, .spin = std::chrono::nanoseconds::max()});
    return {measure_wakes(tasks,
                          [&](std::atomic<double>& began) {
                              pool.execute(
                                  [&began] { began.store(now_ns(), std::memory_order_release); });
                          })
                .begin_ns,
            {}};
}

} // namespace regatta::bench
